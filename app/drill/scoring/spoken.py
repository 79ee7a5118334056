"""What was said, as words that can be compared: whatever was typed, spoken, or misheard for it reads the same. Pure.

>>> [token.form for token in tokens("The causal mass, and W zero: soft-max of d_k = 64.")]
['the', 'causal', 'mask', 'and', 'w', 'o', 'softmax', 'of', 'd', 'k', '64']
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.drill.scoring.number_words import digits

# How a field's words come back from a recogniser, or are written by another hand. Both sides of every comparison go
# through this, so a wording in a deck may be in any of these forms, too.
ALIASES = {
    "mass": "mask",
    "masses": "masks",
    "musk": "mask",
    "cash": "cache",
    "cashes": "caches",
    "cashed": "cached",
    "decay": "d k",
    "dk": "d k",
    "dv": "d v",
    "qk": "q k",
    "qkv": "q k v",
    "kv": "k v",
    "cave": "k v",
    "cue": "q",
    "wo": "w o",
    "w 0": "w o",
    "liner": "linear",
    "soft max": "softmax",
    "soft packs": "softmax",
    "soft mask": "softmax",
    "gqa": "g q a",
    "jiku a": "g q a",
    "mqa": "m q a",
    "mha": "m h a",
    "mla": "m l a",
    "fp": "f p",
    "bf": "b f",
    "route": "root",
    "negative infinity": "minus infinity",
    "minus inf": "minus infinity",
    "flesh attention": "flash attention",
    "flashattention": "flash attention",
    "learnt": "learned",
    "maths": "math",
    "multihead": "multi head",
    "multiquery": "multi query",
    "per cent": "percent",
    "inter leave": "interleave",
    "pagedattention": "paged attention",
    "pre fill": "prefill",
    "pre filled": "prefilled",
    "pre filling": "prefilling",
    "pre empt": "preempt",
    "pre empts": "preempts",
    "pre emption": "preemption",
    "90 ninth": "99th",
    "99 th": "99th",
    # Units: a recogniser writes "43 GB" where "forty three gigabytes" was said, and people say "gigs".
    "gb": "gigabytes",
    "gig": "gigabytes",
    "gigs": "gigabytes",
    "gigabyte": "gigabytes",
    "gib": "gibibytes",
    "gibibyte": "gibibytes",
    "kb": "kilobytes",
    "kilobyte": "kilobytes",
    "kib": "kibibytes",
    "kibibyte": "kibibytes",
    "tb": "terabytes",
    "terabyte": "terabytes",
    "ms": "milliseconds",
    "millisecond": "milliseconds",
    "petaflop": "petaflops",
    "pflop": "petaflops",
    "pflops": "petaflops",
}
# Before these, a word that is an alias elsewhere means what it says.
ITSELF_AFTER = {
    "mass": ("probability", "attention", "more", "all"),
    "decay": ("weight", "exponential", "learning", "rate", "long", "term"),
}
_LONGEST = max(alias.count(" ") for alias in ALIASES) + 1
_SIGNS = {
    "∞": "infinity", "−": "minus", "√": "root", "²": "squared", "^2": "squared", "×": "times", "·": "times",
    "÷": "divided by", "%": "percent", "½": "half", "&": "and",
}  # fmt: skip
_PIECE = re.compile(r"[a-z]+(?:['’][a-z]+)*|[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+(?:\.[0-9]+)?|\^2|\n|[^\sa-z0-9]")
_DIVIDES = re.compile(r"[,;:.!?()—–…\n]")
DIVIDERS = frozenset(
    ("but", "because", "whereas", "while", "although", "though", "however", "which", "instead", "rather")
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word to compare: `start` and `end` are its place in the text, `clause` counts the clauses of it."""

    form: str
    start: int
    end: int
    clause: int


def tokens(text: str) -> tuple[Token, ...]:
    return tuple(_aliased(_numbers(_pieces(text))))


def forms(text: str) -> tuple[str, ...]:
    return tuple(token.form for token in tokens(text))


def _pieces(text: str) -> list[Token]:
    """Letters and digits apart, contractions in one, signs by name; a mark, a conjunction or a line begins a clause."""
    found: list[Token] = []
    clause = 0
    lowered = _lowered(text)
    for match in _PIECE.finditer(lowered):
        piece, start, end = match[0], match.start(), match.end()
        if piece[0].isascii() and piece[0].isalnum():
            form = re.sub("['’,]", "", piece)
            clause += form in DIVIDERS
            named = [form]
        else:
            minus = piece == "-" and _is_sign(lowered, start)
            named = ["minus"] if minus else _SIGNS.get(piece, "").split()
            clause += bool(_DIVIDES.match(piece))
        found += [Token(form, start, end, clause) for form in named]
    return found


def _lowered(text: str) -> str:
    """In small letters and of the same length, so that places in it are places in the text."""
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _is_sign(text: str, at: int) -> bool:
    return text[at + 1 : at + 4].startswith(("∞", "inf")) or (
        text[at + 1 : at + 2].isdigit() and not text[at - 1 : at].isalnum()
    )


def _numbers(pieces: Sequence[Token]) -> Iterator[Token]:
    """Each number in one token, unless a clause ends within."""
    first = 0
    while first < len(pieces):
        last = first
        while last < len(pieces) and pieces[last].clause == pieces[first].clause:
            last += 1
        here = pieces[first:last]
        for start, end, form in digits([token.form for token in here]):
            yield Token(form, here[start].start, here[end - 1].end, here[start].clause)
        first = last


def _aliased(pieces: Iterator[Token]) -> Iterator[Token]:
    made = list(pieces)
    at = 0
    while at < len(made):
        before = made[at - 1].form if at else ""
        for length in range(min(_LONGEST, len(made) - at), 0, -1):
            run = made[at : at + length]
            alias = " ".join(token.form for token in run)
            if run[-1].clause == run[0].clause and alias in ALIASES and not _itself(alias, before):
                for form in ALIASES[alias].split():
                    yield Token(form, run[0].start, run[-1].end, run[0].clause)
                break
        else:
            length = 1
            token = made[at]
            yield Token(_spelling(token.form), token.start, token.end, token.clause)
        at += length


def _itself(alias: str, before: str) -> bool:
    return before in ITSELF_AFTER.get(alias, ())


def _spelling(form: str) -> str:
    """One spelling of words that have two: normalise and normalize."""
    return re.sub(r"(?<=[a-z]{4})is(e|es|ed|ing|ation|ations)$", r"iz\1", form)


def plain(text: str) -> str:
    """Text in one form of Unicode, its white space made single, its lines kept: as places in it are counted."""
    lines = (" ".join(line.split()) for line in unicodedata.normalize("NFC", text).splitlines())
    return "\n".join(line for line in lines if line)

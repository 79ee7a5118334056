"""Exact words, held against those that a card accepts, with what does not matter forgiven. Pure.

Case, accents, spaces, hyphens, quotes and a plural s do not matter; Greek letters and their names, `d_k` and dk are the
same.
"""

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

from app.study.marking.verdicts import FieldMark, Piece

ALIKE = 0.6  # from here on a difference is worth showing letter by letter
TYPO = 5  # letters from which on a single wrong one is a slip

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho",
    "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "∞": "infinity", "√": "sqrt",
}  # fmt: skip
_LETTERS = str.maketrans(_GREEK)
_DROPPED = re.compile(r"[\s_\-‐‑‒–—`'\"“”‘’.·]+")
_LISTED = re.compile(r"(?<=\d)[\s,;]+(?=\d)")
_BRACKETS = ("()", "[]", "{}", "$$")


def judged(name: str, label: str, text: str, accepted: Sequence[str]) -> FieldMark:
    """The mark of words: right where one accepted answer is the same, else the difference to the nearest one."""
    if any(exact(text) == exact(answer) for answer in accepted):
        return FieldMark(name, label, text, "right", "Right.")
    if any(alike(text, answer) for answer in accepted):
        return FieldMark(name, label, text, "right", "Right, but for how it is spelled.")
    nearest = max(accepted, key=lambda answer: _ratio(text, answer))
    said, right = difference(text, nearest)
    off = distance(key(text), key(nearest))
    if off == 1 and len(key(nearest)) >= TYPO:
        return FieldMark(name, label, text, "close", "One letter off.", said, right)
    return FieldMark(name, label, text, "wrong", "Not what the card accepts.", said, right)


def exact(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def key(text: str) -> str:
    """What of a text is compared.

    >>> key("D_k"), key("τ"), key("Log-Sum-Exp"), key("[0, 3, 6]")
    ('dk', 'tau', 'logsumexp', '0,3,6')
    """
    told = unicodedata.normalize("NFKD", text.casefold())
    told = "".join(sign for sign in told if not unicodedata.combining(sign)).translate(_LETTERS).strip()
    told = _LISTED.sub(",", told)
    for pair in _BRACKETS:
        if len(told) > 1 and told[0] == pair[0] and told[-1] == pair[1]:
            told = told[1:-1]
    return _DROPPED.sub("", told)


def alike(text: str, answer: str) -> bool:
    """Whether two texts are the same answer."""
    ours, theirs = key(text), key(answer)
    return bool(ours) and (ours == theirs or _singulars(text) == _singulars(answer))


def difference(said: str, right: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts in pieces: by letters where they are nearly the same, by words where words agree, else whole."""
    said, right = exact(said), exact(right)
    if _ratio(said, right) >= ALIKE:
        return _pieces(list(said), list(right))
    ours, theirs = _words(said), _words(right)
    if {word.casefold() for word in ours if word.strip()} & {
        word.casefold() for word in theirs if word.strip()
    }:
        return _pieces(ours, theirs)
    return (Piece(said, "extra"),), (Piece(right, "missing"),)


def distance(a: str, b: str) -> int:
    """How many letters to put in, take out or change; two neighbours that changed places count once."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, ours in enumerate(a, start=1):
        earlier, before, row = before, row, [i]
        for j, theirs in enumerate(b, start=1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (ours != theirs))
            if i > 1 and j > 1 and ours == b[j - 2] and a[i - 2] == theirs:
                least = min(least, earlier[j - 2] + 1)
            row.append(least)
    return row[-1]


def _singulars(text: str) -> str:
    words = re.findall(r"[^\W_]+|[^\w\s]", text)
    return key("".join(_singular(word) for word in words))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] in "sS" and word[-2] not in "sSuUiI" else word


def _ratio(said: str, right: str) -> float:
    return SequenceMatcher(None, said.casefold(), right.casefold(), autojunk=False).ratio()


def _words(text: str) -> list[str]:
    """The words of a text, each with the space that follows it as a word of its own."""
    return re.findall(r"[^\W_]+|\s+|[^\w\s]|_", text)


def _pieces(ours: list[str], theirs: list[str]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    said: list[Piece] = []
    right: list[Piece] = []
    folded = [part.casefold() for part in ours], [part.casefold() for part in theirs]
    for tag, a, b, c, d in SequenceMatcher(None, *folded, autojunk=False).get_opcodes():
        if a < b:
            said.append(Piece("".join(ours[a:b]), "same" if tag == "equal" else "extra"))
        if c < d:
            right.append(Piece("".join(theirs[c:d]), "same" if tag == "equal" else "missing"))
    return tuple(said), tuple(right)

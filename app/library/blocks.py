"""The text of one card within its deck file: found, put in place, added, taken out. Pure.

All else of the file stays as it is, byte for byte: other cards, their order, blank lines, the kind of line ends.
"""

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from app.library.fields import Block, Source, take_apart
from app.library.text import canonical, nfc, unify
from app.library.values import parts

_ENDS = re.compile(r"(\r\n|\r|\n)")
_BOM = "\ufeff"


@dataclass(frozen=True)
class Span:
    """A card's lines: from index `start` up to `end`, its own text, and every name that the file gives it."""

    start: int
    end: int
    text: str
    names: frozenset[str]

    @property
    def last(self) -> int:
        """The index after its last line that is not blank."""
        return self.start + self.text.count("\n") + 1


def spans(text: str, source: Source | None = None) -> list[Span]:
    """The cards of a deck, in their order; `text` has unified line ends, `source` is what it was taken apart into.

    A file with mistakes has cards, too.
    """
    lines = text.split("\n")
    blocks = (source or take_apart(text, "")).blocks
    ends = [*(block.line - 1 for block in blocks[1:]), len(lines)][: len(blocks)]
    return [
        Span(block.line - 1, end, "\n".join(lines[block.line - 1 : end]).rstrip(), frozenset(_names(block)))
        for block, end in zip(blocks, ends, strict=True)
    ]


def find(raw: str, names: Collection[str]) -> Span | None:
    """The card that a file calls by one of these names: one whose id it is before one whose former id it is."""
    found = [span for span in spans(unify(raw)) if not span.names.isdisjoint(names)]
    return min(found, key=lambda span: own_id(span.text) not in names, default=None)


def put(raw: str, span: Span, card: str) -> str:
    """The file with the text of a card in the place of `span`."""
    lines, ends = _apart(raw)
    made = _clean(card).split("\n")
    between = [_newline(ends)] * (len(made) - 1)
    after = ends[span.last - 1 : span.last]
    return _together(
        [*lines[: span.start], *made, *lines[span.last :]],
        [*ends[: span.start], *between, *after, *ends[span.last :]],
    )


def add(raw: str, card: str) -> str:
    """The file with a card at its end, a blank line above."""
    end = _newline(_apart(raw)[1])
    lacks = {True: "", False: end}[raw.endswith(("\n", "\r"))]
    return raw + lacks + end + _clean(card).replace("\n", end) + end


def remove(raw: str, span: Span) -> str:
    """The file without a card and the blank lines below it."""
    lines, ends = _apart(raw)
    return _together([*lines[: span.start], *lines[span.end :]], [*ends[: span.start], *ends[span.end :]])


def own_id(card: str) -> str:
    """The id in the text of a card; "" where it has none."""
    return _value(card, "id")


def with_line(card: str, name: str, value: str) -> str:
    """The card with its line `name:` set, below its id; without that line where `value` is ""."""
    block = _block(card)
    lines = _clean(card).split("\n")
    at = {found.name: found.line - _HEAD_LINES - 1 for found in reversed(block.fields)} if block else {}
    if name in at:
        lines[at[name] : at[name] + 1] = [f"{name}: {value}"] if value else []
    elif value:
        where = at["id"] + 1 if "id" in at else len(lines)
        lines.insert(where, f"{name}: {value}")
    return "\n".join(lines)


def plain(card: str) -> str:
    """The card without what only its file needs to know: `copied:` and `retired:`."""
    return with_line(with_line(card, "copied", ""), "retired", "")


def fingerprint(card: str) -> str:
    """Stands for the text of a card, whatever its line ends, its trailing space and its spelling of accents."""
    return hashlib.sha256(canonical(plain(card)).encode()).hexdigest()[:16]


_HEAD = "---\ndeck: a\ntitle: a\n---\n"
_HEAD_LINES = _HEAD.count("\n")


def _block(card: str) -> Block | None:
    blocks = take_apart(_HEAD + _clean(card), "").blocks
    return blocks[0] if blocks else None


def _value(card: str, name: str) -> str:
    block = _block(card)
    return next((nfc(found.text) for found in block.fields if found.name == name), "") if block else ""


def _names(block: Block) -> Iterator[str]:
    for found in block.fields:
        if found.name in ("id", "was"):
            yield from map(nfc, parts(found.text))


def _clean(card: str) -> str:
    return unify(card).strip("\n").rstrip()


def _apart(raw: str) -> tuple[list[str], list[str]]:
    """The lines and what ends each; the last one is ended by nothing."""
    pieces = _ENDS.split(raw)
    return pieces[0::2], pieces[1::2]


def _newline(ends: list[str]) -> str:
    return ends[0] if ends else "\n"


def _together(lines: list[str], ends: list[str]) -> str:
    pairs = zip(lines, [*ends, ""], strict=False)
    return "".join(line + end for line, end in pairs)

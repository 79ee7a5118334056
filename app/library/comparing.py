"""Two texts of a card, word by word: what was taken out and what was put in. Pure."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Op = Literal["same", "out", "in"]
_TOKEN = re.compile(r"\n|[^\S\n]+|\w+|[^\w\s]")


@dataclass(frozen=True)
class Piece:
    op: Op
    text: str


def compare(old: str, new: str) -> tuple[Piece, ...]:
    """The way from `old` to `new`; the pieces that are "same" or "in" make `new`, those "same" or "out" make `old`.

    Words that are changed one after the other are one change, the spaces between them included.
    """
    a, b = _TOKEN.findall(old), _TOKEN.findall(new)
    made: list[Piece] = []
    out = put = ""
    opcodes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    for at, (tag, i, j, k, m) in enumerate(opcodes):
        was, now = "".join(a[i:j]), "".join(b[k:m])
        between = 0 < at < len(opcodes) - 1 and was.strip(" \t") == ""
        if tag != "equal" or between:
            out, put = out + was, put + now
            continue
        made += _change(out, put)
        made.append(Piece("same", was))
        out = put = ""
    return (*made, *_change(out, put))


def _change(out: str, put: str) -> list[Piece]:
    pieces = (Piece("out", out), Piece("in", put))
    return [piece for piece in pieces if piece.text]

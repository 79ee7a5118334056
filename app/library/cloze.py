"""Clozes: `{{c1::hidden}}` and `{{c1::hidden::hint}}`.

A cloze may hold whole formulas and code, whose own `}}` and `::` mean nothing here. On a card's face
the gap that is asked becomes `{{?hint}}` and, once shown, `{{=hidden}}`: the text of the front never
holds the answer. The renderer draws these two.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from app.library.spans import Span, spans

MAX_NUMBER = 99
MAX_HIDDEN = 1000  # characters; it bounds how far the renderer looks for an end

_MARK = re.compile(r"\{\{[cC](?P<number>\d{1,6})(?P<colons>:{0,2})|::|\{|\}+")
_OPENING = re.compile(r"\{\{c\d+::")


@dataclass(frozen=True, slots=True)
class Gap:
    """One hidden part: the number of its card, the hidden text, and the hint that stands for it."""

    number: int
    text: str
    hint: str


class BadCloze(ValueError):
    """A cloze that cannot be read; `at` is its offset in the text."""

    def __init__(self, at: int, problem: str, fix: str) -> None:
        self.at, self.problem, self.fix = at, problem, fix
        super().__init__(f"{problem}. Fix: {fix}")


def parse(text: str) -> tuple[str | Gap, ...]:
    """The text in pieces: plain ones as they stand, and gaps. Raises BadCloze."""
    atoms = spans(text)
    for atom in atoms:
        if atom.kind != "fence" and (inside := _OPENING.search(atom.body)):
            kind = "code" if atom.kind == "code" else "a formula"
            raise BadCloze(atom.start, f"the cloze {inside[0]} begins inside {kind}", _WHOLE)
    pieces: list[str | Gap] = []
    done = 0
    marks = _marks(text, atoms)
    for mark in marks:
        if mark["number"] is None:
            continue
        _check_opening(mark)
        gap, end = _gap(text, mark, marks)
        if text[done : mark.start()]:
            pieces.append(text[done : mark.start()])
        pieces.append(gap)
        done = end
    if text[done:]:
        pieces.append(text[done:])
    return tuple(pieces)


def opens(text: str) -> bool:
    """True if a cloze begins in this text, outside code and formulas."""
    return any(mark["number"] for mark in _marks(text, spans(text)))


def numbers(pieces: tuple[str | Gap, ...]) -> tuple[int, ...]:
    """The numbers of the gaps, each once, in rising order: one card for each."""
    return tuple(sorted({piece.number for piece in pieces if isinstance(piece, Gap)}))


def hide(pieces: tuple[str | Gap, ...], number: int) -> str:
    """The front of card `number`: its gaps are blank, all others are shown."""
    return "".join(_face(piece, number, "?") for piece in pieces)


def show(pieces: tuple[str | Gap, ...], number: int) -> str:
    """The back of card `number`: its gaps are filled and marked."""
    return "".join(_face(piece, number, "=") for piece in pieces)


def drawn_end(text: str, at: int, limit: int) -> int | None:
    """Where the content of a face's `{{?hint}}` or `{{=hidden}}` ends that begins at text[at]."""
    start = at + 3
    if not text.startswith(("{{?", "{{="), at) or text.find("}}", start, limit) < 0:
        return None
    rest = text[start : min(limit, start + MAX_HIDDEN + 2)]
    depth = 0
    for mark in _marks(rest, spans(rest)):
        if mark[0] == "{":
            depth += 1
        elif mark[0] == "}":
            depth = max(0, depth - 1)
        elif mark[0][0] == "}":
            return start + _end(mark, depth)
    return None


_WHOLE = "put the whole of it into the cloze, as in {{c1::$-\\infty$}}."


def _face(piece: str | Gap, number: int, sign: Literal["?", "="]) -> str:
    if isinstance(piece, str):
        return piece
    if piece.number != number:
        return piece.text
    return "{{" + sign + (piece.hint if sign == "?" else piece.text) + "}}"


def _marks(text: str, atoms: tuple[Span, ...]) -> Iterator[re.Match[str]]:
    """Everything outside code and formulas that can begin, divide or end a cloze."""
    at = 0
    for atom in (*atoms, None):
        end = len(text) if atom is None else atom.start
        while mark := _MARK.search(text, at, end):
            yield mark
            at = mark.end()
        if atom is not None:
            at = atom.end


def _check_opening(mark: re.Match[str]) -> None:
    number, at = int(mark["number"]), mark.start()
    if mark["colons"] != "::":
        raise BadCloze(at, f'"{mark[0]}" is not followed by "::"', f"write {{{{c{number}::text}}}}.")
    if mark[0][2] == "C":
        raise BadCloze(at, f'"{mark[0]}" has a capital C', f"write {{{{c{number}::text}}}}.")
    if not 1 <= number <= MAX_NUMBER:
        raise BadCloze(at, f"the cloze number {number} is out of range", f"number from 1 to {MAX_NUMBER}.")


def _gap(text: str, opening: re.Match[str], marks: Iterator[re.Match[str]]) -> tuple[Gap, int]:
    """Reads on to the `}}` that closes the cloze; braces opened inside it keep their own partner."""
    name = f"c{opening['number']}"
    depth, divider = 0, None
    for mark in marks:
        sign = mark[0]
        if mark["number"] is not None:
            raise BadCloze(mark.start(), f"{sign} begins inside {name}", f"close {name} with }}}} first.")
        if sign == "::":
            if divider is not None:
                raise BadCloze(
                    mark.start(), f'{name} has more than one "::"', "put `::` of the text in code."
                )
            divider = mark
        elif sign == "{":
            depth += 1
        elif len(sign) == 1:
            depth = max(0, depth - 1)
        else:
            end = _end(mark, depth)
            return _filled_gap(text, opening, divider, end), end + 2
    raise BadCloze(opening.start(), f"the cloze {name} is not closed", "end it with }}.")


def _end(braces: re.Match[str], depth: int) -> int:
    """Where the content ends before two or more closing braces, `depth` of which it opened itself."""
    return braces.start() + min(depth, len(braces[0]) - 2)


def _filled_gap(text: str, opening: re.Match[str], divider: re.Match[str] | None, end: int) -> Gap:
    hidden = text[opening.end() : divider.start() if divider else end].strip()
    hint = text[divider.end() : end].strip() if divider else ""
    name = f"c{opening['number']}"
    if not hidden:
        problem, fix = f"the cloze {name} hides nothing", "write the hidden text after the two colons."
        raise BadCloze(opening.start(), problem, fix)
    if max(len(hidden), len(hint)) > MAX_HIDDEN:
        problem = f"the cloze {name} holds more than {MAX_HIDDEN} characters"
        raise BadCloze(opening.start(), problem, "hide less, or ask it as a question.")
    return Gap(int(opening["number"]), hidden, hint)

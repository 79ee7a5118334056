"""Where a text is code or mathematics: the parts that no other rule may touch.

Clozes, formula checks and plain text all ask here, and the renderer follows the same rules, so that
`}}` inside a formula or `{{c1::` inside code means the same everywhere.
"""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["fence", "code", "math", "display"]

_LEAD = r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*"
FENCE = re.compile(rf"{_LEAD}(?P<mark>`{{3,}}(?=[^`\n]*$)|~{{3,}})(?P<info>[^\n]*)$", re.MULTILINE)
_STOP = re.compile(r"[\\`$\n]")
_PARAGRAPH_END = re.compile(r"\n[ \t]*(?:\n|$)")


@dataclass(frozen=True, slots=True)
class Span:
    """text[start:end] is code or mathematics; `body` is what stands between its marks."""

    kind: Kind
    start: int
    end: int
    body: str


def closes(line: str, mark: str) -> bool:
    """True if this line ends the fence that `mark` (``` or ~~~, or longer) opened."""
    bare = line.strip().lstrip("> \t")
    return len(bare) >= len(mark) and not bare.strip(mark[0])


def spans(text: str) -> tuple[Span, ...]:
    """All fences, inline code and formulas of a Markdown text, in order and never overlapping.

    An opening mark without its partner is plain text, apart from a fence, which runs to the end.
    """
    found: list[Span] = []
    at = 0
    line_start = True
    while at < len(text):
        span = _fence(text, at) if line_start else None
        if span is None:
            stop = _STOP.search(text, at)
            if stop is None:
                break
            at = stop.start()
            span = _inline_code(text, at) if text[at] == "`" else formula(text, at)
        if span is not None:
            found.append(span)
            at = span.end
        elif text[at] == "`":
            at += _run(text, at)
        else:
            at += 2 if text[at] == "\\" and text[at + 1 : at + 2] != "\n" else _run_of_dollars(text, at)
        line_start = text[at - 1 : at] == "\n"
    return tuple(found)


def formula(text: str, at: int) -> Span | None:
    """The formula that begins at text[at], if one does.

    `$...$` touches its content on both sides and is not followed by a digit, so "$5 and $10" stays
    money; `$$...$$` may run over lines. Neither crosses a blank line; `\\$` neither opens nor closes.
    """
    if text[at : at + 1] != "$":
        return None
    mark = "$$" if text.startswith("$$", at) else "$"
    start = at + len(mark)
    if mark == "$" and (start >= len(text) or text[start].isspace()):
        return None
    blank = _PARAGRAPH_END.search(text, start)
    limit = blank.start() if blank else len(text)
    end = start
    while end < limit:
        if text[end] == "\\":
            end += 2
        elif text.startswith(mark, end) and end > start and _may_close(text, end, mark):
            kind: Kind = "display" if mark == "$$" else "math"
            return Span(kind, at, end + len(mark), text[start:end])
        else:
            end += 1
    return None


def _may_close(text: str, at: int, mark: str) -> bool:
    if mark == "$$":
        return True
    return not text[at - 1].isspace() and not text[at + 1 : at + 2].isdigit()


def _fence(text: str, at: int) -> Span | None:
    opening = FENCE.match(text, at)
    if opening is None:
        return None
    start = at_line = min(opening.end() + 1, len(text))
    while at_line < len(text):
        newline = text.find("\n", at_line)
        line_end = len(text) if newline < 0 else newline
        if closes(text[at_line:line_end], opening["mark"]):
            return Span("fence", at, line_end, text[start:at_line])
        at_line = line_end + 1
    return Span("fence", at, len(text), text[start:])


def _inline_code(text: str, at: int) -> Span | None:
    width = _run(text, at)
    blank = _PARAGRAPH_END.search(text, at)
    limit = blank.start() if blank else len(text)
    look = at + width
    while (look := text.find("`", look, limit)) >= 0:
        run = _run(text, look)
        if run == width:
            return Span("code", at, look + run, text[at + width : look])
        look += run
    return None


def _run(text: str, at: int) -> int:
    end = at
    while text[end : end + 1] == "`":
        end += 1
    return end - at


def _run_of_dollars(text: str, at: int) -> int:
    return 2 if text.startswith("$$", at) else 1

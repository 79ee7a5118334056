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
_UNTIL_DOLLAR = re.compile(r"(?:[^\\$]|\\.)*", re.DOTALL)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")


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
    while at < len(text):
        span = _fence(text, at) if at == 0 or text[at - 1] == "\n" else None
        if span is None:
            stop = _STOP.search(text, at)
            if stop is None:
                break
            at = stop.start()
            span = _inline_code(text, at) if text[at] == "`" else formula(text, at)
        if span is not None:
            found.append(span)
        at = span.end if span else at + _idle(text, at)
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
    content = _UNTIL_DOLLAR.match(text, start)
    end = content.end() if content else start
    if end == start or not text.startswith(mark, end) or _PARAGRAPH_END.search(text, start, end):
        return None
    after = text[end + len(mark) : end + len(mark) + 1]
    if mark == "$" and (text[start].isspace() or text[end - 1].isspace() or after.isdigit()):
        return None
    return Span("display" if mark == "$$" else "math", at, end + len(mark), text[start:end])


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


def _idle(text: str, at: int) -> int:
    """How many signs from text[at] on open nothing."""
    if text[at] == "`":
        return _run(text, at)
    if text.startswith("$$", at) or (text[at] == "\\" and text[at + 1 : at + 2] != "\n"):
        return 2
    return 1

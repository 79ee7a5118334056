"""The lines of a deck file, taken apart into front matter and cards of named fields.

Only the names listed here start a field, only at the start of a line, and never inside a fence: any
other line belongs to the text above it. A space in front makes text of a line that looks like a field.
"""

import re
from dataclasses import dataclass, field
from difflib import get_close_matches

from app.library.errors import DeckError
from app.library.spans import FENCE, closes

STARTS = ("Q", "C", "S")
TEXTS = ("A", "model", "say")
VALUES = (
    "id", "kind", "level", "core", "tags", "demo", "expect", "source", "answer", "tolerance", "time",
    "params", "wrong", "right", "next", "was", "copied", "retired", "stage", "point", "hear", "doubt",
)  # fmt: skip
REPEATED = ("expect", "wrong", "right", "stage", "point", "hear", "doubt")
DECK_FIELDS = ("deck", "title", "demo")

_POINT = r"point(?:[ \t]+(?P<arg>[^\s:]+))?"
_STAGE = r"stage(?:[ \t]+(?P<stage>[^:]+))?"
_NAMES = "|".join((*STARTS, *TEXTS, *(name for name in VALUES if name not in ("stage", "point"))))
_FIELD = re.compile(rf"(?P<name>{_NAMES}|{_STAGE}|{_POINT}):(?:[ \t]+(?P<value>.*))?$")
_INDENTED = re.compile(r"[ \t]+(?P<name>hear|doubt):(?:[ \t]+(?P<value>.*))?$")
_LIKE_A_FIELD = re.compile(r"\s*(?P<name>[A-Za-z]+)(?P<gap>[ \t]*):(?P<rest>\S?)")
_ALMOST = re.compile(
    r"(?P<name>(?i:id|kind|level|core|tags?|demo|expects?|tolerance|params|point[ \t]+\w+))[ \t]*:(?!:)"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(slots=True)
class Field:
    """One field as it stands in the file: its name, a point's own id, its text, its first line."""

    name: str
    arg: str
    line: int
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines[self._blank_lines :]).rstrip()

    @property
    def text_line(self) -> int:
        """The line where `text` begins: below the name, where nothing stands beside it."""
        return self.line + self._blank_lines

    @property
    def _blank_lines(self) -> int:
        return next((n for n, line in enumerate(self.lines) if line.strip()), 0)


@dataclass(slots=True)
class Block:
    """One card as it stands in the file. Broken: its last fence is open, so its rest is not known."""

    line: int
    fields: list[Field] = field(default_factory=list)
    broken: bool = False

    @property
    def takes_text(self) -> bool:
        return self.fields[-1].name in STARTS + TEXTS


@dataclass(slots=True)
class Source:
    """A deck file taken apart. Whatever is wrong with its lines is in `errors`."""

    has_head: bool
    head: list[Field]
    blocks: list[Block]
    errors: list[DeckError]


def take_apart(text: str, path: str) -> Source:
    """Splits the text of a deck (its line ends unified) into front matter and cards."""
    source = Source(False, [], [], [])
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if sign := _CONTROL.search(line):
            problem = f"the line holds the control character U+{ord(sign[0]):04X}"
            source.errors.append(DeckError(path, number, problem, "delete it."))
    start = _head(lines, path, source)
    _cards(lines, start, path, source)
    return source


def _head(lines: list[str], path: str, source: Source) -> int:
    """Reads the front matter; returns the index of the first line after it."""
    first = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    if first == len(lines):
        source.errors.append(DeckError(path, 1, "the file is empty", _FRONT_MATTER))
        return first
    if lines[first].rstrip() != "---":
        source.errors.append(DeckError(path, first + 1, "the front matter is missing", _FRONT_MATTER))
        return first
    source.has_head = True
    for index in range(first + 1, len(lines)):
        line = lines[index].rstrip()
        if line == "---":
            return index + 1
        name, colon, value = line.partition(":")
        if colon and name in DECK_FIELDS:
            source.head.append(Field(name, "", index + 1, [value.strip()]))
        elif line and _FIELD.match(line):
            break
        elif line:
            fix = f"write deck:, title: or demo:, each on its own line, and close with ---.{_near(line)}"
            source.errors.append(DeckError(path, index + 1, f'"{_short(line)}" is no field of a deck', fix))
    source.errors.append(
        DeckError(path, first + 1, "the front matter is not closed", "end it with a line ---.")
    )
    return next((n for n in range(first + 1, len(lines)) if _FIELD.match(lines[n])), len(lines))


_FRONT_MATTER = "begin the file with ---, then deck: and title:, then ---."


def _cards(lines: list[str], start: int, path: str, source: Source) -> None:
    fence: str | None = None
    fence_line = 0
    block: Block | None = None
    for number, line in enumerate(lines[start:], start=start + 1):
        begun = _field(line, number, block) if fence is None else None
        if begun is not None:
            if begun.name in STARTS:
                block = Block(number)
                source.blocks.append(block)
            assert block is not None
            block.fields.append(begun)
        elif block is not None and block.takes_text:
            block.fields[-1].lines.append(line)
            if fence is None and _ALMOST.match(line):
                source.errors.append(_almost(path, number, line))
        elif line.strip():
            source.errors.append(_stray(path, number, line, block))
        if block is None or not block.takes_text:
            continue
        if fence is not None:
            fence = None if closes(line, fence) else fence
        elif opening := FENCE.match(begun.lines[0] if begun else line):
            fence, fence_line = opening["mark"], number
    if fence is not None and block is not None:
        fix = f"close it with a line {fence}."
        source.errors.append(DeckError(path, fence_line, "the code fence is not closed", fix))
        block.broken = True


def _field(line: str, number: int, block: Block | None) -> Field | None:
    found = _FIELD.match(line)
    if found is None and block is not None and block.fields[-1].name in ("point", "hear", "doubt"):
        found = _INDENTED.match(line)
    if found is None or (block is None and found["name"] not in STARTS):
        return None
    name = found["name"].split()[0]
    named = found.groupdict()
    arg = named.get("arg") or named.get("stage") or ""
    return Field(name, arg, number, [found["value"] or ""])


def _stray(path: str, number: int, line: str, block: Block | None) -> DeckError:
    where = f"after {block.fields[-1].name}:" if block else "before the first card"
    problem = f'stray text {where} "{_short(line)}"'
    fix = (
        "a field ends with its line; text goes under Q:, A:, C: or S:."
        if block
        else "begin with Q:, C: or S:."
    )
    return DeckError(path, number, problem, fix + _near(line))


def _almost(path: str, number: int, line: str) -> DeckError:
    problem = f'"{_short(line)}" looks like a field and is none'
    fix = "write its name in small letters, a colon and a space; or put a space before it to keep it as text."
    return DeckError(path, number, problem, fix + _near(line))


def _near(line: str) -> str:
    """A guess at the field that was meant, where the line looks like one."""
    like = _LIKE_A_FIELD.match(line)
    if like is None:
        return ""
    known = {name.lower(): name for name in (*STARTS, *TEXTS, *VALUES, *DECK_FIELDS)}
    near = get_close_matches(like["name"].lower(), known, n=1, cutoff=0.7)
    return f' Or did you mean "{known[near[0]]}: "?' if near else ""


def _short(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= 40 else line[:39] + "…"

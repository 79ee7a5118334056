"""A primer: a page of text about one topic, as a Markdown file. Its text in, frozen data out. No I/O and no clock.

A file has front matter and Markdown. Three kinds of paragraph mean more than in Markdown: a figure, a fence that shows
blocks of a demo's result, and headings, which begin at the second level, since the title is the first.

>>> parse_primer(text, "content/primers/04-mask.md").parts[0].kind
'heading'
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeVar

from markdown_it.token import Token
from markupsafe import Markup

from app.library.errors import DeckError, DeckErrors
from app.library.markdown import parser
from app.library.render import dead_links, formula_errors, plain, render
from app.library.text import nfc, unify
from app.library.values import BadValue, NoteId, deck_name, ident, idents

T = TypeVar("T")

FIELDS: Final = ("primer", "title", "deck", "lead", "ladder", "source")
NEEDED: Final = {
    "primer": "mask",
    "title": "The causal mask",
    "deck": "attention/mask",
    "lead": "One sentence on what the page is about.",
    "source": "Vaswani et al. 2017, section 3.2.3",
}
WORDS_A_MINUTE: Final = 200  # with formulas and figures among them

_FIGURE = re.compile(
    r'!\[(?P<alt>(?:(?!\]\().)*)\]\(figure:(?P<name>[^\s)]+)(?:\s+"(?P<caption>(?:[^"\\]|\\.)*)")?\)',
    re.DOTALL,
)
_NUMBERED = re.compile(r"\d+-(?P<name>.+)")
_NO_SIGN = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` is 2 or 3; `anchor` its id on the page."""

    kind: ClassVar = "heading"
    level: int
    html: Markup
    anchor: str


@dataclass(frozen=True, slots=True)
class Prose:
    kind: ClassVar = "prose"
    html: Markup


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure by its name, with what it shows in words."""

    kind: ClassVar = "figure"
    name: str
    alt: str
    caption: Markup
    line: int


@dataclass(frozen=True, slots=True)
class DemoBlocks:
    """The blocks `show` of the result of a demo line."""

    kind: ClassVar = "demo"
    demo: str
    show: tuple[str, ...]
    line: int


Part = Heading | Prose | Picture | DemoBlocks


@dataclass(frozen=True, slots=True)
class Primer:
    """A primer whole. `ladder` are the ids of three notes; `words` counts what is read; `lines` the front matter's."""

    name: str
    title: str
    deck: str
    lead: Markup
    ladder: tuple[NoteId, ...]
    source: Markup
    path: str
    parts: tuple[Part, ...]
    words: int
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def minutes(self) -> int:
        """How long it takes to read, at least one."""
        return max(1, round(self.words / WORDS_A_MINUTE))

    @property
    def figures(self) -> tuple[Picture, ...]:
        return tuple(part for part in self.parts if isinstance(part, Picture))

    @property
    def demos(self) -> tuple[DemoBlocks, ...]:
        return tuple(part for part in self.parts if isinstance(part, DemoBlocks))

    def line_of(self, name: str) -> int:
        """The line of a field of the front matter, or the first line."""
        return self.lines.get(name, 1)


def parse_primer(text: str, path: str) -> Primer:
    """Reads the text of a primer's file. Raises DeckErrors with every mistake in it."""
    made = _Reader(path)
    lines = unify(text).split("\n")
    start = made.head(lines)
    values = made.values()
    parts = tuple(made.body(lines, start))
    if made.errors:
        raise DeckErrors(made.errors)
    return Primer(
        name=values["primer"],
        title=values["title"],
        deck=values["deck"],
        lead=render(values["lead"], inline=True),
        ladder=made.ladder,
        source=render(values["source"], inline=True),
        path=path,
        parts=parts,
        words=made.words,
        lines=made.lines,
    )


class _Reader:
    """Reads one file; what is wrong gathers in `errors`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.errors: list[DeckError] = []
        self.fields: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.ladder: tuple[NoteId, ...] = ()
        self.words = 0
        self.anchors: set[str] = set()

    def wrong(self, line: int, problem: str, fix: str) -> None:
        self.errors.append(DeckError(self.path, line, problem, fix))

    def head(self, lines: list[str]) -> int:
        """Reads the front matter; returns the index of the first line after it."""
        if lines[0].rstrip() != "---":
            self.wrong(
                1, "the front matter is missing", f"begin with ---, then {', '.join(FIELDS)}, then ---."
            )
            return 0
        for at, line in enumerate(lines[1:], start=1):
            if line.rstrip() == "---":
                return at + 1
            name, colon, value = line.partition(":")
            if colon and name in FIELDS:
                if name in self.fields:
                    self.wrong(at + 1, f"{name}: stands twice in the front matter", "keep one of them.")
                self.fields[name], self.lines[name] = nfc(value.strip()), at + 1
            elif line.strip():
                fix = f"write {', '.join(FIELDS)}, each on a line of its own, and close with ---."
                self.wrong(at + 1, f'"{line.strip()[:40]}" is no field of a primer', fix)
        self.wrong(1, "the front matter is not closed", "end it with a line ---.")
        return len(lines)

    def values(self) -> dict[str, str]:
        """The fields of the front matter, checked."""
        for name, example in NEEDED.items() if self.fields else ():
            if not self.fields.get(name):
                problem = f"the front matter has no {name}"
                self.wrong(self.lines.get(name, 1), problem, f"add a line {name}: {example}")
        for name in ("lead", "source", "title"):
            self._text(self.fields.get(name, ""), self.lines.get(name, 1))
        if called := self._read("primer", ident):
            self._named(called)
        self.fields["deck"] = self._read("deck", deck_name) or ""
        self.ladder = self._read("ladder", idents) or ()
        return self.fields

    def _read(self, name: str, read: Callable[[str], T]) -> T | None:
        try:
            return read(self.fields[name]) if self.fields.get(name) else None
        except BadValue as bad:
            self.wrong(self.lines[name], bad.problem, bad.fix)
            return None

    def _named(self, name: str) -> None:
        """A primer is called as its file is, without the number."""
        stem = self.path.rpartition("/")[2].removesuffix(".md")
        numbered = _NUMBERED.fullmatch(stem)
        if (numbered["name"] if numbered else stem) != name:
            problem = f'the primer "{name}" stands in a file called {stem}.md'
            self.wrong(self.lines["primer"], problem, f"rename the file, as in 04-{name}.md, or the primer.")

    def body(self, lines: list[str], start: int) -> Iterator[Part]:
        """The parts of the Markdown below the front matter, in their order."""
        tokens = parser().parse("\n".join(lines[start:]))
        prose: list[str] = []
        since = start
        for at, token in enumerate(tokens):
            if token.level or token.nesting < 0 or token.map is None:
                continue
            first, last = token.map[0] + start, token.map[1] + start
            special = self._special(token, tokens[at + 1].content if token.nesting else "", first + 1)
            if special is None:
                since = since if prose else first
                prose += lines[since + len(prose) : last]
                continue
            if prose:
                yield self._prose("\n".join(prose), since + 1)
                prose = []
            if not isinstance(special, str):
                yield special
        if prose:
            yield self._prose("\n".join(prose), since + 1)
        if not self.words and not self.errors:
            self.wrong(start + 1, "the primer has no text", "write some below the front matter.")

    def _special(self, token: Token, inline: str, line: int) -> "Part | str | None":
        """The part that a block is, or None where it is prose; "" for one with a mistake."""
        if token.type == "heading_open":
            return self._heading(len(token.markup) if "#" in token.markup else 1, inline, line)
        if token.type == "fence" and token.info.split()[:1] == ["demo"]:
            return self._demo(token.content, line)
        if token.type == "paragraph_open" and "](figure:" in inline:
            return self._figure(inline, line)
        return None

    def _heading(self, level: int, text: str, line: int) -> Part | str:
        if level not in (2, 3):
            self.wrong(line, f'the heading "{text[:40]}" is of level {level}', "begin it with ## or ###.")
            return ""
        self._text(text, line)
        self.words += len(plain(text).split())
        anchor = base = "at-" + (_NO_SIGN.sub("-", plain(text).lower()).strip("-") or "heading")
        number = 1
        while anchor in self.anchors:
            number += 1
            anchor = f"{base}-{number}"
        self.anchors.add(anchor)
        return Heading(level, render(text, inline=True), anchor)

    def _demo(self, content: str, line: int) -> Part | str:
        given = [text.strip() for text in content.split("\n") if text.strip()]
        shown = given[1].removeprefix("show:").strip() if len(given) > 1 else ""
        if len(given) != 2 or not given[1].startswith("show:") or not shown:
            fix = "write a demo line, and below it show: with the ids of its blocks."
            self.wrong(line, "a demo needs two lines", fix)
            return ""
        return DemoBlocks(given[0], tuple(dict.fromkeys(shown.replace(",", " ").split())), line)

    def _figure(self, inline: str, line: int) -> Part | str:
        found = _FIGURE.fullmatch(inline.strip())
        if found is None or not found["alt"].strip():
            fix = 'write ![what it shows, in words](figure:name "Caption.") as a paragraph of its own.'
            self.wrong(line, "the figure cannot be read", fix)
            return ""
        caption = (found["caption"] or "").replace('\\"', '"')
        self._text(caption, line)
        self.words += len(plain(caption).split())
        return Picture(found["name"], " ".join(found["alt"].split()), render(caption, inline=True), line)

    def _prose(self, text: str, line: int) -> Prose:
        self._text(text, line)
        self.words += len(plain(text).split())
        return Prose(render(text))

    def _text(self, text: str, line: int) -> None:
        for found in formula_errors(text):
            self.wrong(line + found.line, found.problem, found.fix)
        for target in dead_links(text):
            problem = f'the link to "{target}" would not work in a primer'
            self.wrong(line, problem, "give a whole address, with https:.")

"""Figures: SVG files of the house, read strictly and made ready to stand in a page. Pure.

A figure has no colour of its own: its classes say what a thing is (a query, a key, a value, masked), and
static/css/primers.css says how that looks, light and dark. Its ids get the figure's name in front, so that two figures
on one page never share one.
"""

import re
from dataclasses import dataclass, field
from html import escape
from typing import Final
from xml.parsers import expat

from markupsafe import Markup

from app.library.errors import DeckError, DeckErrors

WIDTH: Final = 360  # units across, so that a phone shows them at their size
MOST: Final = 100_000  # characters, many times what a drawing by hand has: it is part of its page

_CLASSES = """
    f-query f-key f-value f-masked f-box f-wash f-line f-arrow f-tip f-dash
    f-text f-small f-strong f-q f-k f-v f-m
"""
_SHAPES = "path rect circle ellipse line polyline polygon"
_ATTRIBUTES = """
    id class d x y x1 y1 x2 y2 cx cy r rx ry dx dy width height points transform pathLength viewBox
    text-anchor dominant-baseline font-size letter-spacing textLength lengthAdjust xml:space
    stroke-width stroke-dasharray stroke-linecap stroke-linejoin vector-effect
    marker-start marker-mid marker-end clip-path href preserveAspectRatio
    refX refY markerWidth markerHeight markerUnits orient patternUnits patternContentUnits patternTransform
"""
CLASSES: Final = frozenset(_CLASSES.split())
SHAPES: Final = frozenset(_SHAPES.split())
ELEMENTS: Final = SHAPES | {
    "svg", "g", "defs", "title", "desc", "text", "tspan", "marker", "pattern", "clipPath", "symbol", "use",
}  # fmt: skip
TOLD: Final = ("title", "desc")
ATTRIBUTES: Final = frozenset(_ATTRIBUTES.split())
NO_COLOUR: Final = ("fill", "stroke")  # may be "none" and nothing else
DROPPED: Final = ("role", "aria-labelledby", "aria-describedby", "xmlns")  # what the page says itself
_SVG: Final = "http://www.w3.org/2000/svg"

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ID = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_POINTER = re.compile(r"url\(#([^)]*)\)")
_BOX = re.compile(rf"0 0 {WIDTH} [1-9]\d{{0,3}}(\.\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: `inner` is what stands within its <svg>, `about` the id of the text that describes it."""

    name: str
    title: str
    view_box: str
    about: str
    inner: Markup


@dataclass(slots=True)
class _Reader:
    """What has been read so far. `told` gathers the words of title and desc."""

    name: str
    path: str
    parser: expat.XMLParserType
    made: list[str] = field(default_factory=list)
    errors: list[DeckError] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    pointers: list[tuple[int, str]] = field(default_factory=list)
    told: dict[str, str] = field(default_factory=dict)
    view_box: str = ""
    about: str = ""

    def wrong(self, problem: str, fix: str) -> None:
        self.errors.append(DeckError(self.path, self.parser.CurrentLineNumber, problem, fix))

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        nested = bool(self.open)
        self.open.append(tag)
        if tag not in ELEMENTS or (tag == "svg") is nested:
            problem = f"<{tag}> may not stand {'in a figure' if nested else 'outside of <svg>'}"
            self.wrong(problem, "use shapes, text, markers and patterns within one <svg>.")
            return
        if not nested:
            self._frame(attributes)
            return
        if tag in TOLD:
            self.told.setdefault(tag, "")
        given = self._attributes(tag, attributes)
        if tag == "desc" and len(self.open) == 2:  # the figure's own, not that of a part
            self.about = given.setdefault("id", self._scoped("desc"))
        if "f-masked" in attributes.get("class", "").split() and tag in SHAPES:
            given["fill"] = f"url(#{self._scoped('hatch')})"
        written = "".join(f' {name}="{escape(value)}"' for name, value in given.items())
        self.made.append(f"<{tag}{written}>")

    def end(self, tag: str) -> None:
        self.open.pop()
        if self.open and tag in ELEMENTS:
            self.made.append(f"</{tag}>")

    def text(self, words: str) -> None:
        if self.open and self.open[-1] in TOLD:
            self.told[self.open[-1]] += words
        if self.open and self.open[-1] not in (*TOLD, "text", "tspan") and words.strip():
            self.wrong(f'the text "{words.strip()[:30]}" stands outside of <text>', "put it into a <text>.")
        elif len(self.open) > 1:
            self.made.append(escape(words, quote=False))

    def doctype(self, *_: object) -> None:
        self.wrong("a figure has no DOCTYPE", "delete it.")

    def _frame(self, attributes: dict[str, str]) -> None:
        """The <svg> itself, which the page writes."""
        self.view_box = " ".join(attributes.get("viewBox", "").replace(",", " ").split())
        if not _BOX.fullmatch(self.view_box):
            problem = f'the viewBox is "{self.view_box}"'
            self.wrong(problem, f'write viewBox="0 0 {WIDTH} H", with H for the height.')
        if attributes.get("xmlns", _SVG) != _SVG:
            self.wrong("xmlns is not that of SVG", "leave it out.")
        for name in attributes.keys() - {"viewBox", "id", "class", "width", "height", *DROPPED}:
            self._refuse(name)

    def _attributes(self, tag: str, attributes: dict[str, str]) -> dict[str, str]:
        made = {}
        for name, value in attributes.items():
            if name in DROPPED:
                continue
            if name in NO_COLOUR and value == "none":
                made[name] = value
            elif name in NO_COLOUR or name not in ATTRIBUTES:
                self._refuse(name)
            else:
                made[name] = self._value(tag, name, " ".join(value.split()))
        return made

    def _refuse(self, name: str) -> None:
        fix = "delete it."
        if name in (*NO_COLOUR, "style", "opacity", "fill-opacity", "stroke-opacity"):
            fix = f"give a class instead: {', '.join(sorted(CLASSES))}."
        self.wrong(f"the attribute {name} may not stand in a figure", fix)

    def _value(self, tag: str, name: str, value: str) -> str:
        if name == "id":
            if not _ID.fullmatch(value):
                self.wrong(f'the id "{value}" is no plain name', "use letters, digits and hyphens.")
            if value in self.ids:
                self.wrong(f'the id "{value}" stands twice', "give each thing an id of its own.")
            self.ids.add(value)
            return self._scoped(value)
        if name == "class" and (unknown := set(value.split()) - CLASSES):
            self.wrong(f"the class {min(unknown)} is not known", f"use {', '.join(sorted(CLASSES))}.")
        if name == "href":
            return f"#{self._pointed(value.removeprefix('#'), value.startswith('#') and tag == 'use')}"
        if "url" in value.lower() or name in ("marker-start", "marker-mid", "marker-end", "clip-path"):
            inside = _POINTER.fullmatch(value)
            return f"url(#{self._pointed(inside[1] if inside else value, inside is not None)})"
        return value

    def _pointed(self, wanted: str, sound: bool) -> str:
        if sound:
            self.pointers.append((self.parser.CurrentLineNumber, wanted))
        else:
            self.wrong(
                f'"{wanted[:40]}" leads out of the figure', "point at an id of this file, as url(#id)."
            )
        return self._scoped(wanted)

    def _scoped(self, name: str) -> str:
        return f"fig-{self.name}--{name}"

    def check(self) -> None:
        for line, wanted in self.pointers:
            if wanted not in self.ids:
                self.errors.append(
                    DeckError(self.path, line, f'no thing here has the id "{wanted}"', "mend the name.")
                )
        for tag, what in (("title", "names"), ("desc", "describes")):
            if not self.told.get(tag, "").strip():
                problem, fix = f"the figure has no <{tag}>", f"add one that {what} what it shows."
                self.errors.append(DeckError(self.path, 1, problem, fix))


def read_figure(text: str, name: str, path: str) -> Figure:
    """The figure in an SVG file. Raises DeckErrors, with file, line and fix."""
    parser = expat.ParserCreate()
    reader = _Reader(name, path, parser)
    if not _NAME.fullmatch(name):
        fix = "use small letters and digits, joined by single hyphens."
        raise DeckErrors([DeckError(path, 1, f'the figure\'s name "{name}" is not a plain one', fix)])
    if len(text) > MOST:
        fix = f"draw it with at most {MOST:,}."
        raise DeckErrors([DeckError(path, 1, f"the figure has {len(text):,} characters", fix)])
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.buffer_text = True
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        said = expat.errors.messages[error.code] if error.code in expat.errors.messages else str(error)
        raise DeckErrors(
            [DeckError(path, error.lineno, f"the SVG does not parse: {said}", "mend it there.")]
        ) from None
    reader.check()
    if reader.errors:
        raise DeckErrors(reader.errors)
    hatch = (
        f'<defs><pattern id="fig-{name}--hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect class="f-hatch-under" width="6" height="6"/>'
        '<path class="f-hatch" d="M3 0V6"/></pattern></defs>'
    )
    inner = hatch * ("--hatch)" in "".join(reader.made)) + "".join(reader.made).strip()
    title = " ".join(reader.told["title"].split())
    return Figure(name, title, reader.view_box, reader.about, Markup(inner))  # noqa: S704  (each part was escaped)

"""A card's Markdown as safe HTML, and as plain text for search and for what is read out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import nh3
from markdown_it.token import Token
from markupsafe import Markup

from app.library.markdown import parser
from app.library.math import BadFormula, to_mathml, to_text
from app.library.spans import spans

Html = Markup

_HTML = "a blockquote br code em h3 h4 h5 h6 hr i b li mark ol p pre s span strong table tbody td th thead tr u ul"
_MATHML = (
    "math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace "
    "msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none"
)
_MATH_ATTRIBUTES = (
    "accent accentunder columnspan depth display displaystyle fence form height largeop linethickness lspace "
    "mathvariant maxsize minsize movablelimits notation rowspan rspace scriptlevel separator stretchy symmetric "
    "voffset width"
)
_SCHEMES = ("http:", "https:", "mailto:")
_CLEANER = nh3.Cleaner(
    tags={*_HTML.split(), *_MATHML.split()},
    attributes={
        "*": {"class"},
        "a": {"href", "title"},
        "ol": {"start"},
        "pre": {"tabindex"},
        **{tag: set(_MATH_ATTRIBUTES.split()) for tag in _MATHML.split()},
        "math": {*_MATH_ATTRIBUTES.split(), "tabindex"},
    },
    url_schemes={scheme.rstrip(":") for scheme in _SCHEMES},
    url_relative="deny",
)
_LONE_DOLLAR = re.compile(r"(?<![\\$])\$(?:\$|(?=[^\s\d.,;:!?)]))")


@dataclass(frozen=True, slots=True)
class FormulaError:
    """A formula that does not render: `line` counts from 0 within its text."""

    line: int
    problem: str
    fix: str


@lru_cache(maxsize=512)
def render(markdown: str, *, inline: bool = False) -> Html:
    """HTML that may stand in a page as it is; never raises, never holds a script or an inline style.

    With `inline` there is no paragraph around it: for titles and list entries. A formula that does
    not render is shown as it was written.
    """
    drawn = parser().renderInline(markdown) if inline else parser().render(markdown)
    return Markup(_CLEANER.clean(drawn).strip())  # noqa: S704  (cleaned in this very line)


@lru_cache(maxsize=512)
def plain(markdown: str) -> str:
    """The words alone: no marks, formulas as one line, "blank" for a gap."""
    lines = "".join(_words(parser().parse(markdown))).split("\n")
    return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)


def formula_errors(markdown: str) -> tuple[FormulaError, ...]:
    """Every formula of a text that does not render, and every $ that opens one and never closes it."""
    found = []
    free = 0
    for span in (*spans(markdown), None):
        for lone in _LONE_DOLLAR.finditer(markdown, free, span.start if span else len(markdown)):
            problem, fix = (
                "a formula begins with $ and does not end",
                r"close it with $, or write \$ for a dollar.",
            )
            found.append(FormulaError(markdown.count("\n", 0, lone.start()), problem, fix))
        if span is None:
            break
        free = span.end
        if span.kind in ("math", "display"):
            try:
                to_mathml(span.body, display=span.kind == "display")
            except BadFormula as bad:
                found.append(FormulaError(markdown.count("\n", 0, span.start), bad.problem, bad.fix))
    return tuple(found)


def dead_links(markdown: str) -> tuple[str, ...]:
    """The targets of links that a page leaves out: only http, https and mailto lead out of a card."""
    inline = (child for token in parser().parse(markdown) for child in token.children or ())
    targets = (str(token.attrs.get("href", "")) for token in inline if token.type == "link_open")
    return tuple(target for target in targets if not target.lower().startswith(_SCHEMES))


def _words(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        match token.type:
            case "inline":
                yield from _words(token.children or ())
            case "math" | "math_display":
                yield to_text(token.content)
            case "math_block":
                yield to_text(token.content) + "\n"
            case "cloze_open" if token.meta["blank"]:
                yield "[blank: " if token.meta["hint"] else "[blank"
            case "cloze_close" if token.meta["blank"]:
                yield "]"
            case "softbreak" | "hardbreak":
                yield " "
            case "td_close" | "th_close":
                yield " "
            case _:
                yield token.content
                if token.block and token.nesting <= 0:
                    yield "\n"

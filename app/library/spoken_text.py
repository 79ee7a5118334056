"""A card's sides as they are read aloud: a line of plain words for each paragraph. Pure.

They are made from the HTML that the page shows, so a showing's own numbers are read, and of a cloze what is hidden is a
"blank". `say:` of a card stands in for the side whose formulas could not be read out as they are written. What has to
be seen is only named: a table, a block of code. What is often said and wrong is left out; it is read with its reason.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, TreeBuilder

from app.library.render import render
from app.library.spoken_math import math_words

_VOID = frozenset({"br", "hr"})
_BLOCKS = frozenset(
    (
        "blockquote",
        "div",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "table",
        "tr",
        "ul",
    )
)
_SEEN = {"table": "A table is on the card.", "pre": "Code is on the card."}
_ASKED = ("cloze", "spoken")  # kinds whose own sentence `say:` reads, since they have no other to be learned

_UNITS = {
    "KiB": "kibibytes",
    "MiB": "mebibytes",
    "GiB": "gibibytes",
    "TiB": "tebibytes",
    "µs": "microseconds",
}
_PROSE: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(rf"(?<=\d)\s?({'|'.join(_UNITS)})\b"), lambda unit: f" {_UNITS[unit[1]]}"),
    (re.compile(r"(?<=\d)\s?ms\b"), " milliseconds"),
    (re.compile(r"(?<=\w)/s\b"), " per second"),
    (re.compile(r"\bFLOP/B\b"), "FLOP per byte"),
    (re.compile(r"(?<=\d)/(?=\d)"), " over "),
    (re.compile(r"(?<=\w)/(?=\w)"), " "),
    (re.compile(r"\s/\s"), " over "),
    (re.compile(r"\s?=\s?"), " equals "),
    (re.compile(r"\s?%"), " percent"),
    (re.compile(r"(?<=\d)×(?=\W|$)"), " times"),
    (re.compile(r"\s?×\s?"), " by "),
    (re.compile(r"\s?[·⋅]\s?"), " times "),
    (re.compile(r"(?<=\d)\s?–\s?(?=\d)"), " to "),
    (re.compile(r"\s[–—]\s"), ", "),
    (re.compile(r"[–—]"), " "),
    (re.compile(r"−(?=\d)"), "minus "),
    (re.compile(r"\s?(?:→|->)\s?"), " to "),
    (re.compile(r"\s?…"), ", and so on"),
    (re.compile(r"\$(\d[\d.,]*\d|\d)"), r"\1 dollars"),
    (re.compile(r"√"), "the root of "),
    (re.compile(r"≈\s?"), "about "),
    (re.compile(r"≤\s?"), "at most "),
    (re.compile(r"≥\s?"), "at least "),
    (re.compile(r"✗\s?|[\\{}$_*]"), " "),
)
_CODE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\.\.\."), " and so on "),
    (re.compile(r"(?<=[A-Za-z)\]])\.(?=[A-Za-z])|^\.(?=[A-Za-z])"), " dot "),
    (re.compile(r"(?<=[\w.])e([+-]?)(\d+)\b"), r" e \1\2"),
    (re.compile(r"(?<=\w)\(\s*\)"), " "),
    (re.compile(r"(?<=\w)\("), " of "),
    (re.compile(r"\)\s*(?=[A-Za-z])"), ", "),
    (re.compile(r"=="), " equals "),
    (re.compile(r"<="), " at most "),
    (re.compile(r">="), " at least "),
    (re.compile(r"!="), " is not "),
    (re.compile(r"\+="), " plus equals "),
    (re.compile(r"->"), " to "),
    (re.compile(r"="), " equals "),
    (re.compile(r"\*\*"), " to the "),
    (re.compile(r"[@*]"), " times "),
    (re.compile(r"//?"), " over "),
    (re.compile(r"\+"), " plus "),
    (re.compile(r"(?<![A-Za-z])-|-(?=\d)"), " minus "),
    (re.compile(r"<"), " less than "),
    (re.compile(r">"), " greater than "),
    (re.compile(r"~"), "not "),
    (re.compile(r"\|"), " or "),
    (re.compile(r"&"), " and "),
    (re.compile(r"%"), " modulo "),
    (re.compile(r"[\\{}$_()\[\]\"'#`^!]"), " "),
)


def question(html: str, say: str, kind: str, card_id: str) -> str:
    """What is read of a card's question."""
    return spoken(render(say) if say and _asks(kind, card_id) else html)


def answer(html: str, say: str, kind: str, card_id: str) -> str:
    """What is read of a card's answer."""
    return spoken(render(say) if say and not _asks(kind, card_id) else html)


def _asks(kind: str, card_id: str) -> bool:
    """Whether `say:` reads the question: of a reversed card that is the answer that was written."""
    return kind in _ASKED or (kind == "reverse" and card_id.endswith(".r"))


@lru_cache(maxsize=512)
def spoken(html: str) -> str:
    """Sanitised HTML as lines to be read aloud, one for each paragraph."""
    lines = (_tidy(line) for line in "".join(_words(_tree(html))).split("\n"))
    return "\n".join(line if line.rstrip(')”’"')[-1:] in ".!?:;" else f"{line}." for line in lines if line)


def code_words(code: str) -> str:
    """A few words of code, as one engineer says them to another."""
    return _tidy(_replaced(code, _CODE))


def _words(node: Element) -> Iterator[str]:
    """The words within a node, with a line's end around every block."""
    classes = node.get("class", "").split()
    if node.tag in _SEEN:
        yield f"\n{_SEEN[node.tag]}\n"
    elif "wrong" in classes:
        return
    elif node.tag == "math":
        yield math_words(node)
    elif node.tag == "code":
        yield code_words("".join(node.itertext()))
    elif "cloze-blank" in classes:
        yield _blank(node)
    elif node.tag == "br":
        yield "\n"
    else:
        edge = "\n" if node.tag in _BLOCKS else ""
        yield edge
        if node.tag == "li" and node.get("data-letter"):
            yield f"{node.get('data-letter')}: "
        yield _prose(node.text)
        for child in node:
            yield from _words(child)
            yield _prose(child.tail)
        yield edge


def _blank(gap: Element) -> str:
    """ "blank", and the hint that stands in it."""
    hint = Element("span")
    hint.extend(list(gap)[1:])
    hint.text = ((gap[0].tail if len(gap) else gap.text) or "").lstrip("[…")
    told = "".join(_words(hint)).strip(" ]?.\n")
    return f"blank, {told}, " if told else "blank"


def _tree(html: str) -> Element:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root()


class _Reader(HTMLParser):
    """Reads what the sanitiser wrote, in which every tag has its end."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._builder = TreeBuilder()
        self._builder.start("root", {})
        self._letters: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given: dict[str, str] = {name: value or "" for name, value in attrs}
        if tag in ("ol", "ul"):
            self._letters.append(ord("A") if given.get("type") == "A" else 0)
        elif tag == "li" and self._letters and self._letters[-1]:
            given["data-letter"] = chr(self._letters[-1])
            self._letters[-1] += 1
        self._builder.start(tag, given)
        if tag in _VOID:
            self._builder.end(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("ol", "ul") and self._letters:
            self._letters.pop()
        if tag not in _VOID:
            self._builder.end(tag)

    def handle_data(self, data: str) -> None:
        self._builder.data(data)

    def root(self) -> Element:
        self._builder.end("root")
        return self._builder.close()


def _prose(text: str | None) -> str:
    return _replaced((text or "").replace("\n", " "), _PROSE)


def _replaced(text: str, signs: tuple[tuple[re.Pattern[str], object], ...]) -> str:
    for sign, words in signs:
        text = sign.sub(words, text)  # type: ignore[call-overload]
    return text


def _tidy(line: str) -> str:
    """Spaces and marks as a sentence has them."""
    line = " ".join(line.split())
    line = re.sub(r"\s+([,.;:!?])", r"\1", line)
    line = re.sub(r",+(?=[,.;:!?])", "", line)
    return line.strip(" ,;")

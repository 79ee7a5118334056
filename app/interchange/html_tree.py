"""HTML of whatever kind as a tree of tags and texts. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

import nh3

DROPPED = {"script", "style", "head", "title", "template", "noscript", "button"}
BLOCKS = {
    "address", "article", "blockquote", "center", "dd", "details", "div", "dl", "dt", "figure", "footer", "h1", "h2",
    "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section", "summary", "table", "tbody",
    "tfoot", "thead", "tr", "ul",
}  # fmt: skip
_VOID = {"br", "embed", "hr", "img"}
_INLINE = {
    "a",
    "anki-mathjax",
    "b",
    "br",
    "code",
    "em",
    "i",
    "kbd",
    "samp",
    "span",
    "strong",
    "sub",
    "sup",
    "tt",
    "u",
}
_CELLS = {"td", "th"}
_MEDIA = {"audio", "embed", "iframe", "img", "object", "video"}
_CLEANER = nh3.Cleaner(
    tags=BLOCKS | _INLINE | _CELLS | _MEDIA,
    clean_content_tags=DROPPED,
    attributes={"a": {"href"}} | {tag: {"src", "data", "alt"} for tag in _MEDIA},
    link_rel=None,
)


@dataclass
class Node:
    tag: str
    attributes: dict[str, str]
    children: "list[Node | str]" = field(default_factory=list)

    @property
    def raw(self) -> str:
        """Its text as it stands, breaks as lines."""
        parts = []
        for child in self.children:
            if isinstance(child, str):
                parts.append(child)
            elif child.tag == "br":
                parts.append("\n")
            elif child.tag not in DROPPED:
                parts.append(child.raw + ("\n" if child.tag in ("div", "p") else ""))
        return "".join(parts)

    def below(self, tag: str) -> "Iterator[Node]":
        """The nodes of this tag in it, down to the next table."""
        for child in self.children:
            if isinstance(child, Node):
                if child.tag == tag:
                    yield child
                elif child.tag != "table":
                    yield from child.below(tag)


def tree(html: str) -> Node:
    """Tags as a tree, as a browser would read them.

    A browser's parser (html5ever, in nh3) makes well-formed HTML of it first: Python's own takes minutes over a few
    thousand tags that are not closed.
    """
    reader = _Reader()
    reader.feed(_CLEANER.clean(html))
    reader.close()
    return reader.root


class _Reader(HTMLParser):
    DEEPEST = 60

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in _VOID and len(self.open) < self.DEEPEST:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if len(self.open) > 1 and self.open[-1].tag == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

"""HTML of whatever kind as a tree of tags and texts. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

DROPPED = {"script", "style", "head", "title", "template", "noscript", "button"}
BLOCKS = {
    "address", "article", "blockquote", "center", "dd", "details", "div", "dl", "dt", "figure", "footer", "h1", "h2",
    "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section", "summary", "table", "tbody",
    "tfoot", "thead", "tr", "ul",
}  # fmt: skip
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_ENDS = {  # a tag, those that it ends, and those beyond which it ends nothing
    "li": (("li",), ("ul", "ol")),
    "p": (("p",), ("li", "td", "th", "div", "blockquote")),
    "td": (("td", "th"), ("table",)),
    "th": (("td", "th"), ("table",)),
    "tr": (("tr",), ("table",)),
}


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
    """Tags as a tree. One that is not closed ends with what holds it, one that was not opened is nothing."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root


class _Reader(HTMLParser):
    DEEPEST = 60

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_before(tag)
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in _VOID and len(self.open) < self.DEEPEST:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        at = next((at for at in range(len(self.open) - 1, 0, -1) if self.open[at].tag == tag), 0)
        if at:
            del self.open[at:]

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def _end_before(self, tag: str) -> None:
        """End what HTML lets stand open: a new <li> ends the one before, a new <td> the cell, and so on."""
        ended, within = _ENDS.get(tag, ((), ()))
        for at in range(len(self.open) - 1, 0, -1):
            if self.open[at].tag in within:
                return
            if self.open[at].tag in ended:
                del self.open[at:]

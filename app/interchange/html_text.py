r"""The HTML of somebody else's card as our Markdown. Pure, and it takes any HTML: what it does not know it passes over.

Formulas (\( \), \[ \], [$], [latex]) become $ $ and $$ $$, or code where they do not render here. Gaps stay.
Pictures and sounds are not taken: their names stand where they were. Scripts and styles go.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape

from app.interchange.html_tree import BLOCKS, DROPPED, Node, tree
from app.interchange.signs import BREAK, around, escaped, link, shielded, ticked
from app.library.math import BadFormula, to_mathml

_CODE = {"code", "kbd", "samp", "tt"}
_STRONG, _SLANTED = {"b", "strong"}, {"em", "i"}
_MEDIA = {"img", "audio", "video", "object", "embed", "iframe"}


def _between(opens: str, name: str, closes: str) -> str:
    """What stands between two marks, and holds no other opening one: of many unclosed ones each would be read on."""
    return f"{opens}(?P<{name}>(?:(?!{opens}).)*?){closes}"


_FORMULA = re.compile(
    "|".join(
        (
            _between(r"\\\(", "a", r"\\\)"),
            _between(r"\\\[", "A", r"\\\]"),
            _between(r"\[\$\]", "b", r"\[/\$\]"),
            _between(r"\[\$\$\]", "B", r"\[/\$\$\]"),
            _between(r"\[latex\]", "c", r"\[/latex\]"),
            _between(r'<anki-mathjax\s[^<>]*block="?true[^<>]*>', "D", "</anki-mathjax>"),
            _between(r"<anki-mathjax[^<>]*>", "d", "</anki-mathjax>"),
        )
    ),
    re.DOTALL | re.IGNORECASE,
)
_SOUND = re.compile(r"\[sound:([^\]\n]*)\]|\[anki:[^\]\n]*\]")
_TAG = re.compile(r"<[^<>]*>")
_OPEN = re.compile(r"\{\{c(\d+)::", re.IGNORECASE)
_NO_GAP = r"(?:(?!\{\{c\d|\}\}).)*?"
_GAP = re.compile(rf"\{{\{{c(\d+)::({_NO_GAP})\}}\}}", re.DOTALL | re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ue000-\ue003]")
_HELD, _END = "\ue001", "\ue002"  # what is put aside, and its end
_PUT_ASIDE = re.compile(f"{_HELD}(\\d+){_END}")


@dataclass
class Taken:
    """What a text came to, and what of it is not as it was: files that were left, formulas that do not render here."""

    text: str = ""
    media: list[str] = field(default_factory=list)
    as_code: int = 0
    merged: int = 0  # formulas that held gaps, and are hidden whole now


def markdown(html: str, *, gaps: bool = False) -> Taken:
    """Our Markdown for `html`; with `gaps` its {{c1::...}} stay gaps, else they are text."""
    taken = Taken()
    html = _CONTROL.sub("", html.replace("\r\n", "\n").replace("\r", "\n"))
    aside: list[str] = []
    writer = _Writer(taken, aside, gaps)
    if gaps:
        html = _flat(html)
    html = _FORMULA.sub(writer.formula, html)
    html = _SOUND.sub(lambda found: writer.sound(found[1]), html)
    text = "\n\n".join(writer.blocks(tree(html).children))
    taken.text = _PUT_ASIDE.sub(lambda found: aside[int(found[1])], text).strip()
    if gaps:
        taken.text = _GAP.sub(lambda gap: re.sub(r"\s*\\?\n\s*", " ", gap[0]), taken.text)
    return taken


def words(html: str) -> str:
    """The text alone, in one line: for tags of a table, titles and answers to type."""
    bare = re.sub(r"<br\s*/?>|</(?:div|p|li|tr)>", " ", html, flags=re.IGNORECASE)
    return " ".join(_CONTROL.sub("", unescape(_TAG.sub("", bare))).split())


def _flat(html: str) -> str:
    """Without gaps inside gaps: the outer one stays. As Anki reads it: the first }} ends the innermost."""
    made: list[str] = []
    depth = at = 0
    for mark in re.finditer(r"\{\{c\d+::|\}\}", html, re.IGNORECASE):
        made.append(html[at : mark.start()])
        at = mark.end()
        if mark[0] != "}}":
            made.append(mark[0].lower() if depth == 0 else "")
            depth += 1
        else:
            made.append("}}" if depth <= 1 else "")
            depth = max(0, depth - 1)
    return "".join(made) + html[at:]


class _Writer:
    """Nodes as Markdown. What must not be touched any more waits in `aside`, a mark in its place."""

    def __init__(self, taken: Taken, aside: list[str], gaps: bool) -> None:
        self.taken, self.aside, self.gaps = taken, aside, gaps

    def formula(self, found: re.Match[str]) -> str:
        name = str(found.lastgroup)
        tex = unescape(_TAG.sub("", re.sub(r"<br\s*/?>|</div>|</p>", "\n", found[name], flags=re.IGNORECASE)))
        numbers = [int(number) for number in _OPEN.findall(tex)] if self.gaps else []
        if numbers:
            self.taken.merged += 1
            tex = _GAP.sub(lambda gap: gap[2].partition("::")[0], tex)
        tex = re.sub(
            r"(?<!\\)%[^\n]*", "", _PUT_ASIDE.sub("", tex)
        )  # a comment ends with its line, and lines are joined
        tex = " ".join(tex.split()).replace("{=", "{ =")
        if name == "c":  # [latex] holds a whole text, most often $...$ or \begin{...}
            tex = tex.strip("$").removeprefix(r"\[").removesuffix(r"\]").strip()
        made = self._hold(self._rendered(tex, display=name.isupper()))
        return f"{{{{c{min(numbers)}::{made}}}}}" if numbers else made

    def sound(self, name: str | None) -> str:
        if name is None:
            return ""
        self.taken.media.append(name)
        return self._hold(escaped(f"[sound: {name}]"))

    def blocks(self, children: Sequence[Node | str]) -> list[str]:
        made: list[str] = []
        run: list[Node | str] = []
        for child in (*children, None):
            if child is not None and not (isinstance(child, Node) and self._is_block(child)):
                run.append(child)
                continue
            made += self._paragraphs(self._inline(run))
            run = []
            if child is not None:
                made += self._block(child) if isinstance(child, Node) else []
        return made

    def _is_block(self, node: Node) -> bool:
        """Whether it, or what it holds, stands on lines of its own: <b><div>...</div></b> is common."""
        return node.tag in BLOCKS or (
            node.tag not in DROPPED | _CODE
            and any(isinstance(c, Node) and self._is_block(c) for c in node.children)
        )

    def _paragraphs(self, text: str) -> list[str]:
        lines = [line.strip(" \t\n\u00a0") for line in text.split(BREAK)]
        parts = re.split(r"\n{2,}", "\n".join(lines).strip("\n"))
        return [shielded(part) for part in parts if part]

    def _block(self, node: Node) -> list[str]:
        special = {"pre": self._pre, "ul": self._list, "ol": self._list, "table": self._table}
        if node.tag in special:
            return special[node.tag](node)
        if node.tag == "hr":
            return ["***"]
        if re.fullmatch("h[1-6]", node.tag):
            title = self._line(node)
            return [f"{'#' * int(node.tag[1])} {title}"] if title else []
        inner = self.blocks(node.children)
        if node.tag != "blockquote" or not inner:
            return inner
        return ["\n".join(f"> {line}".rstrip() for line in "\n\n".join(inner).split("\n"))]

    def _pre(self, node: Node) -> list[str]:
        code = node.raw.strip("\n")
        if not code.strip():
            return []
        if self.gaps and _OPEN.search(code):  # no gap begins in a fence: lines of code, then
            return ["\\\n".join(self._code(line) or "\u00a0" for line in code.split("\n"))]
        code = _PUT_ASIDE.sub(lambda found: self.aside[int(found[1])], code)
        ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
        return [
            "\n".join((ticks, *map(self._hold, code.split("\n")), ticks))
        ]  # line by line: a list indents them

    def _list(self, node: Node) -> list[str]:
        items = [child for child in node.children if isinstance(child, Node)]
        rows = []
        for number, item in enumerate(items, start=1):
            mark = f"{number}. " if node.tag == "ol" else "- "
            inner = "\n".join(self.blocks([item] if item.tag in ("ul", "ol") else item.children))
            rows.append(mark + inner.replace("\n", "\n" + " " * len(mark)))
        return ["\n".join(rows)] if rows else []

    def _table(self, node: Node) -> list[str]:
        rows = [
            [self._cell(cell) for cell in row.children if isinstance(cell, Node) and cell.tag in ("td", "th")]
            for row in node.below("tr")
        ]
        rows = [row for row in rows if row]
        if not rows:
            return self.blocks([child for child in node.children if isinstance(child, str)])
        width = max(map(len, rows))
        drawn = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in rows]
        return ["\n".join((drawn[0], "|" + " --- |" * width, *drawn[1:]))]

    def _cell(self, node: Node) -> str:
        return self._line(node).replace("|", "\\|")

    def _line(self, node: Node) -> str:
        return " ".join(self._inline(node.children).replace(BREAK, " ").split())

    def _inline(self, children: Sequence[Node | str], marked: frozenset[str] = frozenset()) -> str:
        return "".join(
            self._text(child) if isinstance(child, str) else self._span(child, marked) for child in children
        )

    def _text(self, text: str) -> str:
        return escaped(re.sub(r"[ \t\n]+", " ", text), gaps=self.gaps)

    def _span(self, node: Node, marked: frozenset[str]) -> str:
        if node.tag in DROPPED:
            return ""
        if node.tag == "br":
            return BREAK
        if node.tag in _MEDIA:
            return self._media(node)
        if node.tag in _CODE or node.tag == "pre":
            return self._code(" ".join(node.raw.split()))
        sign = "**" if node.tag in _STRONG else "*" if node.tag in _SLANTED else ""
        return _dressed(node, self._inline(node.children, marked | {sign} if sign else marked), sign, marked)

    def _media(self, node: Node) -> str:
        name = node.attributes.get("src") or node.attributes.get("data") or node.tag
        self.taken.media.append(name[:200])
        return self._hold(escaped(f"[picture: {node.attributes.get('alt') or name}]"[:200]))

    def _code(self, code: str) -> str:
        """Code in a line; a gap in it parts it, since no gap begins inside code."""
        code = _PUT_ASIDE.sub(lambda found: self.aside[int(found[1])], code)
        if not self.gaps:
            return self._hold(ticked(code))
        made, at = [], 0
        for gap in _GAP.finditer(code):
            inner, _, told = gap[2].partition("::")
            hint = f"::{escaped(told, gaps=True)}" if told else ""
            before, hidden = self._hold(ticked(code[at : gap.start()])), self._hold(ticked(inner))
            made += [before, f"{{{{c{gap[1]}::", hidden, hint, "}}"]
            at = gap.end()
        return "".join((*made, self._hold(ticked(code[at:]))))

    def _rendered(self, tex: str, *, display: bool) -> str:
        """The formula in our signs; code where it does not render here."""
        if not tex:
            return ""
        try:
            to_mathml(tex, display=display)
        except (BadFormula, RecursionError):
            self.taken.as_code += 1
            return ticked(tex)
        tex = tex.replace("$", r"\$") if "$" in tex.replace(r"\$", "") else tex
        return f"$${tex}$$" if display else f"${tex}$"

    def _hold(self, text: str) -> str:
        if not text:
            return ""
        self.aside.append(text)
        return f"{_HELD}{len(self.aside) - 1}{_END}"


def _dressed(node: Node, inner: str, sign: str, marked: frozenset[str]) -> str:
    """What a tag makes of the text in it; most make nothing."""
    if node.tag in ("sub", "sup") and inner.strip():
        return ("\\_" if node.tag == "sub" else "^") + inner.strip()
    if node.tag == "a":
        return link(inner, node.attributes.get("href", ""))
    if node.tag in BLOCKS:  # in a cell or a title, where all stands in one line
        return f" {inner} "
    return around(inner, sign) if sign and sign not in marked else inner

r"""Markdown as a field of an Anki note: plain HTML, formulas in \( \) and \[ \], gaps as {{c1::hidden::hint}}. Pure.

Anki ends a gap at the first }} and divides it at the first ::, also within a formula or code. So in a cloze }} of a
formula is parted, as Anki's manual wants it, and braces and colons of other text become references.
"""

import re
from collections.abc import Sequence
from html import escape

from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from app.library import cloze
from app.library.breaks import NO_BREAK
from app.library.cloze import Gap
from app.library.markdown import CardRenderer, parser
from app.library.render import plain

_ROLE = re.compile(r"\\(?:q|k|v|masked)(?![A-Za-z])")  # our colours, which no other MathJax knows


def field(markdown: str) -> str:
    """The HTML of a text without gaps."""
    return _drawn(parser().parse(markdown), {"gaps": None})


def cloze_field(markdown: str) -> str:
    """The HTML of a cloze's text, its gaps as Anki writes them. Raises BadCloze."""
    pieces = cloze.parse(markdown)
    gaps = [piece for piece in pieces if isinstance(piece, Gap)]
    faces = "".join(piece if isinstance(piece, str) else "{{=" + piece.text + "}}" for piece in pieces)
    tokens = parser().parse(faces)
    if _opened(tokens) == len(gaps):
        return _drawn(tokens, {"gaps": iter(gaps)})
    # A gap that lies across blocks, which no renderer draws: its words, then, with the gaps that are asked.
    return "".join(_text(p) if isinstance(p, str) else _gap(p, _text(p.text)) for p in pieces).strip()


def _drawn(tokens: Sequence[Token], env: EnvType) -> str:
    html = FieldRenderer().render(tokens, parser().options, env)
    return html.replace(NO_BREAK, " ").strip()


def _opened(tokens: Sequence[Token]) -> int:
    return sum((token.type == "cloze_open") + _opened(token.children or ()) for token in tokens)


def _gap(gap: Gap, inner: str) -> str:
    hint = f"::{_braced(escape(plain(gap.hint), quote=False))}" if gap.hint else ""
    return "{{" + f"c{gap.number}::{inner}{hint}" + "}}"


def _text(markdown: str) -> str:
    return _braced(escape(markdown, quote=False)).replace("\n", "<br>")


def _braced(html: str) -> str:
    """Text in which no gap can begin, be divided or end."""
    return html.replace("{{", "{&#123;").replace("}", "&#125;").replace("::", ":&#58;")


class FieldRenderer(CardRenderer):
    """Markdown's HTML without our classes. env["gaps"] is None outside a cloze, else gives its gaps in their order."""

    def math(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return rf"\({_tex(tokens[idx].content, env)}\)"

    def math_display(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return rf"\[{_tex(tokens[idx].content, env)}\]"

    def math_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return rf"<p>\[{_tex(tokens[idx].content, env)}\]</p>" + "\n"

    def cloze_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        env["gap"] = next(env["gaps"]) if env["gaps"] else None
        return "{{" + f"c{env['gap'].number}::" if env["gap"] else ""

    def cloze_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        gap = env["gap"]
        return _gap(gap, "").removeprefix("{{" + f"c{gap.number}::") if gap else ""

    def span_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return ""  # it keeps a formula and a full stop together, by a class of ours

    span_close = span_open

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return _escaped(tokens[idx].content, env)

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<code>{_escaped(tokens[idx].content, env)}</code>"

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<pre><code>{_escaped(tokens[idx].content, env)}</code></pre>\n"

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return self.fence(tokens, idx, options, env)


def _tex(latex: str, env: EnvType) -> str:
    tex = _ROLE.sub("", latex)
    if env["gaps"]:
        while "}}" in tex:
            tex = tex.replace("}}", "} }")
        while "{{" in tex:
            tex = tex.replace("{{", "{ {")
    html = escape(tex, quote=False)
    return html.replace("::", ":&#58;") if env["gaps"] else html


def _escaped(text: str, env: EnvType) -> str:
    html = escape(text, quote=False)
    return _braced(html) if env["gaps"] else html

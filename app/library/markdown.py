"""The Markdown of cards: CommonMark and tables, with formulas and the two signs of a cloze's face.

Raw HTML is text. Formulas and code reach no other rule, so `$a*b*c$` holds no italics.
"""

from collections.abc import Sequence
from functools import lru_cache
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from app.library import cloze
from app.library.breaks import keep_together
from app.library.math import BadFormula, to_mathml
from app.library.spans import formula


class CardRenderer(RendererHTML):
    """HTML for what Markdown itself does not know. The names of the methods are those of the tokens."""

    def math(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return _formula(tokens[idx].content, display=False)

    def math_display(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return _formula(tokens[idx].content, display=True)

    def math_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return _formula(tokens[idx].content, display=True) + "\n"

    def cloze_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        meta = tokens[idx].meta
        if not meta["blank"]:
            return '<mark class="cloze">'
        said = "blank, hint: " if meta["hint"] else "blank "
        shown = "[" if meta["hint"] else "[…"
        return f'<span class="cloze cloze-blank"><span class="visually-hidden">{said}</span>{shown}'

    def cloze_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "]</span>" if tokens[idx].meta["blank"] else "</mark>"

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return highlighted(tokens[idx].content, "") + "\n"


def _formula(latex: str, *, display: bool) -> str:
    try:
        drawn = to_mathml(latex, display=display)
    except BadFormula:
        mark = "$$" if display else "$"
        return f'<code class="m-source">{escape(mark + latex + mark)}</code>'
    # On a phone a wide one is moved sideways: by keys, too, where it can be focused, as code can.
    return drawn.replace("<math ", '<math tabindex="0" ', 1) if display else drawn


@lru_cache(maxsize=1)
def parser() -> MarkdownIt:
    """The one parser; it keeps nothing between texts."""
    options = {"html": False, "highlight": highlighted}
    md = MarkdownIt("commonmark", options, renderer_cls=CardRenderer).enable("table")
    md.disable(["image", "html_block", "html_inline"])
    md.inline.ruler.before("emphasis", "math", _math)
    md.inline.ruler.before("emphasis", "cloze", _cloze)
    ends = ["paragraph", "reference", "blockquote", "list"]
    md.block.ruler.before("fence", "math_block", _math_block, {"alt": ends})
    md.core.ruler.push("pages", _fit_pages)
    md.core.ruler.push("breaks", keep_together)
    return md


def highlighted(code: str, language: str, _attributes: str = "") -> str:
    """Code as HTML, its parts marked by Pygments' classes; the block can be reached and scrolled by keys."""
    try:
        marked = highlight(code, get_lexer_by_name(language, stripnl=False), HtmlFormatter(nowrap=True))
    except ClassNotFound:
        marked = escape(code, quote=False)
    return f'<pre class="code" tabindex="0"><code>{marked}</code></pre>'


def _math(state: StateInline, silent: bool) -> bool:
    span = formula(state.src, state.pos)
    if span is None or span.end > state.posMax:
        if not state.src.startswith("$$", state.pos):
            return False
        if not silent:
            state.pending += "$$"
        state.pos += 2
        return True
    if not silent:
        token = state.push("math" if span.kind == "math" else "math_display", "math", 0)
        token.content = span.body
    state.pos = span.end
    return True


def _math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    first = state.bMarks[start] + state.tShift[start]
    if state.is_code_block(start) or not state.src.startswith("$$", first):
        return False
    after = start
    while after < end and not state.isEmpty(after) and state.sCount[after] >= state.blkIndent:
        after += 1
        text = state.getLines(start, after, state.blkIndent, False).strip()
        span = formula(text, 0)
        if span is None:
            continue
        if span.end < len(text):
            return False
        if not silent:
            token = state.push("math_block", "math", 0)
            token.content, token.map = span.body, [start, after]
            state.line = after
        return True
    return False


def _cloze(state: StateInline, silent: bool) -> bool:
    end = cloze.drawn_end(state.src, state.pos, state.posMax)
    if end is None:
        return False
    if not silent:
        whole = state.posMax
        blank = state.src[state.pos + 2] == "?"
        token = state.push("cloze_open", "span" if blank else "mark", 1)
        token.meta = {"blank": blank, "hint": end > state.pos + 3}
        state.pos, state.posMax = state.pos + 3, end
        state.md.inline.tokenize(state)
        state.push("cloze_close", "span" if blank else "mark", -1).meta = token.meta
        state.posMax = whole
    state.pos = end + 2
    return True


def _fit_pages(state: StateCore) -> None:
    """A page has one h1, and no inline style: headings move down, the alignment of cells becomes a class."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"
        align = str(token.attrs.pop("style", ""))
        if align:
            token.attrJoin("class", "text-" + align.rpartition(":")[2])

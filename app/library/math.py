r"""LaTeX to MathML, on the server, without a single inline style.

Pages allow styles from files only (`style-src 'self'`). The converter writes a few inline ones, for the
columns of matrices, rules, sizes and colour: each becomes a class, which static/css/math.css defines.
Colour means something here, so a formula has four, by role: \q{Q} \k{K} \v{V} \masked{-\infty}.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from xml.etree import ElementTree

from math_core import LatexError, LatexToMathML

_ROLES = {  # the name of a colour that the converter knows, what it writes for it, the class it becomes
    "q": ("RoyalBlue", "#0073C0", "role-q"),
    "k": ("YellowOrange", "#FF9F2B", "role-k"),
    "v": ("ForestGreen", "#129F57", "role-v"),
    "masked": ("Gray", "#9B9C9F", "role-mask"),
}
_SIZES = (50, 70, 80, 90, 100, 120, 140, 170, 200, 250)
CLASSES: dict[str, str] = {
    "text-align: left": "m-left",
    "text-align: right": "m-right",
    "justify-items: start": "",
    "justify-items: end": "",
    "padding-left: 0": "m-no-left",
    "padding-right: 0": "m-no-right",
    "padding-left: 1em": "m-apart",
    "padding-left: 0.1em": "m-near-left",
    "padding-right: 0.1em": "m-near-right",
    "padding-top: 0": "m-no-top",
    "padding-bottom: 0": "m-no-bottom",
    "padding-top: 0.1667em": "m-below",
    "width: 100%": "m-whole",
    "width: 50%": "m-half",
    "width: 7.5%": "m-edge",
    "margin-left: -0.16666667em": "m-back-3",
    "margin-left: -0.22222222em": "m-back-4",
    "margin-left: -0.2777778em": "m-back-5",
    "math-shift: compact": "m-cramped",
    "font-variant-caps: small-caps": "m-caps",
    **{
        f"border-{side}: 0.05em {line} currentcolor": f"m-{line}-{side}"
        for side in ("left", "right", "top", "bottom")
        for line in ("solid", "dashed")
    },
    **{f"font-size: {size}%": f"m-size-{size}" for size in _SIZES},
    **{f"color: {written.lower()}": css for _, written, css in _ROLES.values()},
}

APPLY = "\u2061"  # stands between a function and what it is applied to, as in ln n
_STYLE = re.compile(r' style="([^"]*)"')
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+);)\w+;")
_ROOT = re.compile(r"√\([^()]*\)")
_AUTHORS_COLOUR = re.compile(r"\\(?:text)?color\b|\\colorbox\b")


class BadFormula(ValueError):
    """A formula that cannot be shown: the problem, and what to change."""

    def __init__(self, problem: str, fix: str) -> None:
        self.problem, self.fix = problem, fix
        super().__init__(f"{problem}. Fix: {fix}")


@lru_cache(maxsize=4096)
def to_mathml(latex: str, *, display: bool) -> str:
    """One formula as MathML. Raises BadFormula where it does not render, or not within our styles."""
    if colour := _AUTHORS_COLOUR.search(latex):
        raise BadFormula(f"the formula sets a colour with {colour[0]}", r"use \q, \k, \v or \masked.")
    try:
        markup = _converter().convert_with_local_state(latex, displaystyle=display)
    except LatexError as error:
        raise _explained(latex, str(error)) from None
    return _STYLE.sub(lambda style: _classes(style[1]), markup)


def to_text(latex: str) -> str:
    """One formula as a line of text, for search and for what is read out: QK^⊤/√(d_k)."""
    tree = to_tree(latex)
    return latex if tree is None else " ".join(_line(tree).split())


def to_tree(latex: str) -> ElementTree.Element | None:
    """One formula as a tree of MathML; None where it does not render. "&ApplyFunction;" is the sign U+2061."""
    try:
        markup = to_mathml(latex, display=False)
    except BadFormula:
        return None
    named = markup.replace("&ApplyFunction;", APPLY)
    return ElementTree.fromstring(_ENTITY.sub("", named))  # noqa: S314  (what the converter itself wrote)


_LINES: dict[str, Callable[..., str]] = {
    "mfrac": lambda top, bottom: f"{_group(top)}/{_group(bottom)}",
    "mroot": lambda base, degree: f"{degree}√({base})",
    "msub": lambda base, low: f"{base}_{_group(low)}",
    "msup": lambda base, high: f"{base}^{_group(high)}",
    "msubsup": lambda base, low, high: f"{base}_{_group(low)}^{_group(high)}",
}
_LINES |= {"munder": _LINES["msub"], "mover": _LINES["msup"], "munderover": _LINES["msubsup"]}


def _line(node: ElementTree.Element) -> str:
    parts = [_line(child) for child in node]
    if node.tag in _LINES:
        return _LINES[node.tag](*parts)
    if node.tag == "mspace" or (node.tag == "mo" and node.text in (None, APPLY)):
        return " " if node.get("width") or node.get("lspace") else ""
    tails = (child.tail or "" for child in node)
    inner = (node.text or "") + "".join(part + tail for part, tail in zip(parts, tails, strict=True))
    match node.tag:
        case "msqrt":
            return f"√({inner})"
        case "mtd":
            return inner + " "
        case "mtr":
            return inner + "; "
    return inner


def _group(text: str) -> str:
    """In brackets, unless it reads as one thing without them."""
    return text if len(text) == 1 or text.isalnum() or _ROOT.fullmatch(text) else f"({text})"


@lru_cache(maxsize=1)
def _converter() -> LatexToMathML:
    macros = {name: rf"\textcolor{{{colour}}}{{#1}}" for name, (colour, _, _) in _ROLES.items()}
    return LatexToMathML(macros=macros, fancy_error=False)


def _classes(style: str) -> str:
    names = []
    for declaration in filter(None, (part.strip() for part in style.split(";"))):
        name, _, value = declaration.partition(":")
        known = f"{name.strip()}: {value.strip().lower()}"
        if known not in CLASSES:
            raise BadFormula(f'the formula needs the style "{known}", which pages do not allow', _PLAIN)
        names.append(CLASSES[known])
    joined = " ".join(filter(None, names))
    return f' class="{joined}"' if joined else ""


_PLAIN = r"use a plainer command, such as \quad for space."


def _explained(latex: str, message: str) -> BadFormula:
    """From the converter's "9: Expected closing token ..."."""
    offset, _, words = message.partition(": ")
    said = words.strip().rstrip(".")
    near = " ".join(latex[int(offset) :][:20].split()) if offset.isdigit() else ""
    whole = " ".join(latex.split())
    problem = f"the formula ${whole if len(whole) <= 60 else whole[:59] + '…'}$ does not render: "
    problem += said[:1].lower() + said[1:] + (f' (at "{near}")' if near else " (at its end)")
    return BadFormula(problem, "mend the LaTeX there.")

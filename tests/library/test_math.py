"""Formulas become MathML without inline styles, or a sentence that says why not."""

import re
from pathlib import Path

import pytest

from app.library.math import CLASSES, BadFormula, to_mathml, to_text

CSS = Path(__file__).parents[2] / "static" / "css"


@pytest.mark.parametrize(
    ("latex", "classes"),
    [
        (r"\q{Q}\k{K}^\top", {"role-q", "role-k"}),
        (r"\v{V} + \masked{-\infty}", {"role-v", "role-mask"}),
        (r"\begin{aligned}a&=b\\c&=d\end{aligned}", {"m-right", "m-no-right", "m-left", "m-no-left"}),
        (r"\begin{array}{c|c}a&b\\\hline c&d\end{array}", {"m-solid-right", "m-solid-top"}),
        (r"\begin{array}{c:c}a&b\\\hdashline c&d\end{array}", {"m-dashed-right", "m-dashed-top"}),
        (r"\begin{cases}a&b\\c&d\end{cases}", {"m-left", "m-no-right", "m-apart"}),
        (
            r"\begin{align}a&=b\end{align}",
            {"m-whole", "m-half", "m-right", "m-left", "m-no-left", "m-no-right"},
        ),
        (r"\begin{multline}a\\b\end{multline}", {"m-whole", "m-edge", "m-left", "m-right"}),
        (r"\begin{subarray}{c}a\\b\end{subarray}", {"m-no-top", "m-no-bottom"}),
        (r"a\!b\negmedspace c\negthickspace d", {"m-back-3", "m-back-4", "m-back-5"}),
        (r"\cramped{x^2}\text{\textsc{gqa}\small b}", {"m-cramped", "m-caps", "m-size-90"}),
    ],
)
def test_each_inline_style_becomes_a_class(latex: str, classes: set[str]) -> None:
    markup = to_mathml(latex, display=True)
    assert ' style="' not in markup
    assert {name for found in re.findall(r'class="([^"]*)"', markup) for name in found.split()} == classes


def test_every_class_is_defined_in_a_style_sheet() -> None:
    rules = "".join(path.read_text() for path in CSS.glob("*.css"))
    for name in filter(None, CLASSES.values()):
        assert re.search(rf"\.{name}\b", rules), name


@pytest.mark.parametrize(
    ("latex", "problem", "fix"),
    [
        (r"\foo", r"unknown command \"\\foo\" \(at \"\\foo\"\)", "mend the LaTeX"),
        (r"\frac{a}{", r"reached end of input \(at its end\)", "mend the LaTeX"),
        (r"\textcolor{red}{x}", r"sets a colour with \\textcolor", r"\\q, \\k, \\v or \\masked"),
        (r"\hspace{-2em}", r"margin-left: -2em", "a plainer command"),
        (r"\newcommand{\a}{\a}\a", "too many expansions", "mend the LaTeX"),
        (r"\href{javascript:alert(1)}{x}", r"unknown command", "mend the LaTeX"),
    ],
)
def test_a_bad_formula_is_told_in_a_sentence(latex: str, problem: str, fix: str) -> None:
    with pytest.raises(BadFormula, match=f"{problem}.*Fix: .*{fix}") as caught:
        to_mathml(latex, display=False)
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"\frac{QK^\top}{\sqrt{d_k}}", "(QK^⊤)/√(d_k)"),
        (r"\operatorname{softmax}(x)_i", "softmax\u2061(x)_i"),
        (r"\sum_{i=1}^{n} x_i^2", "∑_(i=1)^nx_i^2"),
        (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", "(a b ; c d ; )"),
        (r"\sqrt[3]{x}\quad y", "3√(x) y"),
        (r"\text{a < b}", "a < b"),
        (r"\bad", r"\bad"),
        (r"2\ln n + \ln(n)", "2 ln n+ln(n)"),
    ],
)
def test_a_formula_as_a_line_of_text(latex: str, line: str) -> None:
    assert to_text(latex).replace("\u2061", "") == line.replace("\u2061", "")

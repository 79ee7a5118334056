"""Cards as HTML: safe whatever is written, formulas and code untouched; and as plain words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.library.render import formula_errors, plain, render


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg onload=alert(1)><a href=javascript:alert(1)>x</a></svg>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt&colon;alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:a)",
        '[x](https://a.b "onmouseover=alert(1) \\" x")',
        "<javascript:alert(1)>",
        "![x](javascript:alert(1))",
        "$\\text{<script>alert(1)</script>}$",
        "$\\text{</math><img src=x onerror=alert(1)>}$",
        "$\\foo{<img src=x onerror=alert(1)>}$",
        '```"><img src=x onerror=alert(1)>\n<script>\n```',
        "`<script>`",
        "{{?<img src=x onerror=alert(1)>}} {{=<script>x</script>}}",
        "<math><mtext><style><!--</style><img title='--&gt;<img src=1 onerror=alert(1)>'></mtext></math>",
        "| <b onclick=x> |\n|---|\n| <iframe src=//a> |",
        "[r]: javascript:alert(1)\n\n[r]",
    ],
)
@pytest.mark.parametrize("inline", [False, True])
def test_nothing_that_runs_gets_through(attack: str, inline: bool) -> None:
    html = render(attack, inline=inline)
    assert not re.search(r"<(script|img|svg|iframe|style|object|input)\b", html)
    assert not re.search(r"<[^>]*\s(on\w+|style|src)\s*=", html)
    assert not re.search(r'href="(?!https?:|mailto:)', html)


def test_formulas_reach_no_other_rule() -> None:
    html = render(r"$a*b*c$ and $x_1$ and $y_2$, *but* $5 and $10")
    assert html.count("<math>") == 3
    assert html.count("<em>") == 1
    assert html.endswith("$5 and $10</p>")


def test_display_formulas_keep_signs_that_mean_lists_and_headings() -> None:
    html = render("so\n$$\na\n= b\n- c\n$$\nthen\n\n> $$x$$\n\n- $$\n  y\n  $$\n- z")
    assert html.count('display="block">') == 3
    assert "<h" not in html
    assert html.count("<li>") == 2


def test_an_include_line_survives() -> None:
    for text in ("`#include <bits>`", "```\n#include <bits>\n```", "    #include <bits>"):
        assert "#include &lt;bits&gt;" in render(text)


def test_code_is_marked_by_classes_and_can_be_scrolled_by_keys() -> None:
    html = render("```python\ndef f(x):\n    return x\n```")
    assert html.startswith('<pre class="code" tabindex="0"><code><span class="k">def</span>')
    assert "style=" not in html


def test_a_table_cell_is_aligned_by_a_class() -> None:
    html = render("| a | b |\n|--:|:-:|\n| 1 | $x$ |")
    assert '<td class="text-right">1</td>' in html
    assert "style=" not in html


def test_headings_leave_the_page_its_own() -> None:
    assert render("# a\n\n###### b") == "<h3>a</h3>\n<h6>b</h6>"


def test_the_gap_of_a_cloze_is_a_blank_in_words() -> None:
    html = render("The {{?}} and {{?a `}}`}}.", inline=True)
    assert '<span class="visually-hidden">blank </span>[…]</span>' in html
    assert '<span class="visually-hidden">blank, hint: </span>[a <code>}}</code>]</span>.' in html


def test_what_fills_a_gap_is_marked() -> None:
    html = render("sets {{=$x_{{a}}$ *to*}} {b}", inline=True)
    assert re.fullmatch(r'sets <mark class="cloze"><math>.*</math> <em>to</em></mark> \{b\}', html)


def test_braces_that_are_no_cloze_stay() -> None:
    for text in ("{{ name }}", "{{?", "{{=x", "a }} b", "{?x}"):
        assert render(text, inline=True) == text


def test_a_formula_that_does_not_render_is_shown_as_written() -> None:
    assert render(r"$\foo<$", inline=True) == r'<code class="m-source">$\foo&lt;$</code>'


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        (r"**Why** divide by $\sqrt{d_k}$?", "Why divide by √(d_k)?"),
        ("a\nb\n\n- c\n- `d`", "a b\nc\nd"),
        ("sets {{?}} to {{?a *b*}}", "sets [blank] to [blank: a b]"),
        ("sets {{=x}} to [y](https://a.b)", "sets x to y"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a b\n1 2"),
        ("```py\nx = 1\n```", "x = 1"),
        ("$$\nx\n$$", "x"),
    ],
)
def test_plain_words(markdown: str, words: str) -> None:
    assert plain(markdown) == words


def test_formula_errors_name_their_line() -> None:
    found = formula_errors("fine $x$\n\nbad $\\foo$\n$$\n\\bar\n$$\nopen $y, $5, \\$w\n\n$$u")
    assert [(error.line, error.problem.split(":")[0]) for error in found] == [
        (2, "the formula $\\foo$ does not render"),
        (3, "the formula $\\bar$ does not render"),
        (6, "a formula begins with $ and does not end"),
        (8, "a formula begins with $ and does not end"),
    ]


MARKS = st.text(st.sampled_from("a*_`$\\{}?=[](|)<>&#-~\n \"'1"), max_size=60)


@given(MARKS | st.text(max_size=40))
def test_any_text_renders(text: str) -> None:
    for html in (render(text), render(text, inline=True)):
        assert "style=" not in re.sub(r">[^<]*<", "><", html)
    plain(text)
    formula_errors(text)


def test_a_formula_of_its_own_line_can_be_focused_so_that_keys_move_it_sideways() -> None:
    html = render("One:\n\n$$\na+b\n$$\n\nand $c$.")
    assert html.count("<math") == 2
    assert html.count('tabindex="0"') == 1
    assert 'tabindex="0" display="block"' in html or 'display="block" tabindex="0"' in html

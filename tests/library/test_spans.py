"""What is code or mathematics in a text, and what only looks like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.library.spans import spans


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a $x$ b", [("math", "x")]),
        ("$a*b*c$", [("math", "a*b*c")]),
        ("costs $5 and $10", []),
        ("costs $5, or $n$ times", [("math", "n")]),
        (r"\$x$ and \\$y$", [("math", "y")]),
        (r"$\text{\$}$", [("math", r"\text{\$}")]),
        ("$ x $ and $x $", []),
        ("$x$5", []),
        ("$$a\n= b$$", [("display", "a\n= b")]),
        ("$$a\n\nb$$", []),
        ("`$x$` and `` a`b ``", [("code", "$x$"), ("code", " a`b ")]),
        ("$`a`$", [("math", "`a`")]),
        ("`a $x$", [("math", "x")]),
        ("`a\n\n`", []),
        ("```py\n$x$\n```\n$y$", [("fence", "$x$\n"), ("math", "y")]),
        ("- ~~~\n  ```\n  ~~~\n$y$", [("fence", "  ```\n"), ("math", "y")]),
        ("````\n```\n````", [("fence", "```\n")]),
        ("> ```\n> $x$\n> ```\n$y$", [("fence", "> $x$\n"), ("math", "y")]),
        ("```\nopen $x$", [("fence", "open $x$")]),
        ("```a``` $x$", [("code", "a"), ("math", "x")]),
    ],
)
def test_finds_code_and_formulas(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(span.kind, span.body) for span in spans(text)] == expected


@given(st.text(st.sampled_from("a `$\\\n{}~->5"), max_size=80))
def test_spans_are_ordered_and_never_overlap(text: str) -> None:
    at = 0
    for span in spans(text):
        assert at <= span.start < span.end <= len(text)
        assert span.body in text[span.start : span.end]
        at = span.end

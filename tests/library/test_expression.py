"""The arithmetic of placeholders: what it comes to, and one sentence for whatever is wrong with it."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.library.expression import Row, read
from app.library.values import BadValue

NAMES = {
    "n": 4096,
    "d": 0.5,
    "word": "bf16",
    "model": Row("model", "tiny", {"layers": 2, "latent": None, "title": "Tiny"}),
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 * n / 2**10", 8.0),
        ("n // 100 + n % 100", 40 + 96),
        ("-n + +1", -4095),
        ("max(n, 5, 2**13) - min(1, 2)", 8191),
        ("ceil(7 / 2) + floor(7 / 2) + round(3.6)", 11),
        ("round(2 / 3, 2)", 0.67),
        ("sqrt(n) + log2(n)", 76.0),
        ("model.layers * n", 8192),
        ("1e3", 1000.0),
        ("n", 4096),
    ],
)
def test_arithmetic(text: str, value: float) -> None:
    assert read(text).number(NAMES) == value


def test_words_and_rows_stand_alone() -> None:
    assert read("word").value(NAMES) == "bf16"
    assert read("model.title").value(NAMES) == "Tiny"
    assert read("model").value(NAMES) == NAMES["model"]


@pytest.mark.parametrize(
    ("text", "problem", "fix"),
    [
        ("", "is empty", "2 * n"),
        ("2 n", "is no expression", "products with *"),
        ("(n", "is no expression", "partner"),
        ("n^2", "is no expression", "**"),
        ("modle * 2", 'the name "modle"', "write model"),
        ("zzz", 'the name "zzz"', "params"),
        ("model.heads", 'a model has no "heads"', "layers"),
        ("model.latent", "gives no latent for tiny", "leave tiny out"),
        ("n.layers", '"n" has no "layers"', "only model and gpu"),
        ("model * 2", '"tiny"', "words stand alone"),
        ("word + 1", '"bf16"', "words stand alone"),
        ("1 / (n - 4096)", "divides by zero", "away from 0"),
        ("n % 0", "divides by zero", "away from 0"),
        ("9**9**9", "too large", "1e300"),
        ("10**400", "too large", "1e300"),
        ("1e308 * 10", "too large", "1e300"),
        ("(0 - 8)**0.5", "root of a negative", "0 or above"),
        ("sqrt(0 - 1)", "has no value", "function"),
        ("log2(0)", "has no value", "function"),
        ("sqrt()", "takes one number", "sqrt(n)"),
        ("max(n)", "fewer than two", "max(a, b)"),
        ("exp(n)", 'no function "exp"', "log2"),
        ("131,072", "comma", "without separators"),
        ("n if n else 1", "is no expression", "use numbers"),
        ("1or 2", "is no expression", "use numbers"),
        ("True", "is no expression", "use numbers"),
        ("1j", "is no expression", "use numbers"),
        ("...", "is no expression", "use numbers"),
        ("n + ...", "is no expression", "use numbers"),
        ("n < 2", "is no expression", "use numbers"),
        ("n # 2", "is no expression", "use numbers"),
        ("'a'", "is no expression", "use numbers"),
        ("[n]", "is no expression", "use numbers"),
        ("model.title.upper()", "is no expression", "use numbers"),
        ("().__class__", "is no expression", "use numbers"),
        ("round(n, ndigits=2)", "is no expression", "use numbers"),
        ("max(*n)", "is no expression", "use numbers"),
        ("(" * 148 + "n" + ")" * 149, "is no expression", "partner"),
        ("n" * 400, "400 characters", "301"),
    ],
)
def test_a_mistake_is_one_sentence(text: str, problem: str, fix: str) -> None:
    with pytest.raises(BadValue) as caught:
        read(text).number(NAMES)
    assert problem in caught.value.problem
    assert fix in caught.value.fix


@given(st.text(alphabet="n12.+-*/%(), modelayrs_ifor#'^{}=", max_size=40))
def test_whatever_is_written_gives_a_value_or_a_sentence(text: str) -> None:
    with suppress(BadValue):
        assert isinstance(read(text).value(NAMES), int | float | str | Row)

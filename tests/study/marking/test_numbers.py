"""Numbers as people write them: each spelling gives one exact value, and what has two readings is asked about."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.study.marking.numbers import Unreadable, read


@pytest.mark.parametrize(
    ("text", "value", "rest"),
    [
        ("1024", 1024, ""),
        ("1,024", 1024, ""),
        ("1 024", 1024, ""),
        ("1\u202f024 tokens", 1024, "tokens"),
        ("1'024'000", 1_024_000, ""),
        ("1_024", 1024, ""),
        ("3.2e5", 320_000, ""),
        ("3.2E+5 B", 320_000, "B"),
        ("3.2 x 10^5", 320_000, ""),
        ("3.2·10⁵", 320_000, ""),
        ("5 × 10⁻³ s", Fraction(5, 1000), "s"),
        ("2^30", 2**30, ""),
        ("2**30 B", 2**30, "B"),
        ("2^(10)", 1024, ""),
        ("2³⁰", 2**30, ""),
        ("3/4", Fraction(3, 4), ""),
        ("2 x 80 x 8 x 128 x 2 B", 2 * 80 * 8 * 128 * 2, "B"),
        (".5", Fraction(1, 2), ""),
        ("5.", 5, ""),
        ("−3", -3, ""),
        ("about 43 GB", 43, "GB"),
        ("~ 43 GB", 43, "GB"),
        ("approx. 43", 43, ""),
        ("320k", 320, "k"),
        ("50 %", 50, "%"),
        ("8 FLOP/B", 8, "FLOP/B"),
        ("3 EB", 3, "EB"),
        ("4x", 4, "x"),
    ],
)
def test_a_number_is_read_as_it_is_meant(text: str, value: Fraction | int, rest: str) -> None:
    found = read(text)
    assert (found.value, found.rest) == (value, rest)


@pytest.mark.parametrize("text", ["3,5", "0,125", "1.024,5", "12,3456", "1,02 GiB", "1,024,5"])
def test_a_comma_with_two_readings_is_asked_about(text: str) -> None:
    with pytest.raises(Unreadable, match="two ways; write decimals with a point"):
        read(text)


@pytest.mark.parametrize("text", ["", "many", "GB", "-", "1e999999", "9^999999", "1/0", "0^-1", "9" * 500])
def test_what_is_no_number_says_what_to_write(text: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read(text)
    assert str(refused.value).endswith(".")
    assert "write" in str(refused.value)


def test_the_last_digit_says_how_exact_it_is() -> None:
    assert read("0.83").place == Fraction(1, 100)
    assert read("3.2e5").place == 10_000
    assert read("3.2 x 10^5").place == 10_000
    assert read("2^30").place == 0
    assert (read("0.05").significant, read("0.083").significant) == (1, 2)


def refusal(text: str) -> str:
    """Why a text is no number; "" where it is one."""
    try:
        read(text)
    except Unreadable as refused:
        return str(refused)
    return ""


@given(st.integers(min_value=0, max_value=10**15))
def test_separators_change_nothing(number: int) -> None:
    spelled = f"{number:,}"
    for sign in (",", " ", "\u202f", "'", "_"):
        assert read(spelled.replace(",", sign)).value == number
    assert read(str(number)).value == number


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=6))
def test_decimals_are_exact(number: object) -> None:
    assert read(f"{number:f}").value == Fraction(str(number))


@given(st.text(max_size=60))
def test_whatever_is_written_is_read_or_refused_in_a_sentence(text: str) -> None:
    assert refusal(text)[-1:] in ("", ".")


@given(st.text(alphabet="0123456789.,eE^*/x +-()⁻⁹", max_size=40))
def test_nothing_that_looks_like_arithmetic_takes_long_or_breaks(text: str) -> None:
    try:
        found = read(text)
    except Unreadable:
        return
    assert found.value.numerator.bit_length() <= 1600

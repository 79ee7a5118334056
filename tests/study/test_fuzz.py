"""Bounds as Anki has them, and a draw that repeats."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.study import fuzz


@pytest.mark.parametrize(
    ("interval", "most", "lowest", "middle", "highest"),
    [
        (1.0, 36500, 1, 1, 1),
        (2.49, 36500, 2, 2, 2),
        (2.5, 36500, 2, 3, 4),
        (7, 36500, 5, 7, 9),
        (10, 36500, 8, 10, 12),
        (17, 36500, 14, 17, 20),
        (37, 36500, 33, 37, 41),
        (100, 99, 92, 96, 99),
    ],
)
def test_reference_bounds(interval: float, most: int, lowest: int, middle: int, highest: int) -> None:
    drawn = [fuzz.fuzzed(interval, fraction, most=most) for fraction in (0.0, 0.5, 0.99)]
    assert drawn == [lowest, middle, highest]


def test_not_shorter_than_the_last_interval_where_the_range_allows() -> None:
    assert fuzz.fuzzed(10, 0.0, last=9) == 9
    assert fuzz.fuzzed(10, 0.0, last=40) == 12
    assert fuzz.fuzzed(10, 0.99, last=9) == 12


@given(st.floats(0.1, 40000), st.floats(0, 1, exclude_max=True), st.integers(1, 400), st.integers(1, 36500))
def test_always_between_least_and_most(interval: float, fraction: float, least: int, most: int) -> None:
    assert min(least, most) <= fuzz.fuzzed(interval, fraction, least, most) <= most


@given(st.floats(0.1, 40000), st.floats(0.1, 40000), st.floats(0, 1, exclude_max=True))
def test_a_longer_interval_is_never_drawn_shorter(a: float, b: float, fraction: float) -> None:
    short, long = sorted((a, b))
    assert fuzz.fuzzed(short, fraction) <= fuzz.fuzzed(long, fraction)


def test_the_draw_repeats_and_differs_between_cards_and_answers() -> None:
    assert fuzz.fraction("sqrt-dk", 3) == fuzz.fraction("sqrt-dk", 3)
    draws = {fuzz.fraction(card, reps) for card in ("a", "b", "c") for reps in range(20)}
    assert len(draws) == 60
    assert all(0 <= draw < 1 for draw in draws)
    assert 0.35 < sum(draws) / 60 < 0.65

"""How numbers are written: cells, bytes, shares, columns."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.demos.drawing.numbers import byte_words, cell, column, fixed, percent, runs, short

INF = math.inf


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.168, "0.168"),
        (-INF, "−∞"),
        (math.nan, "NaN"),
        (-0.0001, "0.000"),
        (-1e9, "−1.0e9"),
        (-2.5, "−2.500"),
    ],
)
def test_a_matrix_cell_has_three_decimals(x: float, text: str) -> None:
    assert fixed(x) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (327680, "327,680"),
        (0.16842, "0.1684"),
        (2.1e-7, "2.10e−7"),
        (46.1, "46.1"),
        (1e16, "1.00e16"),
        (0, "0"),
        (-0.5, "−0.5"),
        (INF, "∞"),
    ],
)
def test_other_numbers_have_four_digits(x: float, text: str) -> None:
    assert short(x) == text


def test_bytes_are_given_in_both_countings() -> None:
    assert byte_words(40 * 2**30) == "40 GiB = 42.95 GB"
    assert byte_words(512) == "512 B"


def test_cells_of_tables_read_as_words() -> None:
    assert [cell(v) for v in (True, None, "bf16", 3, "-inf", "8192 x 64")] == [
        "yes",
        "–",
        "bf16",
        "3",
        "−∞",
        "8,192 × 64",
    ]


def test_shares_and_runs() -> None:
    assert percent(1, 3) == "33 %"
    assert percent(0, 0) == "0 %"
    assert runs((0, 1, 2, 5)) == "0–2, 5"


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        ((335544.3, 1342177.28), ["335,544", "1,342,177"]),
        ((3.0517578125e-4, 40, 0.5), ["0.0003052", "40", "0.5"]),
        ((0.4213, 2.1e-7, 0, INF), ["4.21e−1", "2.10e−7", "0", "∞"]),
        ((2.1e-7, 3e-8), ["2.10e−7", "3.00e−8"]),
        ((1024, 2048.7), ["1,024", "2,049"]),
    ],
)
def test_numbers_below_each_other_have_one_style(numbers: tuple[float, ...], texts: list[str]) -> None:
    assert column(numbers) == texts


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=6))
def test_no_column_mixes_plain_numbers_with_exponents(numbers: list[float]) -> None:
    texts = [text for x, text in zip(numbers, column(numbers), strict=True) if x and math.isfinite(x)]
    assert len({"e" in text for text in texts}) <= 1


finite = st.floats(allow_nan=True, allow_infinity=True)


@given(finite)
def test_any_number_can_be_written(x: float) -> None:
    assert all(write(x) for write in (fixed, short, byte_words, cell))

"""Words of sentences: counted nouns, figures that can be read aloud."""

from __future__ import annotations

import pytest

from kernels.words import both_sizes, counted, figure, size


@pytest.mark.parametrize(
    ("n", "nouns", "words"),
    [
        (1, ("head",), "1 head"),
        (0, ("head",), "0 heads"),
        (4096, ("token",), "4,096 tokens"),
        (1, ("query", "queries"), "1 query"),
        (2, ("query", "queries"), "2 queries"),
        (1, ("matrix", "matrices"), "1 matrix"),
    ],
)
def test_a_noun_follows_its_number(n: int, nouns: tuple[str, ...], words: str) -> None:
    assert counted(n, *nouns) == words


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (0, "0"),
        (0.03125, "0.0312"),
        (14.512, "14.5"),
        (99.96, "100"),
        (2743.3, "2,743"),
        (-1e9, "-1,000,000,000"),
    ],
)
def test_a_figure_has_no_power_of_ten(x: float, words: str) -> None:
    assert figure(x) == words


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (2**10, "1.0 KiB"),
        (3 * 2**29, "1.5 GiB"),
        (2**60, "1,024.0 PiB"),
    ],
)
def test_a_size_is_told_in_its_largest_unit(n: int, words: str) -> None:
    assert size(n) == words


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (40 * 2**30, "40.00 GiB = 42.95 GB"),
        (1000, "1,000 bytes = 1.00 kB"),
        (999, "999 bytes"),
        (2**60, "1,024.00 PiB = 1,152.92 PB"),
    ],
)
def test_a_size_is_told_in_both_kinds_of_units(n: int, words: str) -> None:
    assert both_sizes(n) == words

"""The tile grid against the mask itself, cell by cell."""

from __future__ import annotations

import itertools

import pytest

from kernels.tiles import computed, states, visible_pairs

LENGTHS = [(1, 1), (1, 147), (113, 203), (64, 64), (65, 63), (70, 40), (200, 3), (128, 256)]


def sees(i: int, j: int, n_q: int, n_kv: int, causal: bool) -> bool:
    return not causal or j <= i + n_kv - n_q


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("bm", "bn"), [(16, 16), (64, 32), (32, 64), (1, 1)])
@pytest.mark.parametrize(("n_q", "n_kv"), LENGTHS)
def test_a_tile_is_skipped_where_no_cell_is_seen_and_full_where_all_are(
    n_q: int, n_kv: int, bm: int, bn: int, causal: bool
) -> None:
    grid = states(n_q, n_kv, bm=bm, bn=bn, causal=causal)
    assert len(grid) == -(-n_q // bm)
    for (r, row), c in itertools.product(enumerate(grid), range(-(-n_kv // bn))):
        rows, cols = range(r * bm, min((r + 1) * bm, n_q)), range(c * bn, min((c + 1) * bn, n_kv))
        seen = [sees(i, j, n_q, n_kv, causal) for i in rows for j in cols]
        whole = len(cols) == bn
        expected = "full" if all(seen) and whole else "diagonal" if any(seen) else "skipped"
        assert row[c] == expected
    flat = [state for row in grid for state in row]
    assert computed(n_q, n_kv, bm=bm, bn=bn, causal=causal) == len(flat) - flat.count("skipped")


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n_q", "n_kv"), LENGTHS)
def test_visible_pairs_are_counted_exactly(n_q: int, n_kv: int, causal: bool) -> None:
    pairs = sum(sees(i, j, n_q, n_kv, causal) for i in range(n_q) for j in range(n_kv))
    assert visible_pairs(n_q, n_kv, causal) == pairs


def test_a_long_causal_sequence_computes_half_of_its_tiles() -> None:
    share = computed(16384, 16384, bm=128, bn=64, causal=True) / (128 * 256)
    assert 0.5 < share < 0.51

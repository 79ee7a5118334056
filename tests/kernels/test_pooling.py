"""Pooled matrices against a plain loop over their blocks."""

from __future__ import annotations

import math

import pytest
import torch

from kernels.pooling import Pooling, pool_rows, size_for


@pytest.mark.parametrize(
    ("n_q", "n_kv", "size"), [(512, 512, (8, 8)), (8192, 130, (128, 3)), (129, 64, (3, 1)), (1, 65, (1, 2))]
)
def test_blocks_are_as_small_as_fits(n_q: int, n_kv: int, size: tuple[int, int]) -> None:
    assert size_for(n_q, n_kv, 64) == size
    assert -(-n_q // size[0]) <= 64
    assert size[0] == 1 or -(-n_q // (size[0] - 1)) > 64


@pytest.mark.parametrize("pooling", ["mean", "max"])
@pytest.mark.parametrize(("rows", "n", "cols"), [(1, 7, 1), (4, 12, 4), (3, 10, 4), (5, 3, 8)])
def test_a_block_is_its_mean_or_its_largest_also_at_a_ragged_end(
    pooling: Pooling, rows: int, n: int, cols: int
) -> None:
    x = torch.randn(rows, n, generator=torch.Generator().manual_seed(n), dtype=torch.float64)
    blocks = [x[:, start : start + cols] for start in range(0, n, cols)]
    wanted = [float(block.mean() if pooling == "mean" else block.max()) for block in blocks]
    assert pool_rows(x, cols, pooling).tolist() == pytest.approx(wanted, abs=1e-12)


def test_a_mean_leaves_hidden_scores_out_and_a_hidden_block_keeps_its_fill() -> None:
    scores = torch.tensor([[1.0, -math.inf, -math.inf, -math.inf], [2.0, 6.0, -math.inf, -math.inf]])
    seen = torch.isfinite(scores)
    assert pool_rows(scores, 2, "mean", seen).tolist() == [3.0, -math.inf]
    filled = scores.masked_fill(~seen, -10.0)
    assert pool_rows(filled, 2, "mean", seen).tolist() == [3.0, -10.0]

"""Splitting the keys and merging the parts by their log-sum-exps: exact, whatever the splits."""

from __future__ import annotations

import math

import pytest
import torch

from kernels.attention import reference
from kernels.numerics import draw, max_error
from kernels.split_kv import MOST_SPLITS, attend, choose_splits, merge, merge_weights, plan


@pytest.mark.parametrize("cuts", [[37], [0, 37], [1, 36], [10, 10, 17], [37, 0, 0], [1] * 37])
def test_parts_of_any_size_merge_to_the_whole(cuts: list[int]) -> None:
    q, k, v = draw(4, (3, 2, 8), (3, 37, 8), (3, 37, 8), dtype=torch.float64, device="cpu")
    wanted, wanted_lse = reference(q, k, v, 0.3)
    parts = [attend(q, *some, 0.3) for some in zip(k.split(cuts, -2), v.split(cuts, -2), strict=True)]
    merged = merge(torch.stack([p.o for p in parts]), torch.stack([p.lse for p in parts]))
    assert max_error(merged.o, wanted) < 1e-14
    assert max_error(merged.lse, wanted_lse) < 1e-14
    weights = merge_weights(torch.stack([p.lse for p in parts]), merged.lse)
    assert max_error(weights.sum(0), torch.ones(3, 2)) < 1e-14
    assert [bool((w == 0).all()) for w in weights] == [n == 0 for n in cuts]


def test_where_no_part_has_a_key_the_output_is_zero_and_not_nan() -> None:
    o, lse = torch.zeros(3, 2, 4), torch.full((3, 2), -math.inf)
    merged = merge(o, lse)
    assert torch.equal(merged.o, torch.zeros(2, 4))
    assert merged.lse.tolist() == [-math.inf] * 2


def test_the_merge_does_not_overflow_where_exp_of_a_part_would() -> None:
    lse = torch.tensor([1000.0, 1001.0], dtype=torch.float64)[:, None]
    merged = merge(torch.tensor([[[1.0]], [[2.0]]], dtype=torch.float64), lse)
    share = 1 / (1 + math.e)
    assert merged.o.item() == pytest.approx(share + 2 * (1 - share))
    assert merged.lse.item() == pytest.approx(1001 + math.log1p(math.exp(-1)))


@pytest.mark.parametrize("splits", [1, 2, 3, 8])
@pytest.mark.parametrize("bn", [16, 64])
@pytest.mark.parametrize("n_kv", [1, 5, 64, 65, 997])
@pytest.mark.parametrize("window", [None, 1, 40, 5000])
def test_a_plan_covers_every_visible_key_once(n_kv: int, bn: int, splits: int, window: int | None) -> None:
    n_q = min(3, n_kv)
    planned = plan(n_q, n_kv, bn=bn, splits=splits, window=window)
    ranges = list(planned.ranges(n_kv))
    assert len(ranges) == splits
    assert [key for start, end in ranges for key in range(start, end)] == list(range(planned.first, n_kv))
    first_visible = 0 if window is None else max(n_kv - n_q - window + 1, 0)
    assert first_visible - bn < planned.first <= first_visible
    assert all(start % bn == 0 for start, end in ranges if start < end)


def test_short_caches_leave_splits_without_a_key() -> None:
    assert list(plan(1, 130, bn=64, splits=5).ranges(130)) == [
        (0, 64),
        (64, 128),
        (128, 130),
        (130, 130),
        (130, 130),
    ]


@pytest.mark.parametrize(
    ("programs", "tiles", "multiprocessors", "splits"),
    [
        (132, 64, 132, 1),  # the chip is full as it is
        (106, 64, 132, 1),  # four fifths are taken for full
        (8, 64, 132, 16),  # 128 of 132 places; the next fewer that shorten a walk are 13, and fill 104
        (4, 64, 132, 32),
        (1, 4, 132, 4),  # no more splits than tiles
        (1, 64, 132, 64),  # 32 splits would be as long as 33 to 63: two tiles each
        (66, 64, 132, 2),
        (1, 10_000, 132, 108),  # the fewest within 15 % of 127: 128, the most allowed, walk as far
        (1, 1, 132, 1),
    ],
)  # fmt: skip
def test_the_fewest_splits_that_keep_the_chip_busy_are_chosen(
    programs: int, tiles: int, multiprocessors: int, splits: int
) -> None:
    assert choose_splits(programs, tiles, multiprocessors) == splits
    assert splits <= MOST_SPLITS

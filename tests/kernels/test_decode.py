"""The split-KV kernels against float64, by FlashAttention's rule, and against merging in plain PyTorch.

Without a GPU they are interpreted, on a part of the grid; with one, the whole grid runs under the marker `gpu`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels.attention import Rules, attention, reference
from kernels.decode import Tile, config, decode, partials
from kernels.device import settle
from kernels.masks import causal_mask, window_mask
from kernels.numerics import draw, finite_max, lse_rounding, max_error, score_rounding, twice_rule
from kernels.split_kv import merge

DEVICE, INTERPRETED = settle()
HEAD_DIMS = (16, 40, 59, 64, 80, 96, 111, 128, 256)
LENGTHS = ((1, 1), (1, 147), (3, 203), (5, 211), (16, 67), (2, 64), (7, 13))
HEADS = ((2, 2), (6, 2), (5, 1))  # MHA, GQA, MQA
SPLITS = tuple(range(1, 9))
WINDOWS = (None, None, 1, 50)

Case = tuple[int, tuple[int, int], tuple[int, int], int, int | None]


def interpreted_cases() -> Iterator[Case]:
    """Each head size with two lengths; heads, splits and windows take turns."""
    lengths, heads, splits, windows = map(itertools.cycle, (LENGTHS, HEADS, SPLITS, WINDOWS))
    for d in HEAD_DIMS:
        for _ in range(2):
            yield d, next(lengths), next(heads), next(splits), next(windows)
    yield from (
        (64, (4, 2), (4, 1), 2, None),  # two queries that come before every key
        (64, (1, 521), (4, 1), 8, None),
        (64, (16, 20), (5, 1), 2, 7),  # 80 packed rows: several tiles of them
        (32, (1, 5), (2, 1), 60, None),  # far more splits than keys
    )


def name(case: Case) -> str:
    d, (n_q, n_kv), (h_q, h_kv), splits, window = case
    return f"d{d}-{n_q}x{n_kv}-h{h_q}:{h_kv}-s{splits}" + (f"-w{window}" if window else "")


def inputs(case: Case, dtype: torch.dtype, batch: int = 1) -> tuple[Tensor, Tensor, Tensor]:
    d, (n_q, n_kv), (h_q, h_kv), _, _ = case
    kv = (batch, h_kv, n_kv, d)
    q, k, v = draw(7, (batch, h_q, n_q, d), kv, kv, dtype=dtype, device=DEVICE)
    return q, k, v


def seen_by(n_q: int, n_kv: int, window: int | None) -> Tensor:
    causal = causal_mask(n_q, n_kv, device=DEVICE)
    return causal if window is None else causal & window_mask(n_q, n_kv, window, device=DEVICE)


def assert_right(q: Tensor, k: Tensor, v: Tensor, splits: int | None, window: int | None = None) -> None:
    scale = q.size(-1) ** -0.5
    visible = seen_by(q.size(-2), k.size(-2), window)
    got = decode(q, k, v, splits=splits, window=window)
    wanted, wanted_lse = reference(q, k, v, scale, visible)
    float32 = score_rounding(q, k, scale) * finite_max(v)
    rule = twice_rule(got.o, attention(q, k, v, Rules(scale, visible)), wanted, float32)
    assert rule.holds, rule
    assert max_error(got.lse, wanted_lse) <= lse_rounding(q, k, scale, wanted_lse)


@pytest.mark.parametrize("case", list(interpreted_cases()), ids=name)
def test_it_errs_at_most_twice_as_much_as_plain_pytorch(case: Case) -> None:
    assert_right(*inputs(case, torch.float32), case[3], case[4])


@pytest.mark.parametrize("case", list(interpreted_cases())[::5], ids=name)
def test_so_it_does_in_half_precision(case: Case) -> None:
    assert_right(*inputs(case, torch.float16, batch=2), case[3], case[4])


@pytest.mark.gpu
@pytest.mark.skipif(DEVICE != "cuda", reason="needs a CUDA device")
@pytest.mark.parametrize(
    "dtype", [torch.bfloat16, torch.float16, torch.float32], ids=["bf16", "fp16", "fp32"]
)
@pytest.mark.parametrize("d", HEAD_DIMS)
def test_the_whole_grid_on_a_gpu(d: int, dtype: torch.dtype) -> None:
    lengths = (*LENGTHS, (1, 4099), (4, 8191))
    for case in itertools.product((d,), lengths, HEADS, (1, 2, 3, 5, 8), (None, 1, 50, 3000)):
        assert_right(*inputs(case, dtype, batch=2), case[3], case[4])


@pytest.mark.gpu
@pytest.mark.skipif(DEVICE != "cuda", reason="needs a CUDA device")
@pytest.mark.parametrize(("n_q", "group"), [(1, 1), (1, 8), (4, 8), (16, 16)])
@pytest.mark.parametrize("d", [64, 128, 256])
def test_the_number_of_splits_is_chosen_for_the_gpu(d: int, n_q: int, group: int) -> None:
    case = (d, (n_q, 30_011), (2 * group, 2), 0, None)
    assert_right(*inputs(case, torch.bfloat16), None)


@pytest.mark.parametrize("splits", SPLITS)
def test_the_parts_are_those_of_the_plan_and_merge_as_in_pytorch(splits: int) -> None:
    """130 keys are three tiles of 64, so that from 4 splits on some have no key."""
    q, k, v = inputs((32, (3, 130), (4, 2), 0, None), torch.float32)
    setting = Tile(16, 64, 4, 1)
    parts = partials(q, k, v, splits=splits, setting=setting)
    whole = decode(q, k, v, splits=splits, setting=setting)
    merged = merge(parts.o, parts.lse)
    assert max_error(whole.o, merged.o) < 1e-6
    assert max_error(whole.lse, merged.lse) < 2e-6
    empty = (parts.lse == -math.inf).flatten(1).all(1)
    assert int(empty.sum()) == max(splits - 3, 0) if splits != 2 else not empty.any()
    assert torch.equal(parts.o[empty], torch.zeros_like(parts.o[empty]))


def test_a_part_is_attention_over_its_keys_alone() -> None:
    q, k, v = inputs((32, (1, 130), (4, 2), 0, None), torch.float32)
    parts = partials(q, k, v, splits=3, setting=Tile(16, 64, 4, 1))
    for i, keys in enumerate((slice(0, 64), slice(64, 128), slice(128, 130))):
        wanted, wanted_lse = reference(q, k[:, :, keys], v[:, :, keys], 32**-0.5)
        assert max_error(parts.o[i], wanted) < 1e-6
        assert max_error(parts.lse[i], wanted_lse) < 2e-6


def test_a_cache_laid_out_by_tokens_is_read_where_it_lies() -> None:
    """[batch, tokens, heads, d] in memory, longer than what is filled, columns and rows far from contiguous."""
    q, k, v = inputs((48, (2, 53), (4, 2), 0, None), torch.float32, batch=2)
    room = torch.full((2, 64, 2, 2, 96), math.nan, device=DEVICE)
    room[:, :53, 0, :, 24:72], room[:, :53, 1, :, ::2] = k.transpose(1, 2), v.transpose(1, 2)
    k, v = room[:, :53, 0, :, 24:72].transpose(1, 2), room[:, :53, 1, :, ::2].transpose(1, 2)
    q = q.mT.contiguous().mT
    assert not any(x.is_contiguous() for x in (q, k, v))
    assert_right(q, k, v, 3)


@pytest.mark.parametrize("far", ["rows", "columns"])
def test_offsets_beyond_32_bits_do_not_wrap(far: str) -> None:
    """Keys 2^26 elements apart, in memory that is reserved but hardly touched."""
    n, d = 40, 40
    q, k, v = draw(5, (1, 1, 1, d), *[(1, 1, n, d)] * 2, dtype=torch.float16, device=DEVICE)
    room = torch.empty(n * 2**26, dtype=torch.float16, device=DEVICE)
    strides = (0, 0, 2**26, 1) if far == "rows" else (0, 0, 1, 2**26)
    spread = room.as_strided((1, 1, n, d), strides)
    spread.copy_(k)
    assert (n - 1) * 2**26 > 2**31
    assert torch.equal(decode(q, spread, v, splits=2).o, decode(q, k, v, splits=2).o)


def test_keys_before_the_window_are_never_read() -> None:
    """A hidden NaN in v would leak as 0 times NaN, so the output stays clean only if its tile is not loaded."""
    q, k, v = inputs((32, (2, 200), (2, 1), 0, None), torch.float32)
    clean = decode(q, k, v, splits=2, window=20, setting=Tile(16, 16, 4, 1))
    v[:, :, :160] = math.nan
    assert torch.equal(decode(q, k, v, splits=2, window=20, setting=Tile(16, 16, 4, 1)).o, clean.o)


def test_queries_before_every_key_are_zero_with_lse_minus_infinity() -> None:
    q, k, v = inputs((32, (5, 2), (2, 1), 0, None), torch.float32)
    for splits in (1, 3):
        got = decode(q, k, v, splits=splits)
        assert torch.equal(got.o[:, :, :3], torch.zeros(1, 2, 3, 32, device=DEVICE))
        assert (got.lse[:, :, :3] == -math.inf).all()
        assert got.lse[:, :, 3:].isfinite().all()


def test_the_same_splits_give_the_same_bits_whatever_the_batch() -> None:
    """What a batch-invariant server relies on: a fixed number of splits, not one chosen by the load."""
    case = (64, (1, 203), (4, 1), 0, None)
    q, k, v = inputs(case, torch.float32, batch=3)
    together = decode(q, k, v, splits=4).o
    alone = [decode(q[b : b + 1], k[b : b + 1], v[b : b + 1], splits=4).o for b in range(3)]
    assert torch.equal(together, torch.cat(alone))


@pytest.mark.parametrize(
    ("n_q", "splits", "window", "words"),
    [
        (17, None, None, "n_q must be from 1 to 16"),
        (1, 0, None, "splits must be from 1 to 128"),
        (1, 129, None, "splits must be from 1 to 128"),
        (1, 2, 0, "at least the query's own key"),
    ],
)
def test_what_does_not_fit_is_refused(n_q: int, splits: int | None, window: int | None, words: str) -> None:
    q, k = torch.zeros(1, 2, n_q, 32, device=DEVICE), torch.zeros(1, 2, 40, 32, device=DEVICE)
    with pytest.raises(ValueError, match=words):
        decode(q, k, k, splits=splits, window=window)


def test_every_setting_packs_at_least_sixteen_rows_into_tiles_that_are_powers_of_two() -> None:
    for rows, d, dtype in itertools.product(
        (1, 7, 16, 17, 64, 2048), range(16, 257), (torch.float32, torch.bfloat16)
    ):
        bm, bn, _, _ = config(rows, d, dtype)
        assert (bm & (bm - 1), bn & (bn - 1)) == (0, 0)
        assert 16 <= bm <= 64
        assert bm >= min(rows, 64)

"""The Triton kernel against float64, by FlashAttention's rule: at most twice the error of plain PyTorch.

Without a GPU it is interpreted, on a part of the grid; with one, the whole grid runs under the marker `gpu`.
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
from kernels.device import settle
from kernels.flash import choose, describable, flash, setting_for
from kernels.masks import causal_mask, window_mask
from kernels.numerics import draw, finite_max, lse_rounding, max_error, score_rounding, twice_rule
from kernels.tuning import INTERPRETED as INTERPRETED_SETTING
from kernels.tuning import Config, config

DEVICE, INTERPRETED = settle()
HEAD_DIMS = (32, 40, 59, 64, 80, 96, 111, 128, 256)
LENGTHS = (
    (1, 147),
    (113, 203),
    (128, 217),
    (113, 211),
    (108, 256),
    (256, 512),
    (512, 256),
    (1024, 1023),
    (1023, 1024),
)
HEADS = ((2, 2), (4, 2), (3, 1))
TILE = Config(64, 64, 4, 1)

Case = tuple[int, tuple[int, int], tuple[int, int], bool]


def interpreted_cases() -> Iterator[Case]:
    """Each head size with each length that is short enough; heads and mask take turns."""
    short = [pair for pair in LENGTHS if max(pair) <= 256]
    kinds = itertools.cycle(itertools.product(HEADS, (True, False)))
    for d, pair in itertools.product(HEAD_DIMS, short):
        heads, causal = next(kinds)
        yield d, pair, heads, causal
    yield from (
        (64, (256, 512), (2, 1), True),
        (64, (512, 256), (2, 1), True),
        (16, (17, 5), (2, 1), True),
        (17, (3, 3), (1, 1), True),
        (255, (65, 64), (1, 1), False),
        (129, (1, 1), (2, 1), True),
    )


def inputs(case: Case, dtype: torch.dtype, batch: int = 1, seed: int = 11) -> tuple[Tensor, Tensor, Tensor]:
    d, (n_q, n_kv), (h_q, h_kv), _ = case
    kv = (batch, h_kv, n_kv, d)
    q, k, v = draw(seed, (batch, h_q, n_q, d), kv, kv, dtype=dtype, device=DEVICE)
    return q, k, v


def assert_right(
    q: Tensor, k: Tensor, v: Tensor, causal: bool, setting: Config | None = None, window: int | None = None
) -> None:
    """By the 2x rule, with a setting that nothing needs to be timed for."""
    scale = q.size(-1) ** -0.5
    visible = causal_mask(q.size(-2), k.size(-2), device=DEVICE) if causal else None
    if visible is not None and window is not None:
        visible &= window_mask(q.size(-2), k.size(-2), window, device=DEVICE)
    fixed = TILE if INTERPRETED else config(q.size(-1), q.dtype)
    got = flash(q, k, v, causal=causal, window=window, setting=setting or fixed)
    wanted, wanted_lse = reference(q, k, v, scale, visible)
    float32 = score_rounding(q, k, scale) * finite_max(v)
    rule = twice_rule(got.o, attention(q, k, v, Rules(scale, visible)), wanted, float32)
    assert rule.holds, rule
    assert max_error(got.lse, wanted_lse) <= lse_rounding(q, k, scale, wanted_lse)


def name(case: Case) -> str:
    d, (n_q, n_kv), (h_q, h_kv), causal = case
    return f"d{d}-{n_q}x{n_kv}-h{h_q}:{h_kv}-{'causal' if causal else 'full'}"


@pytest.mark.parametrize("case", list(interpreted_cases()), ids=name)
def test_it_errs_at_most_twice_as_much_as_plain_pytorch(case: Case) -> None:
    assert_right(*inputs(case, torch.float32), causal=case[3])


@pytest.mark.parametrize("case", list(interpreted_cases())[::6], ids=name)
def test_so_it_does_in_half_precision(case: Case) -> None:
    assert_right(*inputs(case, torch.float16, batch=2), causal=case[3])


LUCKY = (
    ((256, (1, 2), (4, 1), True), 1, 0),
    ((256, (128, 128), (1, 1), True), 1, 3),
    ((96, (2, 3), (1, 1), True), 1, 0),
    *(((d, (n_q, n_kv), (2, 1), True), 1, seed)
      for d in (128, 255, 256) for n_q, n_kv in ((1, 1), (1, 2), (2, 3), (5, 2)) for seed in range(3)),
)  # fmt: skip
"""Few rows or wide heads, in which plain PyTorch comes close to exact by luck, so that twice its error is little."""


@pytest.mark.parametrize(
    ("case", "batch", "seed"), LUCKY, ids=[f"{name(case)}-b{batch}-s{seed}" for case, batch, seed in LUCKY]
)
def test_a_right_kernel_is_not_declared_wrong_where_plain_pytorch_was_lucky(
    case: Case, batch: int, seed: int
) -> None:
    assert_right(*inputs(case, torch.float32, batch, seed), causal=case[3])


@pytest.mark.parametrize("d", [64, 256])
def test_the_room_for_rounding_does_not_hide_a_wrong_kernel(d: int) -> None:
    """Products in tf32, a dropped key and a causal mask that is off by one are all told apart."""
    q, k, v = inputs((d, (64, 64), (2, 1), True), torch.float32)
    scale, visible = d**-0.5, causal_mask(64, 64, device=DEVICE)
    wanted, _ = reference(q, k, v, scale, visible)
    plain = attention(q, k, v, Rules(scale, visible))
    float32 = score_rounding(q, k, scale) * finite_max(v)
    coarse = (q.view(torch.int32) & ~0x1FFF).view(torch.float32)  # the 10 bits of fraction that tf32 keeps
    wrong = {
        "tf32": attention(coarse, k, v, Rules(scale, visible)),
        "a key too few": attention(q, k[..., 1:, :], v[..., 1:, :], Rules(scale, visible[:, 1:])),
        "off by one": attention(q, k, v, Rules(scale, visible.tril(-1))),
    }
    assert [name for name, got in wrong.items() if twice_rule(got, plain, wanted, float32).holds] == []


@pytest.mark.gpu
@pytest.mark.skipif(DEVICE != "cuda", reason="needs a CUDA device")
@pytest.mark.parametrize(
    "dtype", [torch.bfloat16, torch.float16, torch.float32], ids=["bf16", "fp16", "fp32"]
)
@pytest.mark.parametrize("d", HEAD_DIMS)
def test_the_whole_grid_on_a_gpu(d: int, dtype: torch.dtype) -> None:
    for case in itertools.product((d,), LENGTHS, HEADS, (True, False)):
        assert_right(*inputs(case, dtype, batch=2), causal=case[3])


@pytest.mark.gpu
@pytest.mark.skipif(DEVICE != "cuda", reason="needs a CUDA device")
@pytest.mark.parametrize("d", [64, 80, 128, 256])
def test_windows_on_a_gpu(d: int) -> None:
    for pair, window in itertools.product(LENGTHS, (1, 37, 128, 700)):
        assert_right(*inputs((d, pair, (4, 2), True), torch.bfloat16), causal=True, window=window)


@pytest.mark.gpu
@pytest.mark.skipif(DEVICE != "cuda", reason="needs a CUDA device")
@pytest.mark.parametrize("d", [64, 80, 128, 256])
def test_every_setting_that_is_tried_on_this_gpu_is_right(d: int) -> None:
    case = (d, (1023, 1100), (4, 2), True)
    q, k, v = inputs(case, torch.bfloat16)
    for one in choose(q, k, v, causal=True).tried:
        if one.ms is not None:
            assert_right(q, k, v, causal=True, setting=one.setting)
            assert_right(q, k, v, causal=True, setting=one.setting, window=200)


@pytest.mark.gpu
@pytest.mark.skipif(DEVICE != "cuda", reason="needs a CUDA device")
def test_long_sequences_take_the_fastest_setting_of_this_gpu() -> None:
    q, k, v = inputs((128, (2048, 2048), (2, 1), True), torch.bfloat16)
    choice = choose(q, k, v, causal=True)
    times = [one.ms for one in choice.tried if one.ms is not None]
    assert setting_for(q, k, v, causal=True) == choice.setting
    assert min(times) == next(one.ms for one in choice.tried if one.setting == choice.setting)
    assert choose(q, k, v, causal=True) is choice


WINDOWS = (
    ((32, (70, 131), (2, 1), True), 1),
    ((40, (131, 70), (2, 2), True), 33),
    ((64, (65, 257), (1, 1), True), 64),
    ((16, (100, 100), (2, 1), True), 100),
    ((16, (1, 200), (3, 1), True), 7),
    ((48, (90, 40), (1, 1), True), 1000),
)


@pytest.mark.parametrize(("case", "window"), WINDOWS, ids=[f"{name(case)}-w{w}" for case, w in WINDOWS])
def test_a_window_hides_all_but_the_last_keys(case: Case, window: int) -> None:
    assert_right(*inputs(case, torch.float32), causal=True, window=window, setting=Config(32, 16, 4, 1))


def test_tiles_before_the_window_are_never_read() -> None:
    q, k, v = inputs((16, (96, 96), (1, 1), True), torch.float32)
    setting = Config(32, 32, 4, 1)
    clean = flash(q, k, v, causal=True, window=20, setting=setting)
    v[:, :, :32] = math.nan
    spoilt = flash(q, k, v, causal=True, window=20, setting=setting)
    assert torch.equal(spoilt.o[:, :, 64:], clean.o[:, :, 64:])
    assert spoilt.o[:, :, :64].isnan().all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=["fp32", "fp16"])
@pytest.mark.parametrize(
    ("d", "pair", "window"), [(64, (35, 67), None), (40, (67, 35), 20), (80, (33, 65), None)]
)
def test_tiles_by_descriptor_are_those_by_pointer(
    d: int, pair: tuple[int, int], window: int | None, dtype: torch.dtype
) -> None:
    """Rows past the end and the padding of the head size read 0 in both, so every bit is the same."""
    q, k, v = inputs((d, pair, (2, 1), True), dtype, batch=2)
    k, v = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (k, v))  # heads side by side in memory
    assert describable(k)
    pointers, tma = (
        flash(q, k, v, causal=True, window=window, setting=Config(32, 16, 4, 1, tma)) for tma in (0, 1)
    )
    assert torch.equal(pointers.o, tma.o)
    assert torch.equal(pointers.lse, tma.lse)


def test_what_tma_cannot_address_is_fetched_by_pointers() -> None:
    whole = torch.zeros(1, 1, 9, 17, dtype=torch.float16)
    assert describable(whole[..., :16].contiguous())
    for x in (
        whole[..., :16],
        whole[..., 1:],
        whole.mT,
        whole[:, :, :1].expand(1, 1, 9, 17),
        whole[:, :, :0],
    ):
        assert not describable(x)
    q, k, v = inputs((16, (20, 30), (1, 1), True), torch.float32)
    k, v = (torch.cat((x, x), dim=-1)[..., 1:17] for x in (k, v))  # a quarter of the 16 bytes off
    assert_right(q, k, v, causal=True, setting=Config(16, 16, 4, 1, tma=True))


@pytest.mark.parametrize("h_kv", [1, 2])
def test_shared_heads_are_those_of_as_many_copies(h_kv: int) -> None:
    q, k, v = inputs((32, (40, 50), (4, h_kv), True), torch.float32)
    copied = (x.repeat_interleave(4 // h_kv, dim=1) for x in (k, v))
    assert torch.equal(flash(q, k, v, causal=True).o, flash(q, *copied, causal=True).o)


@pytest.mark.skipif(not INTERPRETED, reason="a GPU may be timed")
def test_nothing_is_timed_where_triton_interprets() -> None:
    q, k, v = inputs((16, (2048, 2048), (1, 1), True), torch.float32)
    assert setting_for(q, k, v, causal=True) == INTERPRETED_SETTING


@pytest.mark.parametrize(("bm", "bn"), [(16, 16), (16, 64), (128, 32)])
def test_the_tile_size_changes_nothing_but_rounding(bm: int, bn: int) -> None:
    case = (40, (70, 131), (2, 1), True)
    assert_right(*inputs(case, torch.float32), causal=True, setting=Config(bm, bn, 4, 1))


def test_strides_of_any_order_are_read_right() -> None:
    case = (48, (37, 53), (2, 2), True)
    q, k, v = inputs(case, torch.float32, batch=2)
    wide = torch.cat((q, q), dim=-1).transpose(1, 2).contiguous()
    q = wide.transpose(1, 2)[..., 24:72]  # [batch, tokens, heads, d] in memory, part of a row, not aligned
    k = k.mT.contiguous().mT  # columns far apart
    v = v.repeat_interleave(2, dim=-1)[..., ::2]  # every other column of a wider row
    assert not any(x.is_contiguous() for x in (q, k, v))
    assert_right(q, k, v, causal=True)


@pytest.mark.parametrize("far", ["rows", "columns"])
def test_offsets_beyond_32_bits_do_not_wrap(far: str) -> None:
    """Keys 2^26 elements apart, in memory that is reserved but hardly touched."""
    n, d = 40, 40
    q, k, v = draw(5, *[(1, 1, n, d)] * 3, dtype=torch.float16, device=DEVICE)
    room = torch.empty(n * 2**26, dtype=torch.float16, device=DEVICE)
    strides = (0, 0, 2**26, 1) if far == "rows" else (0, 0, 1, 2**26)
    spread = room.as_strided((1, 1, n, d), strides)
    spread.copy_(k)
    assert (n - 1) * 2**26 > 2**31
    setting = Config(16, 16, 4, 1)
    assert torch.equal(flash(q, spread, v, setting=setting).o, flash(q, k, v, setting=setting).o)


def test_tiles_beyond_the_diagonal_are_never_read() -> None:
    """A hidden NaN in v would leak as 0 times NaN, so rows stay clean only if its tile is not computed."""
    q, k, v = inputs((32, (128, 128), (1, 1), True), torch.float32)
    clean = flash(q, k, v, causal=True, setting=TILE)
    v[:, :, 64:] = math.nan
    spoilt = flash(q, k, v, causal=True, setting=TILE)
    assert torch.equal(spoilt.o[:, :, :64], clean.o[:, :, :64])
    assert spoilt.o[:, :, 64:].isnan().all()


def test_rows_that_see_nothing_are_zero_with_lse_minus_infinity() -> None:
    q, k, v = inputs((32, (100, 30), (2, 1), True), torch.float32)
    v[:, :, 29] = math.nan  # in the tile of rows that see nothing as well as of rows that do
    got = flash(q, k, v, causal=True, setting=TILE)
    assert torch.equal(got.o[:, :, :70], torch.zeros_like(got.o[:, :, :70]))
    assert (got.lse[:, :, :70] == -math.inf).all()
    assert got.lse[:, :, 70:].isfinite().all()


def test_scores_beyond_what_exp_can_hold_do_not_overflow() -> None:
    q, k, v = inputs((64, (33, 65), (1, 1), True), torch.float32)
    assert_right(q * 40, k, v, causal=True)


def test_a_changed_future_changes_no_bit_of_the_past() -> None:
    q, k, v = inputs((32, (70, 70), (2, 1), True), torch.float32)
    before = flash(q, k, v, causal=True, setting=TILE).o
    k[:, :, 50], v[:, :, 50] = k[:, :, 50] + 3, v[:, :, 50] - 3
    after = flash(q, k, v, causal=True, setting=TILE).o
    assert torch.equal(before[:, :, :50], after[:, :, :50])
    assert (before[:, :, 50:] != after[:, :, 50:]).any(dim=-1).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"window": 4}, "goes with a causal mask"),
        ({"window": 0, "causal": True}, "at least 1"),
        ({"scale": 0.0}, "scale must be positive"),
        ({"scale": math.nan}, "scale must be positive"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments: dict[str, float], words: str) -> None:
    q = torch.zeros(1, 1, 4, 32)
    with pytest.raises(ValueError, match=words):
        flash(q, q, q, **arguments)  # type: ignore[arg-type]


def test_a_scale_of_ones_own_is_used() -> None:
    q, k, v = inputs((32, (20, 30), (1, 1), False), torch.float32)
    assert max_error(flash(q, k, v, scale=0.3).o, reference(q, k, v, 0.3)[0]) < 1e-5


def test_every_head_size_has_a_setting_whose_tiles_are_powers_of_two() -> None:
    for d, dtype in itertools.product(range(16, 257), (torch.float32, torch.bfloat16)):
        bm, bn = config(d, dtype)[:2]
        assert (bm & (bm - 1), bn & (bn - 1)) == (0, 0)

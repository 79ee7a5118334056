"""Three kernels that meet in memory: as right as plain PyTorch, with the contract of the fused kernel."""

from __future__ import annotations

import math

import pytest
import torch

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels.attention import Rules, attention, reference
from kernels.device import settle
from kernels.flash import flash
from kernels.masks import causal_mask, window_mask
from kernels.naive import naive
from kernels.numerics import draw, finite_max, lse_rounding, max_error, score_rounding, twice_rule

DEVICE, INTERPRETED = settle()
CASES = (
    (64, (70, 131), (2, 1), True, None),
    (40, (131, 70), (2, 2), True, None),
    (111, (33, 65), (2, 1), True, 20),
    (16, (1, 147), (3, 1), False, None),
    (128, (64, 64), (1, 1), False, None),
)
LARGE = (
    *((d, (1023, 1024), (4, 2), True, None) for d in (64, 80, 128, 256)),
    (128, (512, 2048), (4, 1), False, None),
    (64, (256, 16384), (2, 1), True, 500),
)


def assert_right(case, dtype: torch.dtype) -> None:
    d, (n_q, n_kv), (h_q, h_kv), causal, window = case
    q, k, v = draw(3, (2, h_q, n_q, d), *[(2, h_kv, n_kv, d)] * 2, dtype=dtype, device=DEVICE)
    scale = d**-0.5
    visible = causal_mask(n_q, n_kv, device=DEVICE) if causal else None
    if visible is not None and window:
        visible &= window_mask(n_q, n_kv, window, device=DEVICE)
    got = naive(q, k, v, causal=causal, window=window)
    wanted, wanted_lse = reference(q, k, v, scale, visible)
    plain = attention(q, k, v, Rules(scale, visible))
    rule = twice_rule(got.o, plain, wanted, score_rounding(q, k, scale) * finite_max(v))
    assert rule.holds, rule
    stored = 0 if dtype == torch.float32 else torch.finfo(dtype).eps * finite_max(wanted_lse.abs() + 8)
    assert max_error(got.lse, wanted_lse) <= lse_rounding(q, k, scale, wanted_lse) + stored


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_errs_at_most_twice_as_much_as_plain_pytorch(case) -> None:
    assert_right(case, torch.float32)


@pytest.mark.parametrize("case", CASES[::2], ids=str)
def test_so_it_does_in_half_precision(case) -> None:
    assert_right(case, torch.float16)


@pytest.mark.gpu
@pytest.mark.skipif(DEVICE != "cuda", reason="needs a CUDA device")
@pytest.mark.parametrize("case", LARGE, ids=str)
def test_so_it_does_on_a_gpu(case) -> None:
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        assert_right(case, dtype)


def test_rows_that_see_nothing_are_those_of_the_fused_kernel() -> None:
    q, k, v = draw(1, (1, 2, 40, 16), *[(1, 1, 10, 16)] * 2, dtype=torch.float32, device=DEVICE)
    ours, fused = naive(q, k, v, causal=True), flash(q, k, v, causal=True)
    assert torch.equal(ours.o[:, :, :30], torch.zeros_like(ours.o[:, :, :30]))
    assert (ours.lse[:, :, :30] == -math.inf).all()
    assert torch.equal(ours.lse.isfinite(), fused.lse.isfinite())
    assert max_error(ours.o, fused.o) < 1e-6


def test_a_hidden_nan_reaches_every_row_for_want_of_tiles_to_skip() -> None:
    q, k, v = draw(1, (1, 1, 128, 16), *[(1, 1, 128, 16)] * 2, dtype=torch.float32, device=DEVICE)
    v[:, :, -1] = math.nan
    assert naive(q, k, v, causal=True).o.isnan().all()
    assert flash(q, k, v, causal=True).o[:, :, 0].isfinite().all()


def test_strides_of_any_order_are_read_right() -> None:
    q, k, v = draw(2, (1, 37, 2, 48), (1, 2, 48, 53), (1, 2, 53, 96), dtype=torch.float32, device=DEVICE)
    q, k, v = q.transpose(1, 2), k.mT, v[..., ::2]
    assert max_error(naive(q, k, v).o, naive(q.contiguous(), k.contiguous(), v.contiguous()).o) == 0


def test_rows_longer_than_the_softmax_holds_are_refused() -> None:
    k = torch.empty(1, 1, 1, 16, device=DEVICE).expand(1, 1, 2**16 + 1, 16)
    with pytest.raises(ValueError, match="at most 65,536"):
        naive(k[:, :, :1], k, k)

"""Bytes by formula against bytes that the interpreter saw loaded and stored, element by element."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import torch

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels.device import settle
from kernels.flash import flash
from kernels.naive import TILE, naive
from kernels.numerics import draw
from kernels.traffic import Sizes, fused, unfused
from kernels.tuning import Config

DEVICE, INTERPRETED = settle()
CASES = (
    # h_q, h_kv, n_q, n_kv, d, causal, window
    (2, 1, 128, 128, 32, True, None),
    (1, 1, 70, 131, 40, True, None),
    (4, 2, 131, 70, 16, True, 20),
    (3, 1, 1, 147, 48, False, None),
    (1, 1, 40, 10, 16, True, None),
)


@contextmanager
def counted() -> Iterator[dict[str, int]]:
    """Counts the bytes of every load and store whose mask lets it through."""
    from triton.runtime.interpreter import InterpreterBuilder as Builder

    counts = {"loaded": 0, "stored": 0}
    load, store = Builder.create_masked_load, Builder.create_masked_store

    def counting_load(self, ptrs, mask, *rest):
        counts["loaded"] += int(np.sum(mask.data)) * ptrs.get_element_ty().primitive_bitwidth // 8
        return load(self, ptrs, mask, *rest)

    def counting_store(self, ptrs, value, mask, *rest):
        counts["stored"] += int(np.sum(mask.data)) * ptrs.get_element_ty().primitive_bitwidth // 8
        return store(self, ptrs, value, mask, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Builder, "create_masked_load", counting_load)
        patch.setattr(Builder, "create_masked_store", counting_store)
        yield counts


def setup(case, dtype=torch.float16):
    h_q, h_kv, n_q, n_kv, d, _, _ = case
    q, k, v = draw(1, (2, h_q, n_q, d), *[(2, h_kv, n_kv, d)] * 2, dtype=dtype, device=DEVICE)
    return q, k, v, Sizes(2, h_q, h_kv, n_q, n_kv, d, dtype.itemsize)


@pytest.mark.skipif(not INTERPRETED, reason="only the interpreter can count")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_fused_kernel_asks_for_what_the_formula_says(case) -> None:
    *_, causal, window = case
    q, k, v, sizes = setup(case)
    with counted() as counts:
        flash(q, k, v, causal=causal, window=window, setting=Config(32, 16, 4, 1))
    told = fused(sizes, bm=32, bn=16, causal=causal, window=window)
    assert counts == {"loaded": told.asked, "stored": told.writes}


@pytest.mark.skipif(not INTERPRETED, reason="only the interpreter can count")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_three_kernels_ask_for_what_the_formulas_say(case) -> None:
    *_, causal, window = case
    q, k, v, sizes = setup(case, torch.float32)
    with counted() as counts:
        naive(q, k, v, causal=causal, window=window)
    told = unfused(sizes, TILE)
    assert counts == {"loaded": sum(t.asked for t in told), "stored": sum(t.writes for t in told)}


def test_the_intensity_is_that_of_the_formulas_of_the_field() -> None:
    """4 n² d / (2 (4 n² + 4 n d)) unfused and n/2 fused, in 16 bits, up to the log-sum-exp."""
    n, d = 4096, 64
    sizes = Sizes(1, 1, 1, n, n, d, 2)
    work = 4 * n * n * d
    moved = sum(launch.moved for launch in unfused(sizes, TILE))
    assert work / moved == pytest.approx(work / (2 * (4 * n * n + 4 * n * d)), rel=1e-3)
    one = fused(sizes, bm=128, bn=64, causal=False)
    assert work / one.moved == pytest.approx(n / 2, rel=0.02)
    assert work / one.asked == pytest.approx(n * 128 / (n + 128), rel=0.02)  # 124 FLOP/B, no cache at all


def test_a_ceiling_is_never_below_its_floor() -> None:
    for case in CASES:
        *_, causal, window = case
        sizes = setup(case)[3]
        for launch in unfused(sizes, TILE):
            assert launch.asked >= launch.reads
        if window is None and not causal:
            assert (
                fused(sizes, bm=32, bn=16, causal=causal).asked
                >= fused(sizes, bm=32, bn=16, causal=causal).reads
            )

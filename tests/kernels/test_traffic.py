"""Bytes by formula against bytes that the interpreter saw loaded and stored, element by element."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import torch

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels import roofline
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


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize(("n", "d", "tile"), [(128, 16, 128), (512, 64, 32), (4096, 128, 256)])
def test_the_bytes_are_those_that_a_roofline_is_drawn_from(n: int, d: int, tile: int, size: int) -> None:
    """One head, unmasked. A roofline leaves out the log-sum-exp, and counts what a tile asks for beside the output."""
    sizes = Sizes(1, 1, 1, n, n, d, size)
    one = fused(sizes, bm=tile, bn=16, causal=False)
    assert sum(t.moved for t in unfused(sizes, TILE)) - sizes.lse == roofline.unfused(n, d, size).moved
    assert one.moved - sizes.lse == roofline.fused(n, d, size).moved
    assert one.asked + sizes.queries == roofline.tiled(n, d, tile, size).moved


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

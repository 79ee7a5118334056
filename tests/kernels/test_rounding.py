"""The limits of rounding: no right attention is called wrong, and nothing that leaks more than rounding gets by."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from kernels.attention import Rules, attention, reference
from kernels.masks import causal_mask
from kernels.numerics import DTYPES, draw, finite_max, max_error
from kernels.rounding import Judge, judge

SIZES = (1, 2, 3, 5, 8, 16, 33, 64, 128)
WIDTHS = (1, 2, 3, 4, 8, 16, 64, 128, 512)
BROKEN = {
    "filled with 0": (0.0, False),
    "filled with -10": (-10.0, False),
    "masked after": (-math.inf, True),
}


class Case(NamedTuple):
    """Two heads, causal or not."""

    q: Tensor
    k: Tensor
    v: Tensor
    scale: float
    visible: Tensor

    def by(self, fill: float = -math.inf, mask_after: bool = False) -> Tensor:
        return attention(self.q, self.k, self.v, Rules(self.scale, self.visible, fill, mask_after))

    def exactly(self, fill: float = -math.inf, mask_after: bool = False) -> Tensor:
        q, k, v = (x.double() for x in (self.q, self.k, self.v))
        return attention(q, k, v, Rules(self.scale, self.visible, fill, mask_after))

    @property
    def judge(self) -> Judge:
        return judge(self.q, self.k, self.v, self.scale, self.visible)


def case(seed: int, n_q: int, n_kv: int, d_k: int, dtype: str, scale: float, *, causal: bool = True) -> Case:
    kv = (2, n_kv, d_k)
    q, k, v = draw(seed, (2, n_q, d_k), kv, kv, dtype=DTYPES[dtype], device="cpu")
    visible = causal_mask(n_q, n_kv) if causal else torch.ones(n_q, n_kv, dtype=torch.bool)
    return Case(q, k, v, scale, visible)


def cases(count: int, seed: int, *, causal: bool | None = None) -> Iterator[Case]:
    rng = random.Random(seed)
    for i in range(count):
        n_q, n_kv, d_k = rng.choice(SIZES), rng.choice(SIZES), rng.choice(WIDTHS)
        scale = rng.choice((1 / math.sqrt(d_k), 1.0, 1 / d_k))
        masked = rng.random() < 0.7 if causal is None else causal
        yield case(i, n_q, n_kv, d_k, rng.choice(tuple(DTYPES)), scale, causal=masked)


def within(got: Tensor, by: Judge) -> bool:
    return by.share(got) <= 1


def sdpa(c: Case) -> Tensor:
    return F.scaled_dot_product_attention(c.q[None], c.k[None], c.v[None], c.visible, scale=c.scale)[0]


@pytest.mark.parametrize("way", [Case.by, sdpa], ids=["plain", "sdpa"])
def test_right_attention_is_never_called_wrong(way: Callable[[Case], Tensor]) -> None:
    for c in cases(300, seed=1):
        assert within(way(c), c.judge), (c.q.shape, c.k.shape, c.q.dtype, c.scale)


def test_what_leaks_more_than_rounding_is_seen() -> None:
    seen = 0
    for c in cases(150, seed=2, causal=True):
        by = c.judge
        own = max_error(c.by(), by.wanted)
        steps = torch.finfo(c.q.dtype).eps * finite_max(c.v)
        for name, (fill, late) in BROKEN.items():
            leak = max_error(c.exactly(fill, late), by.wanted)
            if leak > 8 * own + 4 * steps:
                assert not within(c.by(fill, late), by), (name, leak, c.q.shape, c.k.shape, c.q.dtype)
                seen += 1
    assert seen > 200


@pytest.mark.parametrize(
    ("d_k", "dtype", "scale", "variant"),
    [
        (512, "bf16", 1.0, "filled with 0"),
        (512, "bf16", 1.0, "masked after"),
        (64, "bf16", 0.125, "filled with -10"),
        (64, "fp64", 0.125, "filled with -10"),
    ],
)
def test_leaks_that_a_bound_over_the_whole_output_let_pass(
    d_k: int, dtype: str, scale: float, variant: str
) -> None:
    c = case(0, 64, 64, d_k, dtype, scale)
    assert within(c.by(), c.judge)
    assert not within(c.by(*BROKEN[variant]), c.judge)


@pytest.mark.parametrize("dtype", ["fp32", "fp16", "bf16"])
def test_a_limit_is_a_few_times_what_rounding_does(dtype: str) -> None:
    c = case(3, 64, 64, 64, dtype, 0.125)
    assert float(c.judge.limit.max()) < 24 * max_error(c.by(), c.judge.wanted)


def test_one_visible_key_leaves_a_step_of_its_value() -> None:
    c = case(4, 5, 5, 8, "bf16", 1.0)
    assert torch.allclose(c.judge.limit[:, 0], 2 * 2**-7 * c.v[:, 0].abs().double(), rtol=1e-2)


def test_what_is_wanted_is_the_reference() -> None:
    c = case(5, 700, 900, 16, "fp32", 0.25)  # more cells than are held at a time
    assert max_error(c.judge.wanted, reference(c.q, c.k, c.v, c.scale, c.visible)[0]) < 1e-14


def test_nan_is_beyond_every_limit() -> None:
    c = case(6, 4, 4, 8, "fp32", 0.25)
    out = c.by()
    out[0, 2, 3] = math.nan
    assert math.isnan(c.judge.nearest(out)[0])


def test_a_judge_says_how_far_it_is() -> None:
    q, k, v = draw(0, *[(2, 1024, 8)] * 3, dtype=torch.float32, device="cpu")
    told: list[float] = []
    judge(q, k, v, 1.0, each=told.append)
    assert len(told) >= 4
    assert told == sorted(told)
    assert told[-1] == 1

"""Dtypes, seeded inputs, what rounding in float32 may cost, and FlashAttention's rule of twice the error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

DTYPES: Mapping[str, torch.dtype] = {
    "fp64": torch.float64,
    "fp32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
}


def draw(seed: int, *shapes: tuple[int, ...], dtype: torch.dtype, device: str) -> tuple[Tensor, ...]:
    """Tensors from N(0, 1), the same on every device: drawn in float32 on the CPU, then moved and rounded."""
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(shape, generator=generator).to(device, dtype) for shape in shapes)


def max_error(got: Tensor, wanted: Tensor) -> float:
    """The largest absolute difference in float64. NaN if any of `got` is NaN; equal infinities differ by 0."""
    a, b = got.double(), wanted.double()
    difference = torch.where(a == b, torch.zeros_like(a), (a - b).abs())
    return float(difference.max()) if difference.numel() else 0.0


def score_rounding(q: Tensor, k: Tensor, scale: float) -> float:
    """How far rounding in float32 may move a score, however small the score itself comes out.

    Added one by one, the d products of q · k pass through partial sums of up to |q||k|. Rounded at random, their
    errors add up to about 0.2 · eps · |q||k| (one standard deviation), and every library adds in an order of its
    own; eps · |q||k| · scale is five of them. 4 eps more are for exp, the sums of the softmax and the result.
    """
    norms = (float(x.double().norm(dim=-1).max()) for x in (q, k))
    return torch.finfo(torch.float32).eps * (math.prod(norms) * scale + 4)


def lse_rounding(q: Tensor, k: Tensor, scale: float, lse: Tensor) -> float:
    """What rounding in float32 may cost a log-sum-exp: that of a score, and a few steps of the largest one."""
    return score_rounding(q, k, scale) + 8 * torch.finfo(torch.float32).eps * (finite_max(lse) + 1)


@dataclass(frozen=True)
class TwiceRule:
    """FlashAttention's rule: a fused kernel may err by at most twice what plain PyTorch errs in the same dtype.

    limit is twice plain_error, or one rounding step of the largest output where that is more, and on top what
    rounding in float32 may cost any kernel: over few rows, plain PyTorch may be close to exact by luck.
    """

    error: float
    plain_error: float
    limit: float

    @property
    def holds(self) -> bool:
        return self.error <= self.limit


def twice_rule(got: Tensor, plain: Tensor, wanted: Tensor, float32: float) -> TwiceRule:
    """Compares a kernel's output and plain PyTorch's (same dtype) with the float64 reference.

    float32 is what its rounding may cost an output: score_rounding times the largest value.
    """
    plain_error = max_error(plain, wanted)
    step = torch.finfo(plain.dtype).eps * finite_max(wanted)
    return TwiceRule(max_error(got, wanted), plain_error, max(2 * plain_error, step) + float32)


def finite_max(x: Tensor) -> float:
    """The largest absolute finite value; 0 if there is none."""
    kept = x[torch.isfinite(x)].abs()
    return float(kept.max()) if kept.numel() else 0.0


def entropy(weights: Tensor) -> float:
    """The mean entropy of the rows, in nats. A uniform row over n keys has ln n, a one-hot row 0."""
    w = weights.double()
    return float(torch.special.entr(w).sum(dim=-1).mean())

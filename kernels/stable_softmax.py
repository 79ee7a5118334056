"""Softmax as its formula reads, and as every library computes it: the largest score subtracted first.

softmax(z) = softmax(z - c) for any c, so the result does not change; the largest exponent becomes 0, and exp cannot
overflow. One score at least has exp(0) = 1, so the sum cannot be 0 either.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def naive(z: Tensor) -> Tensor:
    """exp(z) / sum(exp(z)) over the last axis: inf/inf where a score is above `overflows_above`, 0/0 far below 0."""
    e = z.exp()
    return e / e.sum(dim=-1, keepdim=True)


def stable(z: Tensor) -> Tensor:
    """The same with the maximum subtracted: right for all finite z."""
    e = (z - z.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


def with_nothing(z: Tensor) -> Tensor:
    """exp(z) / (1 + sum(exp(z))), "softmax1": one more logit of 0, whose weight goes to no value. It may sum to 0."""
    return stable(torch.cat((z, z.new_zeros(*z.shape[:-1], 1)), dim=-1))[..., :-1]


def overflows_above(dtype: torch.dtype) -> float:
    """The score above which exp is inf in this dtype: ln of its largest number and half a step, which rounds to it."""
    info = torch.finfo(dtype)
    return math.log(info.max) + math.log1p(info.eps / (2 - info.eps) / 2)

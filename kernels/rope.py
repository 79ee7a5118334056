"""Rotary position embeddings (Su et al. 2021, arXiv 2104.09864, section 3.2.2): positions as rotations of pairs."""

from __future__ import annotations

import torch
from torch import Tensor

BASE = 10_000.0


def frequencies(d: int, base: float = BASE) -> Tensor:
    """Radians per position of each of the d / 2 pairs, base^(-2i/d); float64 [d / 2]."""
    return base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)


def rotate(x: Tensor, positions: Tensor, base: float = BASE) -> Tensor:
    """x [..., n, d] with the pair (x_2i, x_2i+1) of token t turned by positions[t] times the pair's frequency.

    d is even; positions [n] may be any numbers, so that a cache's next token is turned by its own. Scores of turned
    queries and keys depend on the difference of their positions alone. The dtype of x is kept.
    """
    angle = positions.double()[:, None] * frequencies(x.size(-1), base).to(x.device)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def rotate_halves(x: Tensor, positions: Tensor, base: float = BASE) -> Tensor:
    """The same with the pairs (x_i, x_i+d/2), as in Hugging Face's models: rotate() on channels in another order."""
    angle = positions.double()[:, None] * frequencies(x.size(-1), base).to(x.device)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)


def halves_apart(x: Tensor) -> Tensor:
    """Channels [..., d] from neighbours to halves: the even ones first, then the odd ones."""
    return torch.cat((x[..., 0::2], x[..., 1::2]), dim=-1)

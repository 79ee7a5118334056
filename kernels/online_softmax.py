"""Online softmax, step by step: what the kernel in flash.py does to a row, in PyTorch, so that it can be watched.

Milakov and Gimelshein 2018 (arXiv 1805.02867), algorithm 3, carried on to the output as in FlashAttention-2 (Dao 2023,
section 3.1.1), which divides once at the end. For each tile of keys, with s its scores and v its values:

    m' = max(m, max s)    alpha = e^(m - m')    l' = alpha l + sum e^(s - m')    acc' = alpha acc + e^(s - m') v
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor


class Step(NamedTuple):
    """After the keys [start, end): the running m and l [rows] and acc [rows, d]; alpha [rows] rescaled the last two."""

    start: int
    end: int
    m: Tensor
    ell: Tensor
    alpha: Tensor
    acc: Tensor

    @property
    def lse(self) -> Tensor:
        """The log-sum-exp of all scores so far; -inf before the first that is seen."""
        return self.m + self.ell.log()

    @property
    def out(self) -> Tensor:
        """Attention over the keys so far: the one division. 0 where none was seen."""
        return self.acc / torch.where(self.ell == 0, 1.0, self.ell)[:, None]


def scores(q: Tensor, k: Tensor, scale: float, visible: Tensor | None = None) -> Tensor:
    """q · kᵀ · scale with hidden scores -inf, in float32 (or float64), as a kernel holds them. [rows, n_kv]"""
    wide = torch.promote_types(q.dtype, torch.float32)
    s = q.to(wide) @ k.to(wide).T * scale
    return s if visible is None else s.masked_fill(~visible, -math.inf)


def walk(s: Tensor, v: Tensor, block: int) -> Iterator[Step]:
    """Takes the scores s [rows, n_kv] and the values v [n_kv, d] `block` keys at a time.

    Weights are rounded to v's dtype before they meet the values, as the chip's matrix units want them; sums stay in
    the dtype of the scores.
    """
    rows, n_kv = s.shape
    m = s.new_full((rows,), -math.inf)
    ell = s.new_zeros(rows)
    acc = s.new_zeros(rows, v.size(1))
    for start in range(0, n_kv, block):
        tile = s[:, start : start + block]
        m_new = torch.maximum(m, tile.amax(dim=1))
        base = torch.where(m_new == -math.inf, 0.0, m_new)  # -inf - -inf would be NaN
        p = torch.exp(tile - base[:, None])
        alpha = torch.exp(m - base)
        ell = ell * alpha + p.sum(dim=1)
        acc = acc * alpha[:, None] + p.to(v.dtype).to(s.dtype) @ v[start : start + block].to(s.dtype)
        m = m_new
        yield Step(start, min(start + block, n_kv), m, ell, alpha, acc)


def last(steps: Iterator[Step]) -> Step:
    """The step after which nothing is left to see."""
    *_, end = steps
    return end

"""Attention over the keys in parts, and how the parts become one: plain PyTorch, and the arithmetic of the plan.

One query leaves a GPU idle: a program for each key/value head is far fewer than it has multiprocessors. Flash-Decoding
(Dao et al. 2023; FlashAttention 2.2) therefore cuts the keys into splits, computes each as if it were all there is,
and merges. What makes that exact is the log-sum-exp: it is the one number that a softmax over a part must remember.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from kernels.attention import Output

MOST_SPLITS = 128


class Plan(NamedTuple):
    """Splits of `chunk` keys each, the first of them starting at key `first`; the last ones may be short or empty."""

    first: int
    chunk: int
    splits: int

    def ranges(self, n_kv: int) -> Iterator[tuple[int, int]]:
        """The keys [start, end) of each split."""
        for split in range(self.splits):
            start = min(self.first + split * self.chunk, n_kv)
            yield start, min(start + self.chunk, n_kv)


def plan(n_q: int, n_kv: int, *, bn: int, splits: int, window: int | None = None) -> Plan:
    """Shares out the keys among the splits in whole tiles of bn keys, as evenly as that goes.

    With a window, keys before the first query's are left out; `first` then is the start of the tile it begins in.
    """
    first = 0 if window is None else max(n_kv - n_q + 1 - window, 0) // bn * bn
    return Plan(first, max(-(-(n_kv - first) // (bn * splits)), 1) * bn, splits)


def choose_splits(programs: int, tiles: int, multiprocessors: int) -> int:
    """How many splits to cut the keys into: the fewest that keep the chip about as busy as it can be kept.

    programs is how many run without splitting, tiles how many key tiles each walks over. Programs run in waves of one
    a multiprocessor, so their number over that of the waves' places says how busy the chip is. Of the numbers of splits
    that shorten a walk, the best share is found, and the fewest splits that come within 15 % of it win, since each one
    more has to be merged. FlashAttention decides by the same rules.
    """
    if programs * 5 >= multiprocessors * 4:
        return 1
    walks = {
        -(-tiles // n): n for n in range(min(tiles, MOST_SPLITS), 0, -1)
    }  # the fewest splits for each length
    busy = {n: _busy(programs * n, multiprocessors) for n in sorted(walks.values())}
    best = max(busy.values())
    return next(n for n, share in busy.items() if share >= 0.85 * best)


def _busy(programs: int, multiprocessors: int) -> float:
    waves = -(-programs // multiprocessors)
    return programs / (waves * multiprocessors)


def attend(q: Tensor, k: Tensor, v: Tensor, scale: float) -> Output:
    """Attention over these keys alone: q [..., n_q, d], k and v [..., n_kv, d]. No keys: an output of 0, lse -inf."""
    scores = q @ k.mT * scale
    lse = torch.logsumexp(scores, dim=-1) if k.size(-2) else scores.new_full(q.shape[:-1], -math.inf)
    return Output((scores - lse[..., None]).exp() @ v, lse)


def merge(o: Tensor, lse: Tensor) -> Output:
    """One output from those of all splits: o [splits, ..., d], lse [splits, ...].

    With LSE = log sum_i exp(lse_i), split i has the share exp(lse_i - LSE) of the softmax's denominator, so
    o = sum_i exp(lse_i - LSE) o_i. A split that has no key has lse -inf and the weight 0; where no split has one, the
    output is 0 and LSE is -inf.
    """
    whole = torch.logsumexp(lse, dim=0)
    weights = merge_weights(lse, whole)
    return Output((weights[..., None] * o).sum(dim=0), whole)


def merge_weights(lse: Tensor, whole: Tensor) -> Tensor:
    """The share exp(lse_i - LSE) of each split, [splits, ...]; 0 throughout where LSE is -inf."""
    return (lse - whole.masked_fill(whole == -math.inf, 0.0)).exp()

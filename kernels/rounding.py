"""What rounding may cost attention, number by number: an error below it is rounding, one above it is a mistake.

A bound over a whole output, eps · (2 max|s| + 4) · max|v|, is that of its worst row. In bf16 it lets a leak of 0.05
or a mask applied too late pass, though most rows are held far closer. So each row is judged by its own weights:

    moved scores   s_j is stored with an error of up to a_j, so o moves by at most
                   Σ p_j (e^a_j - 1) |v_j - o| / Σ p_j e^-a_j. That is exact, since Σ p_j (v_j - o) = 0. A row whose
                   weight is nearly all on one key hardly moves.
    rounded        the weights, Σ p_j |v_j|, and the output, |o|, by a step each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from kernels.attention import softmax

CELLS = 2**19  # scores at a time: 4 MiB in float64, of which half a dozen are held


class Judge(NamedTuple):
    """The output in float64, and how far rounding may take another one from it: both [h_q, n_q, d_v]."""

    wanted: Tensor
    limit: Tensor

    def nearest(self, got: Tensor) -> tuple[float, float]:
        """The error and the limit of the number that is nearest to its limit, or furthest beyond it."""
        errors = (got.double() - self.wanted).abs()
        shares = torch.where(errors == 0, 0.0, errors / self.limit).nan_to_num(nan=math.inf)
        worst = int(shares.argmax())
        return float(errors.flatten()[worst]), float(self.limit.flatten()[worst])

    def share(self, got: Tensor) -> float:
        """The largest share of its limit that the error of a number takes: above 1 is a mistake, NaN is infinite."""
        error, limit = self.nearest(got)
        if not error:
            return 0.0
        return math.inf if limit == 0 or math.isnan(error) else error / limit


def judge(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    scale: float,
    visible: Tensor | None = None,
    *,
    each: Callable[[float], None] = lambda _: None,
) -> Judge:
    """For q [h_q, n_q, d_k], k and v [h_kv, n_kv, ...] and any attention that rounds its scores to their dtype twice.

    Sums are taken to be added up in float32, or in float64 by that dtype. visible is [n_q, n_kv]; a row that sees
    nothing is 0. `each` hears after every few rows which share is done.
    """
    n_q, n_kv = q.size(-2), k.size(-2)
    group, rows = q.size(0) // k.size(0), max(CELLS // n_kv, 1)
    wanted = torch.empty(*q.shape[:-1], v.size(-1), dtype=torch.float64, device=q.device)
    limit = torch.empty_like(wanted)
    for head in range(q.size(0)):
        keys, values = k[head // group].double(), v[head // group].double()
        for start in range(0, n_q, rows):
            some = slice(start, start + rows)
            seen = None if visible is None else visible[some]
            wanted[head, some], limit[head, some] = _rows(
                q[head, some].double(), keys, values, scale, seen, q.dtype
            )
            each((head + min(start + rows, n_q) / n_q) / q.size(0))
    return Judge(wanted, limit)


def _rows(
    q: Tensor, k: Tensor, v: Tensor, scale: float, visible: Tensor | None, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """Some rows of one head in float64: the output, and its limits, for which float32 is enough in all but float64."""
    scores = q @ k.T * scale
    if visible is not None:
        scores.masked_fill_(~visible, -math.inf)
    weights = softmax(scores)
    out = weights @ v
    rough = dtype if dtype == torch.float64 else torch.float32
    fine = torch.finfo(rough).eps
    step = (
        2 * fine if dtype == torch.float64 else torch.finfo(dtype).eps
    )  # what float64 is judged by errs as well
    p, sizes = weights.to(rough), v.abs().to(rough)
    # A sum of d products passes through partial sums of up to |q||k|: ten standard deviations of that, and exp.
    apart = (q.norm(dim=-1, keepdim=True) * 2 * scale).to(rough) @ k.norm(dim=-1, keepdim=True).T.to(rough)
    apart = apart.add_(4).mul_(fine).add_(scores.abs_().to(rough), alpha=step).masked_fill_(p == 0, 0)
    least = torch.linalg.vecdot(p, apart).neg().exp()[:, None]  # Σ p e^-a is no less, since exp is convex
    moved, mean = apart.expm1_().mul_(p), p @ sizes
    total = moved.sum(dim=-1, keepdim=True)
    # |v_j - o| <= (1 - 2 p_j) |v_j| + Σ p |v|: near 0 where p_j is near 1, and without n_q x n_kv x d numbers.
    reach = moved.addcmul_(moved, p, value=-2) @ sizes + total * mean
    rounded = (step + fine * (4 + math.sqrt(len(k)))) * mean + _least(dtype) * sizes.sum(dim=0)
    return out, reach.clamp(min=0) / least + rounded + step * out.abs()


def _least(dtype: torch.dtype) -> float:
    """The smallest number of the dtype: in fp16 a weight of a long row may be no more than a few of these."""
    info = torch.finfo(dtype)
    return info.smallest_normal * info.eps

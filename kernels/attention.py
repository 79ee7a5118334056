"""Reference attention in plain PyTorch: any dtype, any lengths, any mask, grouped heads.

The formula is softmax(q kᵀ / sqrt(d_k)) v (Vaswani et al. 2017, section 3.2.1). It is written three times, each to be
read for itself: steps() keeps every matrix on the way, attention() holds as little as an unfused version can, and
reference() computes in float64, against which all others are checked. shape_trace() names the shapes on the way.

Shapes: q [..., h_q, n_q, d_k], k [..., h_kv, n_kv, d_k], v [..., h_kv, n_kv, d_v]; h_kv divides h_q, and query head i
reads key/value head i // (h_q / h_kv) (grouped-query attention: Ainslie et al. 2023, section 2.2). Masks are boolean,
True where a query sees a key, of any shape that broadcasts to the scores [..., h_q, n_q, n_kv]: kernels/masks.py.

A query that sees no key gives an output of 0 and a log-sum-exp of -inf, as fused kernels do; plain softmax would give
0/0 = NaN. A NaN in a hidden value still leaks, because 0 times NaN is NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor


@dataclass(frozen=True)
class Rules:
    """How scores become weights: their factor, who sees whom, what hidden scores become, and when.

    visible, [n_q, n_kv] or with axes in front, is True where the query sees the key; None hides nothing. mask_after
    applies it to the weights instead of the scores, which is a common mistake.
    """

    scale: float
    visible: Tensor | None = None
    fill: float = -math.inf
    mask_after: bool = False


class Output(NamedTuple):
    """o [..., n_q, d_v], and the log-sum-exp of each row, lse [..., n_q], as a natural logarithm.

    Our kernels return o in the inputs' dtype and lse in float32. With its lse, an output over part of the keys can be
    merged with the others: see split_kv.merge().
    """

    o: Tensor
    lse: Tensor


class Steps(NamedTuple):
    """Every intermediate matrix [..., n_q, n_kv], the output [..., n_q, d_v] and the log-sum-exp [..., n_q]."""

    raw: Tensor
    scaled: Tensor
    masked: Tensor
    weights: Tensor
    out: Tensor
    lse: Tensor


class Shape(NamedTuple):
    """A tensor on the way, e.g. S [h_q 8, n_q 5, n_kv 7] made by "q · kᵀ": its axes in order, each with its name."""

    name: str
    made_by: str
    axes: tuple[tuple[str, int], ...]


def shape_trace(
    *, h_q: int, h_kv: int, n_q: int, n_kv: int, d_k: int, d_v: int | None = None
) -> tuple[Shape, ...]:
    """The shapes on the way from q, k, v to the output, in the order in which they are made.

    Values are d_k wide unless d_v is given. A test holds them against the tensors of steps().
    """
    queries, keys, kept = ("n_q", n_q), ("n_kv", n_kv), ("d_v", d_v) if d_v else ("d_k", d_k)
    return (
        Shape("q", "", (("h_q", h_q), queries, ("d_k", d_k))),
        Shape("kᵀ", "transpose", (("h_kv", h_kv), ("d_k", d_k), keys)),
        Shape("S", "q · kᵀ", (("h_q", h_q), queries, keys)),
        Shape("P", "softmax", (("h_q", h_q), queries, keys)),
        Shape("v", "", (("h_kv", h_kv), keys, kept)),
        Shape("o", "P · v", (("h_q", h_q), queries, kept)),
    )


def share_heads(x: Tensor, h_q: int) -> Tensor:
    """Each of the h_kv heads for the query heads that share it: head i reads i // (h_q / h_kv).

    A copy for each query head, or x itself where no head is shared.
    """
    group = h_q // x.size(-3)
    return x if group == 1 else x.repeat_interleave(group, dim=-3)


def softmax(scores: Tensor) -> Tensor:
    """Softmax over the last axis, with 0 instead of NaN in a row that is -inf throughout."""
    weights = torch.softmax(scores, dim=-1)
    empty = (scores == -math.inf).all(dim=-1, keepdim=True)
    return weights.masked_fill_(empty, 0.0) if bool(empty.any()) else weights


def steps(q: Tensor, k: Tensor, v: Tensor, rules: Rules) -> Steps:
    """Attention with everything on the way to it kept. With mask_after, `masked` holds the masked weights."""
    k, v = share_heads(k, q.size(-3)), share_heads(v, q.size(-3))
    raw = q @ k.transpose(-2, -1)
    scaled = raw * rules.scale
    if rules.visible is None:
        masked, weights = scaled, softmax(scaled)
    elif rules.mask_after:
        masked = weights = softmax(scaled).masked_fill(~rules.visible, 0.0)
    else:
        masked = scaled.masked_fill(~rules.visible, rules.fill)
        weights = softmax(masked)
    scores = scaled if rules.mask_after else masked
    return Steps(raw, scaled, masked, weights, weights @ v, torch.logsumexp(scores, dim=-1))


def attention(q: Tensor, k: Tensor, v: Tensor, rules: Rules) -> Tensor:
    """The same output [..., h_q, n_q, d_v], holding no more than two score matrices at a time.

    This is the unfused attention whose time and memory are measured, so it works in place where it can.
    """
    k, v = share_heads(k, q.size(-3)), share_heads(v, q.size(-3))
    scores = (q @ k.transpose(-2, -1)).mul_(rules.scale)
    if rules.visible is None:
        return torch.softmax(scores, dim=-1) @ v
    hidden = ~rules.visible
    if rules.mask_after:
        return torch.softmax(scores, dim=-1).masked_fill_(hidden, 0.0) @ v
    weights = torch.softmax(scores.masked_fill_(hidden, rules.fill), dim=-1)
    empty = hidden.all(dim=-1, keepdim=True)
    if rules.fill == -math.inf and bool(empty.any()):
        weights.masked_fill_(empty, 0.0)
    return weights @ v


def reference(
    q: Tensor, k: Tensor, v: Tensor, scale: float, visible: Tensor | None = None, *, rows: int | None = None
) -> Output:
    """Output and log-sum-exp in float64, whatever the inputs' dtype: what every other version is checked against.

    The output is [..., h_q, n_q, d_v], the log-sum-exp [..., h_q, n_q]. It takes one head and `rows` queries at a time
    (16 MiB of scores unless given), so that it holds neither a whole score matrix nor a float64 copy of all inputs.
    """
    rows = rows or max(2**21 // k.size(-2), 1)
    out = torch.empty(*q.shape[:-1], v.size(-1), dtype=torch.float64, device=q.device)
    lse = torch.empty(q.shape[:-1], dtype=torch.float64, device=q.device)
    if visible is not None:
        visible = visible.expand(*q.shape[:-1], k.size(-2))
    group = q.size(-3) // k.size(-3)
    lead = out.shape[:-3]
    for index in torch.cartesian_prod(*(torch.arange(n) for n in (math.prod(lead), q.size(-3)))).tolist():
        where = (*_unravel(index[0], lead), index[1])
        shared = (*where[:-1], index[1] // group)
        keys, values = k[shared].double(), v[shared].double()
        for start in range(0, q.size(-2), rows):
            some = slice(start, start + rows)
            scores = q[where][some].double() @ keys.T * scale
            if visible is not None:
                scores = scores.masked_fill(~visible[where][some], -math.inf)
            out[where][some] = softmax(scores) @ values
            lse[where][some] = torch.logsumexp(scores, dim=-1)
    return Output(out, lse)


def _unravel(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    index: list[int] = []
    for size in reversed(shape):
        flat, last = divmod(flat, size)
        index.append(last)
    return tuple(reversed(index))

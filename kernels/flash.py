"""FlashAttention's forward pass as a Triton kernel: tiles, online softmax, no score matrix in memory.

Dao 2023 (arXiv 2307.08691), algorithm 1: one program owns BM queries of one head and walks over the keys, BN at a
time, keeping for each row the running maximum m, the sum l and the unnormalised output. Causal masks are aligned
to the bottom right. Grouped heads are shared by index. Importing this needs no GPU; see device.settle() for what
must be decided before.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

LOG2_E = math.log2(math.e)
D_MIN, D_MAX = 16, 256


class Config(NamedTuple):
    """Tile of queries, tile of keys, warps and software-pipeline stages."""

    bm: int
    bn: int
    warps: int
    stages: int


class Output(NamedTuple):
    """o [batch, h_q, n_q, d] in the inputs' dtype, lse [batch, h_q, n_q] in float32 (natural logarithm)."""

    o: Tensor
    lse: Tensor


INTERPRETED = Config(64, 64, 4, 1)


def config(d: int, dtype: torch.dtype) -> Config:
    """The setting for a head size and dtype, chosen to compile without spills from sm_80 on (see the tests) and to
    fit the shared memory of the chip it is compiled for."""
    if dtype == torch.float32:
        return Config(64, 32, 4, 2) if d <= 128 else Config(32, 32, 4, 1)
    if d <= 64:
        return Config(128, 64, 4, 3)
    return Config(128, 64, 8, 3) if d <= 128 else Config(64, 32, 8, 2)


def flash(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: bool = False,
    scale: float | None = None,
    setting: Config | None = None,
) -> Output:
    """Attention of q [batch, h_q, n_q, d] over k, v [batch, h_kv, n_kv, d], any strides, any lengths.

    h_kv divides h_q; d is from 16 to 256; scale defaults to 1/sqrt(d). A query that sees no key (n_q > n_kv with a
    causal mask) gives 0 and a log-sum-exp of -inf. Raises ValueError for shapes or dtypes that do not fit.
    """
    _check(q, k, v)
    batch, h_q, n_q, d = q.shape
    h_kv, n_kv = k.shape[1:3]
    bm, bn, warps, stages = setting or config(d, q.dtype)
    o = torch.empty((batch, h_q, n_q, d), dtype=q.dtype, device=q.device)
    lse = torch.empty((batch, h_q, n_q), dtype=torch.float32, device=q.device)
    grid = (triton.cdiv(n_q, bm) * batch * h_q,)
    forward[grid](
        q, k, v, o, lse,
        *q.stride(), *k.stride(), *v.stride(), *o.stride(),
        n_q, n_kv, h_q, h_q // h_kv,
        (scale if scale is not None else d**-0.5) * LOG2_E,
        D=d, BLOCK_D=max(triton.next_power_of_2(d), 16), BM=bm, BN=bn, CAUSAL=causal,
        num_warps=warps, num_stages=stages,
    )  # fmt: skip
    return Output(o, lse)


def _check(q: Tensor, k: Tensor, v: Tensor) -> None:
    if q.ndim != 4 or k.ndim != 4 or k.shape != v.shape:
        raise ValueError("q, k and v must be [batch, heads, tokens, d], k and v of one shape.")
    if q.size(0) != k.size(0) or q.size(3) != k.size(3) or q.size(1) % k.size(1):
        raise ValueError("q and k must agree in batch and d, and h_q must be a multiple of h_kv.")
    if not D_MIN <= q.size(3) <= D_MAX:
        raise ValueError(f"d must be from {D_MIN} to {D_MAX}; it is {q.size(3)}.")
    if not (q.dtype == k.dtype == v.dtype) or q.dtype not in (torch.float16, torch.bfloat16, torch.float32):
        raise ValueError("q, k and v must share one dtype: float16, bfloat16 or float32.")
    if q.device.type == "cpu" and q.dtype == torch.bfloat16:
        raise ValueError("Triton's interpreter computes wrong products in bfloat16; use float16 or float32.")


@triton.jit  # type: ignore[untyped-decorator]
def _load(pointers, key, n_kv, dim, D: tl.constexpr, BLOCK_D: tl.constexpr, RAGGED: tl.constexpr):  # type: ignore[no-untyped-def]
    """A tile of k or v. Padding of the head size reads 0, and so do keys past the end where RAGGED."""
    if RAGGED and D < BLOCK_D:
        return tl.load(pointers, mask=(key < n_kv) & (dim < D), other=0.0)
    elif RAGGED:
        return tl.load(pointers, mask=key < n_kv, other=0.0)
    elif D < BLOCK_D:
        return tl.load(pointers, mask=dim < D, other=0.0)
    else:
        return tl.load(pointers)


@triton.jit  # type: ignore[untyped-decorator]
def _walk(  # type: ignore[no-untyped-def]
    acc, m, ell, q, K, V, k_row, k_col, v_row, v_col, first, last, sees, n_kv, scale,
    D: tl.constexpr, BLOCK_D: tl.constexpr, BN: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Takes the keys [first, last) into the running softmax.

    Invariant: with s the scores so far in units of log 2, m = max s, ell = sum 2^(s - m), acc = sum 2^(s - m) v.
    MASKED says that a row sees only the keys below its `sees`; without it, it sees every key of the run.
    """
    dim = tl.arange(0, BLOCK_D)
    for start in range(first, last, BN):
        key = start + tl.arange(0, BN)
        far = key.to(tl.int64)  # a stride times a position may not fit 32 bits
        k_at = K + far[None, :] * k_row + dim[:, None].to(tl.int64) * k_col
        k = _load(k_at, key[None, :], n_kv, dim[:, None], D, BLOCK_D, MASKED)
        s = tl.dot(q, k, input_precision="ieee") * scale
        if MASKED:
            s = tl.where(key[None, :] < sees[:, None], s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        # A row that has seen nothing yet has m = -inf, and -inf - -inf is NaN.
        base = tl.where(m_new == float("-inf"), 0.0, m_new) if MASKED else m_new
        p = tl.exp2(s - base[:, None])
        alpha = tl.exp2(m - base)
        v_at = V + far[:, None] * v_row + dim[None, :].to(tl.int64) * v_col
        v = _load(v_at, key[:, None], n_kv, dim[None, :], D, BLOCK_D, MASKED)
        ell = ell * alpha + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        m = m_new
    return acc, m, ell


@triton.jit(do_not_specialize=["n_q", "n_kv"])  # type: ignore[untyped-decorator]
def forward(  # type: ignore[no-untyped-def]
    Q, K, V, OUT, LSE,
    q_batch, q_head, q_row, q_col, k_batch, k_head, k_row, k_col,
    v_batch, v_head, v_row, v_col, o_batch, o_head, o_row, o_col,
    n_q, n_kv, h_q, group, scale,
    D: tl.constexpr, BLOCK_D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """One program: BM queries of one head. scale includes log2(e), so that 2^s stands for e^(scores)."""
    tiles = tl.cdiv(n_q, BM)
    tile = tl.program_id(0) % tiles
    row_of_heads = tl.program_id(0) // tiles
    if CAUSAL:
        tile = tiles - 1 - tile  # the longest walks start first, so that no multiprocessor ends alone
    batch = (row_of_heads // h_q).to(tl.int64)
    head = (row_of_heads % h_q).to(tl.int64)
    K += batch * k_batch + head // group * k_head
    V += batch * v_batch + head // group * v_head

    m0 = tile * BM
    row = m0 + tl.arange(0, BM)
    dim = tl.arange(0, BLOCK_D)
    far = row.to(tl.int64)
    there = (row[:, None] < n_q) & (dim[None, :] < D)
    q_at = Q + batch * q_batch + head * q_head + far[:, None] * q_row + dim[None, :].to(tl.int64) * q_col
    q = tl.load(q_at, mask=there, other=0.0)

    # The same bounds as in tiles.bounds(): no mask before `full`, nothing at all from `seen` on.
    if CAUSAL:
        shift = n_kv - n_q
        sees = tl.minimum(tl.maximum(row + 1 + shift, 0), n_kv)
        full = tl.minimum(tl.maximum(m0 + 1 + shift, 0), n_kv) // BN * BN
        seen = tl.minimum(tl.maximum(tl.minimum(m0 + BM, n_q) + shift, 0), n_kv)
    else:
        sees = tl.zeros([BM], tl.int32) + n_kv
        full = n_kv // BN * BN
        seen = n_kv
    acc = tl.zeros([BM, BLOCK_D], tl.float32)
    m = tl.full([BM], float("-inf"), tl.float32)
    ell = tl.zeros([BM], tl.float32)
    acc, m, ell = _walk(
        acc, m, ell, q, K, V, k_row, k_col, v_row, v_col, 0, full, sees, n_kv, scale, D, BLOCK_D, BN, False
    )  # fmt: skip
    acc, m, ell = _walk(
        acc, m, ell, q, K, V, k_row, k_col, v_row, v_col, full, seen, sees, n_kv, scale, D, BLOCK_D, BN, True
    )  # fmt: skip

    empty = ell == 0.0
    divisor = tl.where(empty, 1.0, ell)
    o_at = OUT + batch * o_batch + head * o_head + far[:, None] * o_row + dim[None, :].to(tl.int64) * o_col
    tl.store(o_at, (acc / divisor[:, None]).to(OUT.dtype.element_ty), mask=there)
    lse = tl.where(empty, float("-inf"), (m + tl.log2(divisor)) * 0.6931471805599453)
    tl.store(LSE + row_of_heads.to(tl.int64) * n_q + row, lse, mask=row < n_q)

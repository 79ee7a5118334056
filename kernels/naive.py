"""Attention as three Triton kernels that hand their matrices on through memory: what fusing them saves.

Scores S = q · kᵀ are written out, read by a softmax that writes the weights P, which are read for P · v. In between
both matrices [batch, h_q, n_q, n_kv] exist in full, in the inputs' dtype, as plain PyTorch holds them. Masked cells are
computed and then hidden, as there, too. Same contract as flash(), but the log-sum-exp is that of the stored scores.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from kernels.attention import Output
from kernels.flash import check_inputs, load_rows

ROW_LIMIT = 2**16
"""Keys that a row of the softmax holds in registers at once."""
TILE = 64


def naive(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
) -> Output:
    """Attention of q [batch, h_q, n_q, d] over k, v [batch, h_kv, n_kv, d] in three launches; see flash().

    Raises ValueError for what does not fit, and for more than 65,536 keys.
    """
    check_inputs(q, k, v, causal, window, scale)
    batch, h_q, n_q, d = q.shape
    h_kv, n_kv = k.shape[1:3]
    if n_kv > ROW_LIMIT:
        raise ValueError(f"n_kv must be at most {ROW_LIMIT:,}; it is {n_kv:,}.")
    s, p = (torch.empty((batch, h_q, n_q, n_kv), dtype=q.dtype, device=q.device) for _ in range(2))
    o = torch.empty((batch, h_q, n_q, d), dtype=q.dtype, device=q.device)
    lse = torch.empty((batch, h_q, n_q), dtype=torch.float32, device=q.device)
    sizes = {
        "D": d,
        "BLOCK_D": max(triton.next_power_of_2(d), 16),
        "BM": TILE,
        "BN": TILE,
        "enable_fp_fusion": True,
    }
    heads = (h_q, h_q // h_kv)
    rows, cols = triton.cdiv(n_q, TILE), triton.cdiv(n_kv, TILE)
    scores[rows, cols, batch * h_q](
        q, k, s, *q.stride(), *k.stride(), n_q, n_kv, *heads, d**-0.5 if scale is None else scale, window or 0,
        CAUSAL=causal, WINDOWED=window is not None, **sizes,
    )  # fmt: skip
    width = triton.next_power_of_2(n_kv)
    together = max(4096 // width, 1)
    softmax[(triton.cdiv(batch * h_q * n_q, together),)](
        s, p, lse, batch * h_q * n_q, n_kv, ROWS=together, N=width,
        num_warps=min(max(width // 1024, 4), 32), enable_fp_fusion=True,
    )  # fmt: skip
    mix[rows, batch * h_q](p, v, o, *v.stride(), n_q, n_kv, *heads, **sizes)
    return Output(o, lse)


@triton.jit(do_not_specialize=["n_q", "n_kv", "window"])  # type: ignore[untyped-decorator]
def scores(  # type: ignore[no-untyped-def]
    Q, K, S, q_batch, q_head, q_row, q_col, k_batch, k_head, k_row, k_col, n_q, n_kv, h_q, group, scale, window,
    D: tl.constexpr, BLOCK_D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    CAUSAL: tl.constexpr, WINDOWED: tl.constexpr,
):  # fmt: skip
    """One program: a tile of S, scaled in float32, hidden cells -inf."""
    m0, n0 = tl.program_id(0) * BM, tl.program_id(1) * BN
    row_of_heads = tl.program_id(2).to(tl.int64)
    batch, head = row_of_heads // h_q, row_of_heads % h_q
    Q += batch * q_batch + head * q_head
    K += batch * k_batch + head // group * k_head
    q = load_rows(Q, q_row, q_col, 0, 0, m0, n_q, D, BLOCK_D, BM, True, False)
    k = load_rows(K, k_row, k_col, 0, 0, n0, n_kv, D, BLOCK_D, BN, True, False)
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    row, key = m0 + tl.arange(0, BM), n0 + tl.arange(0, BN)
    if CAUSAL:
        last = row + n_kv - n_q
        s = tl.where(key[None, :] <= last[:, None], s, float("-inf"))
        if WINDOWED:
            s = tl.where(key[None, :] > last[:, None] - window, s, float("-inf"))
    at = S + (row_of_heads * n_q + row)[:, None] * n_kv + key[None, :]
    tl.store(at, s.to(S.dtype.element_ty), mask=(row[:, None] < n_q) & (key[None, :] < n_kv))


@triton.jit(do_not_specialize=["rows", "n_kv"])  # type: ignore[untyped-decorator]
def softmax(S, P, LSE, rows, n_kv, ROWS: tl.constexpr, N: tl.constexpr):  # type: ignore[no-untyped-def]
    """One program: some rows of weights, and their log-sum-exp. A row of nothing but -inf becomes 0, not 0/0."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    key = tl.arange(0, N)
    at = row[:, None] * n_kv + key[None, :]
    there = (row[:, None] < rows) & (key[None, :] < n_kv)
    s = tl.load(S + at, mask=there, other=float("-inf")).to(tl.float32)
    m = tl.max(s, 1)
    e = tl.exp(s - tl.where(m == float("-inf"), 0.0, m)[:, None])
    ell = tl.sum(e, 1)
    divisor = tl.where(ell == 0.0, 1.0, ell)
    tl.store(P + at, (e / divisor[:, None]).to(P.dtype.element_ty), mask=there)
    tl.store(LSE + row, m + tl.log(divisor), mask=row < rows)


@triton.jit(do_not_specialize=["n_q", "n_kv"])  # type: ignore[untyped-decorator]
def mix(  # type: ignore[no-untyped-def]
    P, V, OUT, v_batch, v_head, v_row, v_col, n_q, n_kv, h_q, group,
    D: tl.constexpr, BLOCK_D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """One program: BM rows of o = P · v, the products added up in float32."""
    m0 = tl.program_id(0) * BM
    row_of_heads = tl.program_id(1).to(tl.int64)
    batch, head = row_of_heads // h_q, row_of_heads % h_q
    V += batch * v_batch + head // group * v_head
    row = m0 + tl.arange(0, BM)
    P += (row_of_heads * n_q + row)[:, None] * n_kv
    acc = tl.zeros([BM, BLOCK_D], tl.float32)
    for start in range(0, n_kv, BN):
        key = start + tl.arange(0, BN)
        p = tl.load(P + key[None, :], mask=(row[:, None] < n_q) & (key[None, :] < n_kv), other=0.0)
        v = load_rows(V, v_row, v_col, 0, 0, start, n_kv, D, BLOCK_D, BN, True, False)
        acc = tl.dot(p, v, acc, input_precision="ieee")
    dim = tl.arange(0, BLOCK_D)
    at = OUT + (row_of_heads * n_q + row)[:, None] * D + dim[None, :]
    tl.store(at, acc.to(OUT.dtype.element_ty), mask=(row[:, None] < n_q) & (dim[None, :] < D))

"""Split-KV decoding (Flash-Decoding) in Triton: a few new queries against a long cache.

Two kernels. `attend` runs one program for each key/value head and split of the keys; it packs the queries of all heads
that share the keys into one tile, so that each key and value is read once, and writes the split's output and
log-sum-exp. `combine` merges the splits by their log-sum-exps: see split_kv.merge(), which is the same in PyTorch.
The queries are the last n_q positions, so masks are aligned to the bottom right. Importing this needs no GPU; see
device.settle() for what must be decided before.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from kernels.attention import Output
from kernels.inputs import check_tensors
from kernels.split_kv import MOST_SPLITS, Plan, choose_splits, plan

LOG2_E = math.log2(math.e)
N_Q_MAX = 16
ROWS_MAX = 64
MULTIPROCESSORS = 132
"""Those of an H100 or H200 (SXM), taken where no GPU tells its own."""


class Tile(NamedTuple):
    """Tile of packed query rows, tile of keys, warps and software-pipeline stages."""

    bm: int
    bn: int
    warps: int
    stages: int


class Parts(NamedTuple):
    """What each split found: o [splits, batch, h_q, n_q, d] and lse [splits, batch, h_q, n_q], both in float32."""

    o: Tensor
    lse: Tensor


def config(rows: int, d: int, dtype: torch.dtype) -> Tile:
    """The setting for a number of packed rows (n_q times the group), a head size and a dtype.

    16 rows are the least a tensor core takes; keys are what is waited for, so their tiles are as large as registers and
    shared memory allow from sm_80 on (see the tests). On sm_120 alone 64 rows of 128 spill four registers; two
    stages would not, and would fetch less ahead on every other chip.
    """
    bm = min(max(triton.next_power_of_2(rows), 16), ROWS_MAX)
    if dtype == torch.float32:
        return Tile(bm, 32, 4, 2) if d <= 128 else Tile(bm, 16, 4, 2)
    wide = d > 128
    bn = 32 if wide else 128 if d <= 64 and bm < ROWS_MAX else 64
    warps = 8 if bm == ROWS_MAX or (wide and bm > 16) else 4
    return Tile(bm, bn, warps, 2 if wide else 3)


def multiprocessors(device: torch.device) -> int:
    """How many the GPU has."""
    return (
        torch.cuda.get_device_properties(device).multi_processor_count
        if device.type == "cuda"
        else MULTIPROCESSORS
    )


def decode(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    splits: int | None = None,
    window: int | None = None,
    scale: float | None = None,
    setting: Tile | None = None,
) -> Output:
    """Attention of the last n_q positions, q [batch, h_q, n_q, d], over a cache k, v [batch, h_kv, n_kv, d].

    Any strides, any n_kv; n_q is from 1 to 16 and causal; d is from 16 to 256; h_kv divides h_q. A window of W lets
    each query see itself and the W - 1 keys before it, and earlier tiles are not read. scale defaults to 1/sqrt(d).
    The number of splits, unless given, is chosen for the chip. A query that sees no key (n_q > n_kv) gives 0 and a
    log-sum-exp of -inf. Raises ValueError for shapes or dtypes that do not fit.
    """
    setting, shared = _settle(q, k, v, splits, window, setting)
    o = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    lse = torch.empty(q.shape[:3], dtype=torch.float32, device=q.device)
    if shared.splits == 1:  # the one part is the whole: it is written where the merge would write
        _attend(q, k, v, Parts(o[None], lse[None]), shared, window, scale, setting)
        return Output(o, lse)
    parts = _room(q, shared.splits)
    _attend(q, k, v, parts, shared, window, scale, setting)
    d = q.size(-1)
    combine[(lse.numel(),)](
        parts.o, parts.lse, o, lse, lse.numel(), shared.splits,
        D=d, BLOCK_D=max(triton.next_power_of_2(d), 16), BLOCK_S=triton.next_power_of_2(shared.splits),
        num_warps=1 if d <= 64 else 2,
    )  # fmt: skip
    return Output(o, lse)


def partials(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    splits: int | None = None,
    window: int | None = None,
    scale: float | None = None,
    setting: Tile | None = None,
) -> Parts:
    """The first of the two steps of decode() alone: what each split found, to be merged."""
    setting, shared = _settle(q, k, v, splits, window, setting)
    parts = _room(q, shared.splits)
    _attend(q, k, v, parts, shared, window, scale, setting)
    return parts


def _settle(
    q: Tensor, k: Tensor, v: Tensor, splits: int | None, window: int | None, setting: Tile | None
) -> tuple[Tile, Plan]:
    _check(q, k, v, splits, window)
    batch, h_q, n_q, d = q.shape
    h_kv, n_kv = k.shape[1:3]
    rows = h_q // h_kv * n_q
    setting = setting or config(rows, d, q.dtype)
    if splits is None:
        whole = plan(n_q, n_kv, bn=setting.bn, splits=1, window=window)
        programs = batch * h_kv * triton.cdiv(rows, setting.bm)
        splits = choose_splits(programs, whole.chunk // setting.bn, multiprocessors(q.device))
    return setting, plan(n_q, n_kv, bn=setting.bn, splits=splits, window=window)


def _room(q: Tensor, splits: int) -> Parts:
    o = torch.empty((splits, *q.shape), dtype=torch.float32, device=q.device)
    return Parts(o, torch.empty((splits, *q.shape[:3]), dtype=torch.float32, device=q.device))


def _attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    parts: Parts,
    shared: Plan,
    window: int | None,
    scale: float | None,
    setting: Tile,
) -> None:
    batch, h_q, n_q, d = q.shape
    h_kv, n_kv = k.shape[1:3]
    group = h_q // h_kv
    bm, bn, warps, stages = setting
    grid = (shared.splits * triton.cdiv(group * n_q, bm) * batch * h_kv,)
    attend[grid](
        q, k, v, parts.o, parts.lse,
        *q.stride(), *k.stride(), *v.stride(),
        n_q, n_kv, h_kv, group, batch, shared.splits, shared.first, shared.chunk, window or 0,
        (scale if scale is not None else d**-0.5) * LOG2_E,
        D=d, BLOCK_D=max(triton.next_power_of_2(d), 16), BM=bm, BN=bn, WINDOW=window is not None,
        num_warps=warps, num_stages=stages,
    )  # fmt: skip


def _check(q: Tensor, k: Tensor, v: Tensor, splits: int | None, window: int | None) -> None:
    check_tensors(q, k, v)
    if not 1 <= q.size(2) <= N_Q_MAX:
        raise ValueError(f"n_q must be from 1 to {N_Q_MAX}; it is {q.size(2)}. Use flash() for more queries.")
    if splits is not None and not 1 <= splits <= MOST_SPLITS:
        raise ValueError(f"splits must be from 1 to {MOST_SPLITS}; it is {splits}.")
    if window is not None and window < 1:
        raise ValueError(f"A window holds at least the query's own key; it is {window}.")


@triton.jit(do_not_specialize=["n_q", "n_kv", "splits", "first", "chunk", "window"])  # type: ignore[untyped-decorator]
def attend(  # type: ignore[no-untyped-def]
    Q, K, V, PART, LSE,
    q_batch, q_head, q_row, q_col, k_batch, k_head, k_row, k_col, v_batch, v_head, v_row, v_col,
    n_q, n_kv, h_kv, group, batches, splits, first, chunk, window, scale,
    D: tl.constexpr, BLOCK_D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, WINDOW: tl.constexpr,
):  # fmt: skip
    """One program: BM packed query rows of one key/value head, over the keys of one split.

    Row r of a group is query r % n_q of its head r // n_q. scale includes log2(e), so that 2^s stands for e^(scores).
    """
    tiles = tl.cdiv(group * n_q, BM)
    split = tl.program_id(0) % splits
    tile = tl.program_id(0) // splits % tiles
    kv = tl.program_id(0) // splits // tiles
    batch = (kv // h_kv).to(tl.int64)
    kv_head = (kv % h_kv).to(tl.int64)
    K += batch * k_batch + kv_head * k_head
    V += batch * v_batch + kv_head * v_head

    packed = tile * BM + tl.arange(0, BM)
    here = packed < group * n_q
    query = packed % n_q
    head = kv_head * group + packed // n_q
    dim = tl.arange(0, BLOCK_D)
    wide = dim.to(tl.int64)  # a stride times a position may not fit 32 bits
    q_at = (
        Q
        + batch * q_batch
        + head[:, None] * q_head
        + query[:, None].to(tl.int64) * q_row
        + wide[None, :] * q_col
    )
    q = tl.load(q_at, mask=here[:, None] & (dim[None, :] < D), other=0.0)

    # Each row sees the keys [since, until). A step waits for keys and values, not for arithmetic, so every tile is
    # masked instead of those at the ends alone.
    until = tl.minimum(tl.maximum(n_kv - n_q + query + 1, 0), n_kv)
    since = until - window
    start = tl.minimum(first + split * chunk, n_kv)
    end = tl.minimum(start + chunk, n_kv)
    acc = tl.zeros([BM, BLOCK_D], tl.float32)
    m = tl.full([BM], float("-inf"), tl.float32)
    ell = tl.zeros([BM], tl.float32)
    for at in range(start, end, BN):
        # Invariant: with s the scores so far in units of log 2, m = max s, ell = sum 2^(s - m), acc = sum 2^(s - m) v.
        key = at + tl.arange(0, BN)
        far = key.to(tl.int64)
        k_mask = (key[None, :] < n_kv) & (dim[:, None] < D)
        k = tl.load(K + far[None, :] * k_row + wide[:, None] * k_col, mask=k_mask, other=0.0)
        s = tl.dot(q, k, input_precision="ieee") * scale
        seen = key[None, :] < until[:, None]
        if WINDOW:
            seen = seen & (key[None, :] >= since[:, None])
        s = tl.where(seen, s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        base = tl.where(m_new == float("-inf"), 0.0, m_new)  # nothing seen yet: -inf - -inf would be NaN
        p = tl.exp2(s - base[:, None])
        alpha = tl.exp2(m - base)
        v_mask = (key[:, None] < n_kv) & (dim[None, :] < D)
        v = tl.load(V + far[:, None] * v_row + wide[None, :] * v_col, mask=v_mask, other=0.0)
        ell = ell * alpha + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        m = m_new

    empty = ell == 0.0
    divisor = tl.where(empty, 1.0, ell)
    row = ((split * batches + batch) * h_kv * group + head) * n_q + query
    o_at = PART + row[:, None] * D + dim[None, :]
    o = (acc / divisor[:, None]).to(PART.dtype.element_ty)
    tl.store(o_at, o, mask=here[:, None] & (dim[None, :] < D))
    lse = tl.where(empty, float("-inf"), (m + tl.log2(divisor)) * 0.6931471805599453)
    tl.store(LSE + row, lse, mask=here)


@triton.jit(do_not_specialize=["rows", "splits"])  # type: ignore[untyped-decorator]
def combine(  # type: ignore[no-untyped-def]
    PART, PART_LSE, OUT, LSE, rows, splits, D: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_S: tl.constexpr,
):  # fmt: skip
    """One program merges one row: with LSE = log sum_i e^(lse_i), the output is sum_i e^(lse_i - LSE) o_i.

    The splits are added in their order, so the same splits give the same bits on every run.
    """
    row = tl.program_id(0).to(tl.int64)
    split = tl.arange(0, BLOCK_S)
    lses = tl.load(PART_LSE + split.to(tl.int64) * rows + row, mask=split < splits, other=float("-inf"))
    largest = tl.max(lses, 0)
    base = tl.where(largest == float("-inf"), 0.0, largest)
    total = tl.sum(tl.exp(lses - base), 0)
    whole = tl.where(total == 0.0, float("-inf"), base + tl.log(tl.where(total == 0.0, 1.0, total)))
    dim = tl.arange(0, BLOCK_D)
    acc = tl.zeros([BLOCK_D], tl.float32)
    for i in range(splits):
        at = row + tl.cast(i, tl.int64) * rows
        weight = tl.exp(tl.load(PART_LSE + at) - tl.where(total == 0.0, 0.0, whole))
        acc += weight * tl.load(PART + at * D + dim, mask=dim < D, other=0.0)
    tl.store(OUT + row * D + dim, acc.to(OUT.dtype.element_ty), mask=dim < D)
    tl.store(LSE + row, whole)

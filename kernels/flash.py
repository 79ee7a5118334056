"""FlashAttention's forward pass as a Triton kernel: tiles, online softmax, no score matrix in memory.

Dao 2023 (arXiv 2307.08691), algorithm 1: one program owns BM queries of one head and walks over the keys, BN at a
time, keeping for each row the running maximum m, the sum l and the unnormalised output. Causal masks are aligned
to the bottom right; a sliding window keeps the last keys of each row. Grouped heads are shared by index. Importing
this needs no GPU; see device.settle() for what must be decided before.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton.compiler import CompiledKernel
from triton.runtime import driver
from triton.runtime.jit import JITFunction
from triton.tools.tensor_descriptor import TensorDescriptor

from kernels.attention import Output
from kernels.inputs import check_tensors
from kernels.timing import measure
from kernels.tuning import INTERPRETED, Chip, Choice, Config, Problem, candidates, config, fastest

LOG2_E = math.log2(math.e)
TUNED_FROM = 1024
"""Below this many queries or keys launching takes as long as computing, and one setting is as good as another."""


def flash(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    setting: Config | None = None,
) -> Output:
    """Attention of q [batch, h_q, n_q, d] over k, v [batch, h_kv, n_kv, d], any strides, any lengths.

    h_kv divides h_q; d is from 16 to 256; scale defaults to 1/sqrt(d) and is positive. window, with causal, lets each
    query see no more than that many keys, itself the last. A query that sees no key (n_q > n_kv with a causal mask)
    gives 0 and a log-sum-exp of -inf. setting defaults to setting_for(). Raises ValueError for what does not fit.
    """
    check_inputs(q, k, v, causal, window, scale)
    batch, h_q, n_q, d = q.shape
    setting = setting or setting_for(q, k, v, causal=causal, window=window)
    o = torch.empty((batch, h_q, n_q, d), dtype=q.dtype, device=q.device)
    lse = torch.empty((batch, h_q, n_q), dtype=torch.float32, device=q.device)
    grid = (triton.cdiv(n_q, setting.bm) * batch * h_q,)
    _call(forward[grid], q, k, v, o, lse, causal, window, scale, setting)
    return Output(o, lse)


def setting_for(q: Tensor, k: Tensor, v: Tensor, *, causal: bool, window: int | None = None) -> Config:
    """The setting that flash() takes by itself: on a GPU, for long sequences, the fastest of those that are timed."""
    if not isinstance(forward, JITFunction):
        return INTERPRETED
    if min(q.size(2), k.size(2)) < TUNED_FROM:
        return config(q.size(3), q.dtype)
    return choose(q, k, v, causal=causal, window=window).setting


def choose(q: Tensor, k: Tensor, v: Tensor, *, causal: bool, window: int | None = None) -> Choice:
    """All candidates for such tensors with their times on this GPU, and the fastest."""
    problem = Problem(q.size(3), q.dtype, causal, window is not None, describable(k) and describable(v))
    return _choose(problem, q.device)


@cache
def _choose(problem: Problem, device: torch.device) -> Choice:
    """Once a process: times every candidate on 16 heads of 4,096 tokens."""
    d, dtype, causal, windowed, _ = problem
    q, k, v = (torch.randn(1, 16, 4096, d, device=device, dtype=dtype) for _ in range(3))
    window = 1024 if windowed else None
    major, minor = torch.cuda.get_device_capability(device)
    shared = driver.active.utils.get_device_properties(device.index)["max_shared_mem"]

    def build(setting: Config) -> None:
        with torch.cuda.device(device):  # a thread starts with the first one
            warm(q, k, v, causal=causal, window=window, setting=setting)

    def time(setting: Config) -> float:
        call = partial(flash, q, k, v, causal=causal, window=window, setting=setting)
        return measure(call, "cuda", budget_s=0.3).median

    chip = Chip(10 * major + minor, shared)
    return fastest(candidates(problem, chip), build=build, time=time)


def describable(x: Tensor) -> bool:
    """Whether TMA can address x: rows without gaps, 16-byte steps, nothing repeated by a stride of 0."""
    step = 16 // x.element_size()
    return (
        x.numel() > 0
        and x.data_ptr() % 16 == 0
        and x.stride(-1) == 1
        and all(n > 0 and n % step == 0 for n in x.stride()[:-1])
    )


def warm(
    q: Tensor, k: Tensor, v: Tensor, *, causal: bool, window: int | None = None, setting: Config
) -> CompiledKernel:
    """Builds what flash() would launch for such tensors, and launches nothing; several threads may do so at once."""
    o = torch.empty_like(q)
    lse = torch.empty(q.shape[:3], dtype=torch.float32, device=q.device)
    return _call(partial(forward.warmup, grid=(1,)), q, k, v, o, lse, causal, window, None, setting)


def _call(
    launch: Callable[..., object], q: Tensor, k: Tensor, v: Tensor, o: Tensor, lse: Tensor,
    causal: bool, window: int | None, scale: float | None, setting: Config,
) -> object:  # fmt: skip
    """Hands everything to `launch`, which starts the kernel or only builds it."""
    h_q, n_q, d = q.shape[1:]
    h_kv, n_kv = k.shape[1:3]
    block_d = max(triton.next_power_of_2(d), 16)
    tma = setting.tma and describable(k) and describable(v)
    at = (
        [TensorDescriptor(x, x.shape, x.stride(), [1, 1, setting.bn, block_d]) for x in (k, v)]
        if tma
        else (k, v)
    )
    return launch(
        q, *at, o, lse,
        *q.stride(), *k.stride(), *v.stride(), *o.stride(),
        n_q, n_kv, h_q, h_q // h_kv, window or 0,
        (d**-0.5 if scale is None else scale) * LOG2_E,
        D=d, BLOCK_D=block_d, BM=setting.bm, BN=setting.bn, CAUSAL=causal, WINDOWED=window is not None, TMA=tma,
        num_warps=setting.warps, num_stages=setting.stages, enable_fp_fusion=True,
    )  # fmt: skip


def check_inputs(
    q: Tensor, k: Tensor, v: Tensor, causal: bool, window: int | None, scale: float | None
) -> None:
    """Raises ValueError, in a sentence, for shapes, dtypes or rules that the kernels do not compute."""
    check_tensors(q, k, v)
    if window is not None and not (causal and window > 0):
        raise ValueError("window must be at least 1 and goes with a causal mask.")
    if scale is not None and not scale > 0:
        raise ValueError("scale must be positive: the running maximum is that of the unscaled scores.")


@triton.jit  # type: ignore[untyped-decorator]
def load_rows(  # type: ignore[no-untyped-def]
    X, x_row, x_col, batch, head, start, n,
    D: tl.constexpr, BLOCK_D: tl.constexpr, ROWS: tl.constexpr, RAGGED: tl.constexpr, TMA: tl.constexpr,
):  # fmt: skip
    """[ROWS, BLOCK_D]: the rows from `start` on. Padding of the head size reads 0, rows past the end where RAGGED.

    X is a descriptor of all heads (TMA fills what lies outside with 0 by itself), or a pointer to one head.
    """
    if TMA:
        return X.load([batch, head, start, 0]).reshape([ROWS, BLOCK_D])
    else:
        row = tl.arange(0, ROWS)
        dim = tl.arange(0, BLOCK_D)
        # A stride times a position may not fit 32 bits.
        at = (
            X
            + tl.cast(start, tl.int64) * x_row
            + row.to(tl.int64)[:, None] * x_row
            + dim.to(tl.int64)[None, :] * x_col
        )
        if RAGGED and D < BLOCK_D:
            return tl.load(at, mask=(row[:, None] < n - start) & (dim[None, :] < D), other=0.0)
        elif RAGGED:
            return tl.load(at, mask=row[:, None] < n - start, other=0.0)
        elif D < BLOCK_D:
            return tl.load(at, mask=dim[None, :] < D, other=0.0)
        else:
            return tl.load(at)


@triton.jit  # type: ignore[untyped-decorator]
def _walk(  # type: ignore[no-untyped-def]
    acc, m, ell, q, K, V, k_row, k_col, v_row, v_col, batch, head, first, last, opens, closes, n_kv, scale,
    D: tl.constexpr, BLOCK_D: tl.constexpr, BN: tl.constexpr,
    MASKED: tl.constexpr, WINDOWED: tl.constexpr, TMA: tl.constexpr,
):  # fmt: skip
    """Takes the keys [first, last) into the running softmax.

    Invariant: with s the scores so far in units of log 2, m = max s, ell = sum 2^(s - m), acc = sum 2^(s - m) v.
    MASKED says that a row sees only the keys in [opens, closes); without it, it sees every key of the run.
    """
    for start in range(first, last, BN):
        k = load_rows(K, k_row, k_col, batch, head, start, n_kv, D, BLOCK_D, BN, MASKED, TMA)
        s = tl.dot(q, tl.trans(k), input_precision="ieee")
        if MASKED:
            key = start + tl.arange(0, BN)
            seen = key[None, :] < closes[:, None]
            if WINDOWED:
                seen = seen & (key[None, :] >= opens[:, None])
            s = tl.where(seen, s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1) * scale)
        # A row that has seen nothing yet has m = -inf, and -inf - -inf is NaN.
        base = tl.where(m_new == float("-inf"), 0.0, m_new) if MASKED else m_new
        p = tl.exp2(s * scale - base[:, None])  # scaled and shifted in one multiply-add
        alpha = tl.exp2(m - base)
        v = load_rows(V, v_row, v_col, batch, head, start, n_kv, D, BLOCK_D, BN, MASKED, TMA)
        ell = ell * alpha + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        m = m_new
    return acc, m, ell


@triton.jit(do_not_specialize=["n_q", "n_kv", "window"])  # type: ignore[untyped-decorator]
def forward(  # type: ignore[no-untyped-def]
    Q, K, V, OUT, LSE,
    q_batch, q_head, q_row, q_col, k_batch, k_head, k_row, k_col,
    v_batch, v_head, v_row, v_col, o_batch, o_head, o_row, o_col,
    n_q, n_kv, h_q, group, window, scale,
    D: tl.constexpr, BLOCK_D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    CAUSAL: tl.constexpr, WINDOWED: tl.constexpr, TMA: tl.constexpr,
):  # fmt: skip
    """One program: BM queries of one head. scale includes log2(e), so that 2^(s · scale) stands for e^(scores)."""
    tiles = tl.cdiv(n_q, BM)
    tile = tl.program_id(0) % tiles
    row_of_heads = tl.program_id(0) // tiles
    if CAUSAL:
        tile = tiles - 1 - tile  # the longest walks start first, so that no multiprocessor ends alone
    batch = row_of_heads // h_q
    head = row_of_heads % h_q
    shared = head // group
    Q += batch.to(tl.int64) * q_batch + head.to(tl.int64) * q_head
    OUT += batch.to(tl.int64) * o_batch + head.to(tl.int64) * o_head
    if not TMA:
        K += batch.to(tl.int64) * k_batch + shared.to(tl.int64) * k_head
        V += batch.to(tl.int64) * v_batch + shared.to(tl.int64) * v_head
    m0 = tile * BM
    row = m0 + tl.arange(0, BM)
    q = load_rows(Q, q_row, q_col, batch, head, m0, n_q, D, BLOCK_D, BM, True, False)

    # The same bounds as in tiles.bounds(): nothing before `first`, no mask from `whole` to `full`, nothing from `seen`.
    first = 0
    whole = 0
    if CAUSAL:
        shift = n_kv - n_q
        closes = row + 1 + shift
        seen_by_first = tl.maximum(m0 + 1 + shift, 0)
        seen = tl.maximum(tl.minimum(m0 + BM, n_q) + shift, 0)
        full = seen_by_first // BN * BN
        if WINDOWED:
            first = tl.maximum(seen_by_first - window, 0) // BN * BN
            whole = tl.minimum(tl.cdiv(tl.maximum(seen - window, 0), BN) * BN, full)
    else:
        closes = tl.zeros([BM], tl.int32) + n_kv
        full = n_kv // BN * BN
        seen = n_kv
    opens = closes - window
    acc = tl.zeros([BM, BLOCK_D], tl.float32)
    m = tl.full([BM], float("-inf"), tl.float32)
    ell = tl.zeros([BM], tl.float32)
    if WINDOWED:
        acc, m, ell = _walk(
            acc, m, ell, q, K, V, k_row, k_col, v_row, v_col, batch, shared, first, whole, opens, closes, n_kv, scale,
            D, BLOCK_D, BN, True, True, TMA,
        )  # fmt: skip
    acc, m, ell = _walk(
        acc, m, ell, q, K, V, k_row, k_col, v_row, v_col, batch, shared, whole, full, opens, closes, n_kv, scale,
        D, BLOCK_D, BN, False, False, TMA,
    )  # fmt: skip
    acc, m, ell = _walk(
        acc, m, ell, q, K, V, k_row, k_col, v_row, v_col, batch, shared, full, seen, opens, closes, n_kv, scale,
        D, BLOCK_D, BN, True, WINDOWED, TMA,
    )  # fmt: skip

    # A row that saw nothing is 0 whatever stood in the values of its tile.
    empty = ell == 0.0
    divisor = tl.where(empty, 1.0, ell)
    o = tl.where(empty[:, None], 0.0, acc / divisor[:, None])
    dim = tl.arange(0, BLOCK_D)
    o_at = OUT + row.to(tl.int64)[:, None] * o_row + dim.to(tl.int64)[None, :] * o_col
    tl.store(o_at, o.to(OUT.dtype.element_ty), mask=(row[:, None] < n_q) & (dim[None, :] < D))
    lse = tl.where(empty, float("-inf"), (m + tl.log2(divisor)) * 0.6931471805599453)
    tl.store(LSE + row_of_heads.to(tl.int64) * n_q + row, lse, mask=row < n_q)

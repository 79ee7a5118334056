"""The demo `attention`: one head step by step, its checks, and from 1,024 tokens on what it costs."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from kernels import draw
from kernels.attention import Align, Rules, Steps, attention, causal_mask, reference, softmax, steps
from kernels.demos import attention_code, attention_cost
from kernels.job import Job
from kernels.numerics import DTYPES, entropy, finite_max, is_close, max_error, rounding_bound
from kernels.numerics import draw as draw_inputs
from kernels.result import Block, Check, Code, Column, Note, Row, Table

BOOK_LABELS = ("The", "cat", "sat", "down")
BOOK_SCORES = (
    (2.1, 0.8, -0.4, 1.2),
    (0.9, 2.5, 1.1, 0.3),
    (0.2, 1.8, 2.0, -0.5),
    (0.1, 0.9, 1.7, 2.2),
)
ROWS_SHOWN = 32
SCALING_ROWS = 256


class Setting(NamedTuple):
    """Everything that the blocks are made from. visible is always given: all True without a causal mask."""

    job: Job
    q: Tensor
    k: Tensor
    v: Tensor
    rules: Rules
    visible: Tensor
    align: Align | None

    @property
    def plain(self) -> bool:
        """Whether this is attention as it should be, not one of the broken variants."""
        return self.rules.fill == -math.inf and not self.rules.mask_after


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: shapes, mask, weights, rows, row-sums, error, causality, first-row, unseen, scaling, precision,
    timing, memory, code; those that do not apply are left out."""
    setting = _setting(job)
    attention_cost.refuse_if_too_large(job)
    job.progress(0.1, "Computing scores and weights")
    head, part, trace = _trace(setting)
    out = attention(setting.q, setting.k, setting.v, setting.rules)
    job.progress(0.3, "Checking against float64")
    blocks = [
        _shapes(setting),
        _mask(setting),
        _weights(setting, head, part, trace),
        _rows(setting, part, trace),
        _row_sums(setting, part, trace),
        _error(setting, head, out, trace),
        *_causality(setting, out),
        *_first_row(setting, out),
        *_unseen(setting),
        *_scaling(setting),
    ]
    if setting.plain:
        blocks += attention_cost.precision(
            setting.q, setting.k, setting.v, setting.rules, setting.align, head
        )
    if min(setting.visible.shape) >= attention_cost.MEASURED_FROM:
        blocks += attention_cost.time_and_memory(
            job, setting.q, setting.k, setting.v, setting.rules, setting.align
        )
    blocks.append(_code(job))
    return tuple(blocks)


def _setting(job: Job) -> Setting:
    n_q, n_kv, d_k, h_q, h_kv = job.whole("n_q", "n_kv", "d_k", "h_q", "h_kv")
    dtype = DTYPES[job.word("dtype")]
    scale = {"sqrt": 1 / math.sqrt(d_k), "none": 1.0, "d_k": 1 / d_k}[job.word("scale")]
    align: Align | None = None
    visible = torch.ones(n_q, n_kv, dtype=torch.bool, device=job.device)
    if job.flag("causal"):
        align = "top-left" if job.word("align") == "top-left" else "bottom-right"
        visible = causal_mask(n_q, n_kv, align, job.device)
    if job.word("example") == "book":
        scores = torch.tensor(BOOK_SCORES, dtype=torch.float64, device=job.device)
        identity = torch.eye(d_k, dtype=dtype, device=job.device)[None]
        q, k, v = (scores * math.sqrt(d_k))[None].to(dtype), identity, identity
    else:
        kv = (h_kv, n_kv, d_k)
        q, k, v = draw_inputs(job.seed, (h_q, n_q, d_k), kv, kv, dtype=dtype, device=job.device)
    mask_after = job.word("mask_at") == "after"
    rules = Rules(scale, visible if align else None, float(job.word("fill")), mask_after)
    return Setting(job, q, k, v, rules, visible, align)


def _trace(s: Setting) -> tuple[int, draw.Window, Steps]:
    """The chosen head step by step, for the rows that are drawn, over all keys."""
    (head,) = s.job.whole("head")
    shared = head // (s.q.size(0) // s.k.size(0))
    n_q, n_kv = s.visible.shape
    part = draw.window(n_q, n_kv, s.align or "bottom-right")
    rows = slice(part.r0, part.r1)
    visible = None if s.rules.visible is None else s.rules.visible[rows]
    rules = Rules(s.rules.scale, visible, s.rules.fill, s.rules.mask_after)
    trace = steps(s.q[head : head + 1, rows], s.k[shared : shared + 1], s.v[shared : shared + 1], rules)
    return head, part, Steps(*(x[0] for x in trace))


def _shapes(s: Setting) -> Block:
    h_q, n_q, d_k = s.q.shape
    h_kv, n_kv, _ = s.k.shape
    data = draw.ribbon(h_q=h_q, h_kv=h_kv, n_q=n_q, n_kv=n_kv, d_k=d_k)
    look_for = "The score matrix has no d_k any more; only the values bring it back."
    alt = f"{h_q} query heads on {h_kv} key/value heads; scores are {n_q} x {n_kv} in each."
    return Block("shapes", data, title="Shapes", look_for=look_for, alt=alt)


def _mask(s: Setting) -> Block:
    n_q, n_kv = s.visible.shape
    data = draw.mask(n_q, n_kv, s.align, s.visible, None if n_q * n_kv <= 128**2 else _tile(n_q, n_kv))
    seen = int(s.visible.sum())
    alt = f"{seen:,} of {n_q * n_kv:,} cells are visible."
    look_for = "The last query sees every key; each one before it sees one key less." if s.align else ""
    if s.align == "top-left" and n_q != n_kv:
        look_for = "The last query does not see as far as the last key: this alignment is wrong for a cache."
    return Block("mask", data, title="Who sees whom", look_for=look_for, role="mask", alt=alt)


def _tile(n_q: int, n_kv: int) -> tuple[int, int]:
    return draw.drawable_tile(n_q, n_kv, 64, 64)


def _weights(s: Setting, head: int, part: draw.Window, trace: Steps) -> Block:
    n_q, _ = s.visible.shape
    labels = BOOK_LABELS if s.job.word("example") == "book" else ()
    rows = s.visible[part.r0 : part.r1]
    late = s.rules.mask_after
    data = draw.matrix(trace, part, n_q=n_q, labels=labels, head=head, visible=rows, mask_after=late)
    order = " -> ".join(stage.name for stage in data.stages)
    alt = f"Head {head}: {order}."
    look_for = (
        "A hidden score is -inf, and its weight is exactly 0."
        if s.plain
        else "Hidden keys are not quite gone."
    )
    return Block("weights", data, title="From scores to weights", look_for=look_for, role="score", alt=alt)


def _rows(s: Setting, part: draw.Window, trace: Steps) -> Block:
    labels = BOOK_LABELS if s.job.word("example") == "book" else ()
    seen = s.visible[part.r0 : part.r1].sum(dim=-1).tolist()
    sums = trace.weights.double().sum(dim=-1).tolist()
    largest = trace.weights.double().amax(dim=-1).tolist()
    lse = trace.lse.double().tolist()
    rows = tuple(
        {
            "row": labels[i] if labels else f"q{i}",
            "sees": seen[i],
            "largest": largest[i],
            "sum": sums[i],
            "lse": lse[i],
        }
        for i in range(min(ROWS_SHOWN, len(sums)))
    )
    cols = (
        Column("row", "Query"),
        Column("sees", "Keys seen"),
        Column("largest", "Largest weight"),
        Column("sum", "Sum of weights"),
        Column("lse", "log-sum-exp"),
    )
    return Block(
        "rows", Table(cols, rows), title="Row by row", look_for="Each row is a distribution over its keys."
    )


def _row_sums(s: Setting, part: draw.Window, trace: Steps) -> Block:
    sees = s.visible[part.r0 : part.r1].any(dim=-1)
    sums = trace.weights.double().sum(dim=-1)[sees]
    worst = float(sums[(sums - 1).abs().argmax()]) if sums.numel() else 1.0
    tol = 8 * torch.finfo(s.q.dtype).eps
    claim = "Every row that sees a key sums to 1."
    return Block("row-sums", Check(claim, "=", 1.0, worst, tol, is_close(worst, 1.0, tol)))


def _error(s: Setting, head: int, out: Tensor, trace: Steps) -> Block:
    """All heads against float64; only the head shown where the matrices are large, since float64 is slow."""
    large = math.prod(s.visible.shape) >= attention_cost.MEASURED_FROM**2
    q, k, v, got = s.q, s.k, s.v, out
    if large:
        shared = head // (q.size(0) // k.size(0))
        q, k, v, got = q[head, None], k[shared, None], v[shared, None], out[head, None]
    wanted, _ = reference(q, k, v, s.rules.scale, s.rules.visible)
    error = max_error(got, wanted)
    tol = rounding_bound(s.q.dtype, finite_max(trace.scaled), finite_max(v))
    of = f"Head {head}" if large else "The output"
    claim = f"{of} differs from the same attention in float64 by rounding only."
    return Block("error", Check(claim, "=", 0.0, error, tol, error <= tol), title="Error against float64")


def _causality(s: Setting, out: Tensor) -> list[Block]:
    """Changes the last key and value and counts the rows of the output that change though they must not."""
    blind = ~s.visible[:, -1]
    if not bool(blind.any()):
        return []
    k, v = s.k.clone(), s.v.clone()
    k[:, -1] += 1
    v[:, -1] += 1
    changed = (attention(s.q, k, v, s.rules) != out).any(dim=-1).any(dim=0)
    count = int((changed & blind).sum())
    claim = "Changing the last key and value changes no row that must not see it."
    return [Block("causality", Check(claim, "=", 0, count, 0, count == 0), title="No look into the future")]


def _first_row(s: Setting, out: Tensor) -> list[Block]:
    """A query that sees one key has no choice, whatever the scores."""
    if int(s.visible[0].sum()) != 1:
        return []
    group = s.q.size(0) // s.k.size(0)
    error = max_error(out[:, 0], s.v[:, 0].repeat_interleave(group, dim=0))
    claim = "The first query sees one key, so its output is exactly v[0]."
    return [Block("first-row", Check(claim, "=", 0.0, error, 0, error == 0))]


def _unseen(s: Setting) -> list[Block]:
    count = int((~s.visible.any(dim=-1)).sum())
    if not count:
        return []
    what = f"{count} quer{'ies see' if count > 1 else 'y sees'} no key at all."
    if s.rules.fill == -math.inf:
        what += (
            " A softmax over nothing but -inf is 0/0 = NaN in plain PyTorch; here, as in fused kernels, the output"
            " is 0 and the log-sum-exp -inf."
        )
    else:
        what += (
            " With a finite fill all its scores are equal, so it takes the mean of values it must not see."
        )
    return [Block("unseen", Note(what), title="Rows that see nothing")]


def _scaling(s: Setting) -> list[Block]:
    """What the divisor does to the scores' variance and to the softmax, before any mask."""
    n_kv, d_k = s.k.shape[-2:]
    if s.job.word("example") == "book" or n_kv < 2:
        return []
    group = s.q.size(0) // s.k.size(0)
    k = s.k.repeat_interleave(group, dim=0).double()
    raw = s.q[:, :SCALING_ROWS].double() @ k.transpose(-2, -1)
    rows: list[Row] = []
    for name, factor in (("nothing", 1.0), ("sqrt(d_k)", 1 / math.sqrt(d_k)), ("d_k", 1 / d_k)):
        scores = raw * factor
        h = entropy(softmax(scores))
        rows.append(
            {"divisor": name, "variance": float(scores.var()), "entropy": h, "share": h / math.log(n_kv)}
        )
    cols = (
        Column("divisor", "Divided by"),
        Column("variance", "Variance of scores"),
        Column("entropy", "Mean entropy", "nats"),
        Column("share", "Of ln n_kv"),
    )
    look_for = "Undivided, the variance is about d_k, and the softmax puts nearly all its weight on one key."
    return [Block("scaling", Table(cols, tuple(rows)), title="What the divisor does", look_for=look_for)]


def _code(job: Job) -> Block:
    text = attention_code.snippet(job)
    return Block("code", Code("python", text), title="The same in PyTorch", look_for="It runs as it stands.")

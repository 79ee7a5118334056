"""The demo `attention`: one head step by step, its checks, and from 1,024 tokens on what it costs."""

from __future__ import annotations

import math

from kernels import draw
from kernels.attention import Rules, Steps, attention, steps
from kernels.demos import attention_checks as checks
from kernels.demos import attention_cost as cost
from kernels.demos import attention_words as words
from kernels.demos.attention_code import snippet
from kernels.demos.attention_setting import Setting, build
from kernels.entries.attention import MEASURED_FROM
from kernels.job import Job
from kernels.result import Block, Code, Column, Row, Table

ROWS_SHOWN = 32
CHECKED_WHOLE = 2**20
"""With fewer scores, and fewer numbers in q and in k, all heads are checked; otherwise the head shown is."""


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: shapes, mask, weights, rows, row-sums, error, causality, first-row, unseen, scaling, precision,
    timing, memory, code; those that do not apply are left out."""
    cost.refuse_if_too_large(job)
    s = build(job)
    (head,) = job.whole("head")
    job.progress(0.1, "Computing scores and weights")
    part, trace = _trace(s, head)
    job.progress(0.2, "Checking against float64")
    few = max(s.q.size(0) * math.prod(s.visible.shape), s.q.numel(), s.k.numel()) < CHECKED_WHOLE
    checked, who = (s, "The output") if few else (s.only(head), f"Head {head}")
    out = attention(checked.q, checked.k, checked.v, checked.rules)
    blocks = [
        _shapes(s),
        _mask(s),
        _weights(s, head, part, trace),
        _rows(s, part, trace),
        checks.row_sums(s, part, trace),
        checks.error(checked, who, out),
        *checks.causality(checked, out),
        *checks.first_row(checked, out),
        *checks.unseen(s),
        *checks.scaling(checked),
    ]
    if s.plain:
        blocks += cost.precision(checked, out)
    if min(s.visible.shape) >= MEASURED_FROM:
        blocks += cost.time_and_memory(s)
    look_for = "It runs as it stands."
    return (
        *blocks,
        Block("code", Code("python", snippet(job)), title="The same in PyTorch", look_for=look_for),
    )


def _trace(s: Setting, head: int) -> tuple[draw.Window, Steps]:
    """The chosen head step by step, for the rows that are drawn, over all keys."""
    n_q, n_kv = s.visible.shape
    part = draw.window(n_q, n_kv, s.align or "bottom-right")
    rows = slice(part.r0, part.r1)
    visible = None if s.rules.visible is None else s.rules.visible[rows]
    one = s.only(head)
    rules = Rules(s.rules.scale, visible, s.rules.fill, s.rules.mask_after)
    return part, Steps(*(x[0] for x in steps(one.q[:, rows], one.k, one.v, rules)))


def _shapes(s: Setting) -> Block:
    h_q, n_q, d_k = s.q.shape
    h_kv, n_kv, _ = s.k.shape
    data = draw.ribbon(h_q=h_q, h_kv=h_kv, n_q=n_q, n_kv=n_kv, d_k=d_k)
    look_for = "The score matrix has no d_k any more; only the values bring it back."
    alt = f"Query heads: {h_q}, key/value heads: {h_kv}; scores are {n_q} x {n_kv} in each."
    return Block("shapes", data, title="Shapes", look_for=look_for, alt=alt)


def _mask(s: Setting) -> Block:
    n_q, n_kv = s.visible.shape
    data = draw.mask(n_q, n_kv, s.align, s.visible, None if n_q * n_kv <= 128**2 else _tile(n_q, n_kv))
    alt = f"Of {n_q * n_kv:,} cells, {sum(s.sees):,} are visible."
    look_for = words.who_sees_whom(s.sees, n_kv)
    return Block("mask", data, title="Who sees whom", look_for=look_for, role="mask", alt=alt)


def _tile(n_q: int, n_kv: int) -> tuple[int, int]:
    return draw.drawable_tile(n_q, n_kv, 64, 64)


def _weights(s: Setting, head: int, part: draw.Window, trace: Steps) -> Block:
    n_q, _ = s.visible.shape
    rows = s.visible[part.r0 : part.r1]
    late = s.rules.mask_after
    data = draw.matrix(trace, part, n_q=n_q, labels=s.labels, head=head, visible=rows, mask_after=late)
    order = " -> ".join(stage.name for stage in data.stages)
    alt = f"Head {head}: {order}."
    hidden = trace.weights[:, part.c0 : part.c1][~rows[:, part.c0 : part.c1]]
    leak = float(hidden.max()) if hidden.numel() else None
    look_for = words.what_the_mask_did(s, leak, min(data.row_sum))
    return Block("weights", data, title="From scores to weights", look_for=look_for, role="score", alt=alt)


def _rows(s: Setting, part: draw.Window, trace: Steps) -> Block:
    seen = s.sees[part.r0 : part.r1]
    sums = trace.weights.double().sum(dim=-1).tolist()
    largest = trace.weights.double().amax(dim=-1).tolist()
    lse = trace.lse.double().tolist()
    rows: tuple[Row, ...] = tuple(
        {
            "row": s.labels[i] if s.labels else f"q{i}",
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
    hidden = trace.weights.masked_fill(s.visible[part.r0 : part.r1], 0.0)[:ROWS_SHOWN]
    look_for = words.what_the_rows_are(s, rows, leaks=bool((hidden > 0).any()))
    return Block("rows", Table(cols, rows), title="Row by row", look_for=look_for)

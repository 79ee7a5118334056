"""The demo `attention`: one head step by step, its checks, and from 1,024 tokens on what it costs."""

from __future__ import annotations

import math

from kernels import draw, rounding
from kernels.attention import Steps, attention
from kernels.demos import attention_checks as checks
from kernels.demos import attention_cost as cost
from kernels.demos import attention_view as view
from kernels.demos import attention_words as words
from kernels.demos.attention_code import snippet
from kernels.demos.attention_setting import Setting, build
from kernels.entries.attention import MEASURED_FROM
from kernels.job import Job
from kernels.result import Block, Row
from kernels.rounding import Judge
from kernels.show import code, table

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
    part = _part(s)
    trace = view.trace(s, head, slice(part.r0, part.r1))
    few = max(s.q.size(0) * math.prod(s.visible.shape), s.q.numel(), s.k.numel()) < CHECKED_WHOLE
    checked, who = (s, "The output") if few else (s.only(head), f"Head {head}")
    job.progress(0.2, "Computing the output")
    out = attention(checked.q, checked.k, checked.v, checked.rules)
    blocks = [
        _shapes(s),
        _mask(s),
        _weights(s, head, part, trace),
        _rows(s, part, trace),
        checks.row_sums(s, part, trace),
    ]
    judge = _judge(checked)
    blocks += [checks.error(judge, who, out)]
    job.progress(0.4, "Changing the last key")
    blocks += [
        *checks.causality(checked, out),
        *checks.first_row(checked, out),
        *checks.unseen(s),
        *checks.scaling(checked),
    ]
    if s.plain:
        job.progress(0.45, "Comparing with PyTorch's fused attention")
        blocks += cost.precision(checked, out, judge.wanted)
    if min(s.visible.shape) >= MEASURED_FROM:
        blocks += cost.time_and_memory(s)
    return (*blocks, code(snippet(job)))


def _judge(s: Setting) -> Judge:
    """It takes a second or more for thousands of tokens, and says how far it is."""
    return rounding.judge(
        s.q, s.k, s.v, s.rules.scale, s.rules.visible,
        each=lambda share: s.job.progress(0.3 + 0.1 * share, "Checking against float64"),
    )  # fmt: skip


def _part(s: Setting) -> draw.Window:
    """The rows that are shown one by one, and the columns of the window."""
    n_q, n_kv = s.visible.shape
    row, col = s.job.whole("row", "col")
    return draw.window(n_q, n_kv, s.align or "bottom-right", row, None if col < 0 else col)


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
    alt = draw.seen(s.visible)
    look_for = words.who_sees_whom(s.sees, n_kv)
    return Block("mask", data, title="Who sees whom", look_for=look_for, role="mask", alt=alt)


def _tile(n_q: int, n_kv: int) -> tuple[int, int]:
    return draw.drawable_tile(n_q, n_kv, 64, 64)


def _weights(s: Setting, head: int, part: draw.Window, trace: Steps) -> Block:
    drawn = view.weights(s, head, part, trace)
    order = " -> ".join(stage.name for stage in drawn.matrix.stages)
    look_for = words.what_the_mask_did(s, drawn.leak, drawn.least)
    return Block(
        "weights",
        drawn.matrix,
        title="From scores to weights",
        look_for=look_for,
        role="score",
        alt=f"Head {head}: {order}.",
    )


def _rows(s: Setting, part: draw.Window, trace: Steps) -> Block:
    seen = s.sees[part.r0 : part.r1]
    sums = trace.weights.double().sum(dim=-1).tolist()
    largest = trace.weights.double().amax(dim=-1).tolist()
    lse = trace.lse.double().tolist()
    rows: tuple[Row, ...] = tuple(
        {
            "row": s.labels[i] if s.labels else f"q{part.r0 + i}",
            "sees": seen[i],
            "largest": largest[i],
            "sum": sums[i],
            "lse": lse[i],
        }
        for i in range(min(ROWS_SHOWN, len(sums)))
    )
    cols = {
        "row": "Query",
        "sees": "Keys seen",
        "largest": "Largest weight",
        "sum": "Sum of weights",
        "lse": "log-sum-exp",
    }
    hidden = trace.weights.masked_fill(s.visible[part.r0 : part.r1], 0.0)[:ROWS_SHOWN]
    look_for = words.what_the_rows_are(s, rows, leaks=bool((hidden > 0).any()))
    n_q = s.visible.size(0)
    part_of = "" if len(rows) == n_q else f": {len(rows)} of {n_q:,} queries"
    return table("rows", cols, rows, title=f"Row by row{part_of}", look_for=look_for)

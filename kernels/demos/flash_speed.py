"""Blocks of the demo `flash` about speed, on a GPU and from 1,024 tokens on: beside PyTorch's own, and by setting."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torch.nn import functional as F

from kernels.demos.flash_plain import Run
from kernels.flash import TUNED_FROM, flash
from kernels.job import Job
from kernels.result import Block, Row, Timing, TimingRow
from kernels.show import table
from kernels.tiles import visible_pairs
from kernels.timing import measure
from kernels.tuning import Choice
from kernels.units import tflops


def speed(job: Job, ran: Run) -> list[Block]:
    """Blocks timing and speed. TFLOP/s counts 4 · d FLOP for each visible pair, and nothing else."""
    q, k, v = ran.q, ran.k, ran.v
    batch, h_q, n_q, d = q.shape
    n_kv = k.size(2)
    if min(n_q, n_kv) < TUNED_FROM:
        return []
    causal = ran.visible is not None
    top_left = causal and n_q == n_kv and ran.window is None  # where SDPA's own causal mask is the same
    ours = partial(flash, q, k, v, causal=causal, window=ran.window, scale=ran.scale, setting=ran.setting)
    theirs = partial(
        F.scaled_dot_product_attention, q, k, v, attn_mask=None if top_left else ran.visible, is_causal=top_left,
        scale=ran.scale, enable_gqa=h_q != k.size(1),
    )  # fmt: skip
    ways: dict[str, tuple[Callable[[], object], str]] = {
        "this kernel": (ours, ran.setting.words),
        "F.scaled_dot_product_attention": (theirs, "PyTorch's choice"),
    }
    flops = 4.0 * batch * h_q * d * visible_pairs(n_q, n_kv, causal, ran.window)
    rows = []
    for step, (label, (call, words)) in enumerate(ways.items()):
        job.progress(0.7 + 0.15 * step, f"Timing {label}")
        t = measure(call, job.device)
        rows.append(TimingRow(label, t.n, t.median, t.p10, t.p90, flops, words))
    return [_timing(rows), _speed(rows)]


def tuned(choice: Choice) -> list[Block]:
    """Block tuned: every setting that was tried on this GPU, and its time on the problem that all are timed on."""
    if not choice.tried:
        return []
    rows: list[Row] = [
        {"setting": one.setting.words, "ms": one.ms, "taken": one.setting == choice.setting, "why": one.why}
        for one in choice.tried
    ]
    timed = [one.ms for one in choice.tried if one.ms is not None]
    look_for = f"The slowest takes {max(timed) / min(timed):.1f} times as long as the fastest: tiles matter."
    cols = {
        "setting": "Tiles of queries x keys", "ms": ("Median", "ms"), "taken": "Taken", "why": "Why there is no time",
    }  # fmt: skip
    title = "Settings tried: 16 heads, 4,096 tokens"
    return [table("tuned", cols, rows, title=title, look_for=look_for if len(timed) > 1 else "")]


def _timing(rows: list[TimingRow]) -> Block:
    wide = any(row.p90 > 1.5 * row.p10 for row in rows)
    look_for = "The spread is wide here: trust the ratio, not the milliseconds." if wide else ""
    return Block("timing", Timing("ms", tuple(rows)), title="Time for all heads", look_for=look_for)


def _speed(rows: list[TimingRow]) -> Block:
    other = rows[-1].median
    figures: list[Row] = [
        {"way": row.label, "tflops": tflops(row.flops or 0, row.median), "ratio": other / row.median}
        for row in rows
    ]
    cols = {"way": "Computed by", "tflops": ("Speed", "TFLOP/s"), "ratio": "Against SDPA"}
    return table("speed", cols, figures, title="Work per second, hidden pairs not counted")

"""The speed of the flash kernel beside PyTorch's own, on a GPU and from 1,024 tokens on."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor
from torch.nn import functional as F

from kernels.flash import Config, flash
from kernels.job import Job
from kernels.result import Block, Column, Row, Table, Timing, TimingRow
from kernels.tiles import visible_pairs
from kernels.timing import measure

MEASURED_FROM = 1024
"""Below this length a launch would be measured, not the kernel."""


def speed(
    job: Job, q: Tensor, k: Tensor, v: Tensor, scale: float, visible: Tensor | None, setting: Config
) -> list[Block]:
    """Blocks timing and speed. TFLOP/s counts 4 · d FLOP for each visible pair, and nothing else."""
    batch, h_q, n_q, d = q.shape
    n_kv = k.size(2)
    if min(n_q, n_kv) < MEASURED_FROM:
        return []
    causal = visible is not None
    square = n_q == n_kv
    mask = (
        None if square else visible
    )  # SDPA's is_causal is top-left: it fits only where there are as many queries

    def ours() -> object:
        return flash(q, k, v, causal=causal, scale=scale, setting=setting)

    def theirs() -> object:
        return F.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, is_causal=causal and square, scale=scale, enable_gqa=h_q != k.size(1)
        )

    ways: dict[str, tuple[Callable[[], object], str]] = {
        "this kernel": (ours, f"{setting.bm} x {setting.bn}, {setting.warps} warps, {setting.stages} stages"),
        "F.scaled_dot_product_attention": (theirs, "PyTorch's choice"),
    }
    flops = 4.0 * batch * h_q * d * visible_pairs(n_q, n_kv, causal)
    rows = []
    for step, (label, (call, words)) in enumerate(ways.items()):
        job.progress(0.7 + 0.15 * step, f"Timing {label}")
        t = measure(call, job.device)
        rows.append(TimingRow(label, t.n, t.median, t.p10, t.p90, flops, words))
    return [_timing(rows), _speed(rows)]


def _timing(rows: list[TimingRow]) -> Block:
    wide = any(row.p90 > 1.5 * row.p10 for row in rows)
    look_for = "The spread is wide here: trust the ratio, not the milliseconds." if wide else ""
    return Block("timing", Timing("ms", tuple(rows)), title="Time for all heads", look_for=look_for)


def _speed(rows: list[TimingRow]) -> Block:
    other = rows[-1].median
    table: list[Row] = [
        {"way": row.label, "tflops": (row.flops or 0) / row.median / 1e9, "ratio": other / row.median}
        for row in rows
    ]
    cols = (
        Column("way", "Computed by"),
        Column("tflops", "Speed", "TFLOP/s"),
        Column("ratio", "Against SDPA"),
    )
    return Block("speed", Table(cols, tuple(table)), title="Work per second, hidden pairs not counted")

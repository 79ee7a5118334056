"""The demo `speed`: the same attention computed in several ways, timed side by side, by length."""

from __future__ import annotations

from typing import NamedTuple

import torch

from kernels.demos.speed_ways import FLEX, OURS, SDPA, UNFUSED, dtype, inputs, require_compiler, ways
from kernels.entries.speed import lengths
from kernels.job import Job
from kernels.numerics import DTYPES
from kernels.result import Block, Line, Row, Series, Timing, TimingRow
from kernels.rounding import judge
from kernels.show import check, code, note, table
from kernels.tiles import visible_pairs
from kernels.timing import Times, race
from kernels.units import tflops
from kernels.words import figure

ROWS = 64  # queries that are checked against float64: the last ones, which see the most
BUDGET_S = 0.3  # of timing at each length, for all ways together; three rounds are taken in any case
KEYS = {"sdpa": SDPA, "ours": OURS, "flex": FLEX}


class Lap(NamedTuple):
    """One length: the times of all ways that ran, why others did not, and their largest share of the error allowed."""

    n: int
    times: dict[str, Times]
    left_out: dict[str, str]
    error: float


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: by-length, ratios, times, timing, left-out (where a way did not run), same-result,
    faster (a note, where both ran), code."""
    if job.flag("flex"):
        require_compiler()
    taken = lengths(int(job.word("longest")), job.device)
    laps = []
    for i, n in enumerate(taken):
        job.progress(0.05 + 0.9 * i / len(taken), f"Timing {n:,} tokens")
        laps.append(_lap(job, n))
    return (
        _by_length(laps),
        _ratios(laps),
        _times(job, laps),
        _timing(job, laps[-1]),
        *_left_out(laps),
        _same(laps),
        *_faster(laps),
        code(_snippet(job)),
    )


def _lap(job: Job, n: int) -> Lap:
    at = inputs(job, n)
    run, left_out = ways(at)
    visible = None if at.visible is None else at.visible[-ROWS:]
    right = judge(at.q[:, -ROWS:], at.k, at.v, at.scale, visible)
    error = max(right.share(tried.out[:, -ROWS:]) for tried in run.values())
    calls = {label: tried.call for label, tried in run.items()}
    del run  # what was returned is no part of what is timed
    return Lap(n, race(calls, job.device, budget_s=BUDGET_S, least=3, warm=True), left_out, error)


def _by_length(laps: list[Lap]) -> Block:
    """Curves of the ways that ran at every length, with the tenth and the ninetieth percentile."""
    labels = [label for label in laps[0].times if all(label in lap.times for lap in laps)]
    lines = tuple(
        Line(
            label,
            tuple(lap.times[label].median for lap in laps),
            tuple(lap.times[label].p10 for lap in laps),
            tuple(lap.times[label].p90 for lap in laps),
        )
        for label in labels
    )
    wide = any(t.wide for lap in laps for t in lap.times.values())
    look_for = "Twice the tokens are four times the pairs." + (
        " The spread is wide here: trust the ratio, not the milliseconds." if wide else ""
    )
    series = Series(tuple(float(lap.n) for lap in laps), lines, "ms", True, "tokens")
    last = laps[-1]
    alt = (
        f"At {last.n:,} tokens: " + "; ".join(f"{k} {t.median:,.3g} ms" for k, t in last.times.items()) + "."
    )
    return Block("by-length", series, title="Time by length, all heads", look_for=look_for, alt=alt)


def _ratios(laps: list[Lap]) -> Block:
    """How many times as fast as unfused attention each way is; empty where one of the two did not run.

    A way that ran at no length has no column.
    """
    ran = {key: label for key, label in KEYS.items() if any(label in lap.times for lap in laps)}
    rows: list[Row] = []
    for lap in laps:
        base = lap.times.get(UNFUSED)
        ratios = {
            key: base.median / t.median if base and (t := lap.times.get(label)) else None
            for key, label in ran.items()
        }
        rows.append({"n": lap.n, "unfused": base.median if base else None, **ratios})
    cols = {
        "n": ("Length", "tokens"),
        "unfused": ("Unfused", "ms"),
        **{key: f"{label[:1].upper()}{label[1:]}, times as fast" for key, label in ran.items()},
    }
    return table(
        "ratios",
        cols,
        rows,
        title="Against unfused attention",
        look_for="All were timed in turn, so that what slows the machine slows all of them.",
    )


def _times(job: Job, laps: list[Lap]) -> Block:
    rows: list[Row] = [
        {
            "n": lap.n,
            "way": label,
            "median": t.median,
            "p10": t.p10,
            "p90": t.p90,
            "count": t.n,
            "tflops": tflops(_flop(job, lap.n), t.median),
        }
        for lap in laps
        for label, t in lap.times.items()
    ]
    cols = {
        "n": ("Length", "tokens"),
        "way": "Computed by",
        "median": ("Median", "ms"),
        "p10": ("10th percentile", "ms"),
        "p90": ("90th percentile", "ms"),
        "count": "Calls timed",
        "tflops": ("Work a second", "TFLOP/s"),
    }
    look_for = (
        "Work is 4·d FLOP for each visible pair: what is computed and then hidden is not counted as work."
    )
    return table("times", cols, rows, title="All that was timed", look_for=look_for)


def _flop(job: Job, n: int) -> float:
    heads, d = job.whole("heads", "d")
    return 4.0 * heads * d * visible_pairs(n, n, job.flag("causal"))


def _timing(job: Job, lap: Lap) -> Block:
    threads = f", {torch.get_num_threads()} threads" if job.device == "cpu" else ""
    rows = tuple(
        TimingRow(label, t.n, t.median, t.p10, t.p90, _flop(job, lap.n), f"{dtype(job)}{threads}")
        for label, t in lap.times.items()
    )
    return Block("timing", Timing("ms", rows), title=f"At {lap.n:,} tokens")


def _left_out(laps: list[Lap]) -> list[Block]:
    """One sentence a way: at the first length at which it did not run."""
    reasons: dict[str, str] = {}
    for lap in laps:
        reasons = lap.left_out | reasons
    return [note("left-out", " ".join(reasons.values()), title="What did not run")] if reasons else []


def _same(laps: list[Lap]) -> Block:
    claim = f"All give one result: in the last {ROWS} rows no error against float64 is larger than rounding allows."
    return check("same-result", claim, max(lap.error for lap in laps), "<=", 1.0)


def _faster(laps: list[Lap]) -> list[Block]:
    """A clock's figures are told, and not checked: another minute gives others."""
    lap = laps[-1]
    if UNFUSED not in lap.times:
        return []
    unfused, sdpa = lap.times[UNFUSED].median, lap.times[SDPA].median
    text = (
        f"At {lap.n:,} tokens unfused attention takes {figure(unfused)} ms in the median and SDPA {figure(sdpa)}: "
        f"{figure(unfused / sdpa)} times as long. Times are told and not checked, since another minute gives others."
    )
    return [note("faster", text, title="The ratio in words")]


def _snippet(job: Job) -> str:
    heads, d = job.whole("heads", "d")
    causal = job.flag("causal")
    kind, device = str(DTYPES[dtype(job)]), job.device
    wait = "torch.cuda.synchronize()" if device == "cuda" else "pass  # a CPU is done when the call returns"
    return f"""import statistics
import time

import torch
from torch.nn import functional as F

n, heads, d = {lengths(int(job.word("longest")), job.device)[0]}, {heads}, {d}  # the shortest length of the run
g = torch.Generator().manual_seed({job.seed})
q, k, v = (torch.randn(heads, n, d, generator=g).to("{device}", {kind}) for _ in range(3))


def unfused():
    scores = q @ k.transpose(-2, -1) * d**-0.5
    if {causal}:
        scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool, device="{device}").triu(1), -torch.inf)
    return scores.softmax(-1) @ v


def fused():
    return F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal={causal})[0]


def seconds(call):
    started = time.perf_counter()
    call()
    {wait}
    return time.perf_counter() - started


error = float((unfused() - fused()).abs().max())
taken = [(seconds(unfused), seconds(fused)) for _ in range(7)]
ratio = statistics.median(a for a, _ in taken) / statistics.median(b for _, b in taken)
print(f"fused: {{ratio:.1f}} times as fast, the same but for {{error:.1e}}")
"""

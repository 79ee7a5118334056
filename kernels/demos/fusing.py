"""The demo `fusing`: attention as three kernels that meet in memory, and as one that does not."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from kernels import memory
from kernels import naive as three
from kernels.attention import Output, Rules, attention, reference
from kernels.demos.fusing_code import snippet
from kernels.demos.fusing_training import training
from kernels.entries.fusing import held_bytes
from kernels.flash import TUNED_FROM, flash, setting_for
from kernels.job import Job
from kernels.masks import causal_mask
from kernels.naive import TILE, naive
from kernels.numerics import DTYPES, TwiceRule, finite_max, max_error, score_rounding, twice_rule
from kernels.numerics import draw as draw_inputs
from kernels.result import Block, Code, Row, Timing, TimingRow
from kernels.show import amounts, check, code, curves, table
from kernels.tiles import computed
from kernels.timing import measure
from kernels.traffic import Launch, Sizes, fused, unfused
from kernels.tuning import INTERPRETED, Config
from kernels.words import figure

LENGTHS = tuple(2**i for i in range(8, 18))
HALF = 2
"""Bytes of an element in half precision, to which the ridge that is told belongs."""


class Run(NamedTuple):
    """Inputs, both outputs, and how they compare with float64."""

    q: Tensor
    k: Tensor
    v: Tensor
    causal: bool
    setting: Config
    apart: Output
    together: Output
    apart_rule: TwiceRule
    together_rule: TwiceRule


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: launches, traffic, intensity, held, growth, training, training-stored, training-recomputed,
    precision, unfused-error, fused-error, same, timing (on a GPU from 1,024 tokens on), kernels, code."""
    memory.require(held_bytes(job.params), job.device, "lower a length or h_q.")
    ran = _run(job)
    h_q, h_kv, n_q, n_kv, d = job.whole("h_q", "h_kv", "n_q", "n_kv", "d")
    shapes = Sizes(1, h_q, h_kv, n_q, n_kv, d, ran.q.element_size())
    apart, together = unfused(shapes, TILE), _fused(shapes, ran)
    return (
        _launches(apart, together),
        _traffic(apart, together),
        _intensity(ran, shapes, apart, together),
        _held(shapes),
        _growth(shapes, ran),
        *training(shapes),
        *_errors(ran),
        *_timing(job, ran),
        _source(),
        code(snippet(job)),
    )


def _run(job: Job) -> Run:
    h_q, h_kv, n_q, n_kv, d = job.whole("h_q", "h_kv", "n_q", "n_kv", "d")
    dtype, causal = DTYPES[job.word("dtype")], job.flag("causal")
    kv = (1, h_kv, n_kv, d)
    q, k, v = draw_inputs(job.seed, (1, h_q, n_q, d), kv, kv, dtype=dtype, device=job.device)
    job.progress(0.1, "Three kernels")
    apart = naive(q, k, v, causal=causal)
    job.progress(0.4, "One kernel")
    setting = INTERPRETED if job.interpreter else setting_for(q, k, v, causal=causal)
    together = flash(q, k, v, causal=causal, setting=setting)
    job.progress(0.6, "Computing the same in float64")
    scale = d**-0.5
    visible = causal_mask(n_q, n_kv, device=job.device) if causal else None
    wanted, _ = reference(q, k, v, scale, visible)
    group = h_q // h_kv
    plain = torch.stack([
        attention(q[0, h, None], k[0, h // group, None], v[0, h // group, None], Rules(scale, visible))[0]
        for h in range(h_q)
    ])[None]  # fmt: skip
    float32 = score_rounding(q, k, scale) * finite_max(v)
    rules = (twice_rule(got.o, plain, wanted, float32) for got in (apart, together))
    return Run(q, k, v, causal, setting, apart, together, *rules)


def _fused(shapes: Sizes, ran: Run) -> Launch:
    return fused(shapes, bm=ran.setting.bm, bn=ran.setting.bn, causal=ran.causal)


def _launches(apart: tuple[Launch, ...], together: Launch) -> Block:
    rows: list[Row] = [
        {"launch": f"{where}: {one.name}", "reads": one.reads, "writes": one.writes, "asked": one.asked}
        for where, one in (*(("three", one) for one in apart), ("one", together))
    ]
    cols = {
        "launch": "Launch", "reads": ("Reads, each tensor once", "B"), "writes": ("Writes", "B"),
        "asked": ("Asked for by its programs", "B"),
    }  # fmt: skip
    look_for = "S is written to be read by the next launch, and so is P; fused, neither is ever in memory."
    return table("launches", cols, rows, title="What each launch moves", look_for=look_for)


def _traffic(apart: tuple[Launch, ...], together: Launch) -> Block:
    three, one = sum(launch.moved for launch in apart), together.moved
    bars = {"three kernels": three, "one kernel": one}
    alt = f"Three kernels move {three:,} B, one moves {one:,} B: {figure(three / one)} times as much."
    look_for = "Each tensor counted once a launch, as if caches served every second look at it."
    return amounts("traffic", bars, title="Bytes over the memory bus", look_for=look_for, alt=alt)


def _intensity(ran: Run, s: Sizes, apart: tuple[Launch, ...], together: Launch) -> Block:
    """FLOP per byte: both products over all pairs in three kernels, over computed tiles in one."""
    bm, bn = ran.setting.bm, ran.setting.bn
    done = computed(s.n_q, s.n_kv, bm=bm, bn=bn, causal=ran.causal) * bm * bn
    work = {"three kernels": 4 * s.h_q * s.n_q * s.n_kv * s.d, "one kernel": 4 * s.h_q * done * s.d}
    moved = {"three kernels": sum(launch.moved for launch in apart), "one kernel": together.moved}
    rows: list[Row] = [
        {"way": way, "flop": work[way], "bytes": moved[way], "intensity": work[way] / moved[way]}
        for way in work
    ]
    cols = {
        "way": "Way", "flop": ("Work", "FLOP"), "bytes": ("Moved", "B"), "intensity": ("Intensity", "FLOP/B"),
    }  # fmt: skip
    look_for = (
        f"However long the sequence, three kernels stay below d / {s.size}, d over the bytes of an element: "
        f"{s.d / s.size:g} FLOP/B here"
    )
    look_for += (
        "." if s.size > HALF else ", less than the 153 that keep an A100's matrix units busy in 16 bits."
    )
    return table("intensity", cols, rows, title="Work for each byte", look_for=look_for)


def _held(s: Sizes) -> Block:
    bars = {"S of three kernels": s.scores, "P of three kernels": s.scores, "log-sum-exp, both ways": s.lse}
    times = s.scores / s.queries
    alt = f"S takes {s.scores:,} B, {figure(times)} times the output; the log-sum-exp takes {s.lse:,} B."
    look_for = (
        "S and P grow with n_q · n_kv. All that fusing keeps beside the output is a number for each row."
    )
    return amounts("held", bars, title="Held beside inputs and output", look_for=look_for, alt=alt)


def _growth(s: Sizes, ran: Run) -> Block:
    """Bytes moved by sequences of growing length, with this head size, these heads and these tiles."""
    grown = [s._replace(n_q=n, n_kv=n) for n in LENGTHS]
    one = [_fused(g, ran) for g in grown]
    ys = {
        "three kernels": [sum(launch.moved for launch in unfused(g, TILE)) for g in grown],
        "one kernel, as its programs ask": [launch.asked + launch.writes for launch in one],
        "one kernel, each tensor once": [launch.moved for launch in one],
    }
    last = ys["three kernels"][-1] / ys["one kernel, each tensor once"][-1]
    alt = f"At {LENGTHS[-1]:,} tokens three kernels move {figure(last)} times as much as one at least does."
    look_for = (
        "In the long run twice the length is four times the bytes for three kernels. The programs of one kernel ask "
        "for k and v once for each tile of queries, which is quadratic, too; the L2 cache serves most of it."
    )
    return curves(
        "growth",
        LENGTHS,
        ys,
        title="As sequences grow",
        x_label="tokens",
        unit="B",
        log=True,
        look_for=look_for,
        alt=alt,
    )


def _errors(ran: Run) -> tuple[Block, ...]:
    apart, together = ran.apart_rule, ran.together_rule
    difference = max_error(ran.apart.o, ran.together.o)
    rows: tuple[Row, ...] = (
        {"way": "three kernels", "against": "float64", "error": apart.error},
        {"way": "one kernel", "against": "float64", "error": together.error},
        {"way": "plain PyTorch", "against": "float64", "error": apart.plain_error},
        {"way": "one kernel", "against": "three kernels", "error": difference},
    )
    cols = {"way": "Computed by", "against": "Compared with", "error": "Largest difference"}
    less = together.error < apart.error and ran.q.dtype != torch.float32
    told = (
        "One kernel never rounds S to half precision, and errs less."
        if less
        else "Both are exact up to rounding."
    )
    words = "err{} at most twice as much as plain PyTorch in the same dtype, with room for rounding."
    return (
        table("precision", cols, rows, title="How far apart", look_for=told),
        check("unfused-error", f"Three kernels {words.format('')}", apart.error, "<=", apart.limit),
        check("fused-error", f"One kernel {words.format('s')}", together.error, "<=", together.limit),
        check(
            "same",
            "Fusing changes rounding, and nothing else.",
            difference,
            "<=",
            apart.limit + together.limit,
        ),
    )


def _timing(job: Job, ran: Run) -> list[Block]:
    if job.interpreter or min(ran.q.size(2), ran.k.size(2)) < TUNED_FROM:
        return []
    ways: dict[str, tuple[Callable[[], object], str]] = {
        "three kernels": (lambda: naive(ran.q, ran.k, ran.v, causal=ran.causal), f"{TILE} x {TILE}"),
        "one kernel": (
            lambda: flash(ran.q, ran.k, ran.v, causal=ran.causal, setting=ran.setting), ran.setting.words,
        ),
    }  # fmt: skip
    rows = []
    for step, (label, (call, words)) in enumerate(ways.items()):
        job.progress(0.7 + 0.15 * step, f"Timing {label}")
        t = measure(call, job.device)
        rows.append(TimingRow(label, t.n, t.median, t.p10, t.p90, None, words))
    return [Block("timing", Timing("ms", tuple(rows)), title="Time for all heads")]


def _source() -> Block:
    parts = (inspect.getsource(kernel.fn) for kernel in (three.scores, three.softmax, three.mix))
    text = re.sub(r"  # (type: ignore|fmt: ).*", "", "\n\n".join(parts))
    look_for = "Each ends by writing out what the next begins by reading."
    return Block("kernels", Code("python", text), title="The three kernels", look_for=look_for)

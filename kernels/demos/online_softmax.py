"""The demo `online-softmax`: the recurrence that makes one pass over the keys enough, watched step by step."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from kernels import online_softmax as online
from kernels.attention import Output
from kernels.demos.online_softmax_code import snippet
from kernels.flash import flash
from kernels.job import Job
from kernels.masks import causal_mask
from kernels.numerics import DTYPES, finite_max, lse_rounding, max_error, score_rounding
from kernels.numerics import draw as draw_inputs
from kernels.online_softmax import Step
from kernels.result import Block, Player, Row, Tiles
from kernels.show import check, code, curves, note, table
from kernels.tiles import states
from kernels.tuning import INTERPRETED
from kernels.words import counted

ROWS = 64
"""Queries that one program of the kernel owns: the rows that are compared with it."""

BLOCKS = (16, 32, 64, 128)
SPIKE = 200.0
"""e to this overflows float32, so a softmax without a maximum breaks on it; e to its negative is 0."""


class Inputs(NamedTuple):
    """One head of q, k, v [n_kv, d]; the scores as the kernel holds them; the row that is watched."""

    q: Tensor
    k: Tensor
    v: Tensor
    scale: float
    visible: Tensor | None
    s: Tensor
    row: int


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: player, running (from two steps on), kernel-o, kernel-lse, blocks, blocks-agree, ways, division, code."""
    x = _inputs(job)
    (block,) = job.whole("block")
    steps = tuple(online.walk(x.s[x.row : x.row + 1], x.v, block))
    return (
        _player(x, steps, block),
        *_running(steps),
        *_against_kernel(x, block),
        *_block_sizes(x),
        _ways(x, steps[-1]),
        _division(steps),
        code(snippet(job, x.row)),
    )


def _inputs(job: Job) -> Inputs:
    n, d = job.whole("n_kv", "d")
    dtype = DTYPES[job.word("dtype")]
    q, k, v = draw_inputs(job.seed, *[(n, d)] * 3, dtype=dtype, device=job.device)
    scale = d**-0.5
    if job.word("scores") != "random":
        q = torch.zeros_like(q)
        q[:, 0] = d**0.5  # so that the score of a key is its first coordinate, for every query
        if (wanted := _wanted(job.word("scores"), n)) is not None:
            k[:, 0] = wanted.to(k)
        else:
            k[n // 2, 0] = SPIKE
    visible = causal_mask(n, n, device=job.device) if job.flag("causal") else None
    row = {"first": 0, "middle": n // 2, "last": n - 1}[job.word("row")]
    return Inputs(q, k, v, scale, visible, online.scores(q, k, scale, visible), row)


def _wanted(scores: str, n: int) -> Tensor | None:
    """Scores that every row gets; None where they stay random but for the spike."""
    made = {"rising": torch.linspace(-8, 8, n), "falling": torch.linspace(8, -8, n), "equal": torch.zeros(n)}
    return made.get(scores)


def _player(x: Inputs, steps: tuple[Step, ...], block: int) -> Block:
    plan = states(x.s.size(0), x.s.size(1), bm=ROWS, bn=block, causal=x.visible is not None)
    tile_row = x.row // ROWS
    walked = [step for step, state in zip(steps, plan[tile_row], strict=True) if state != "skipped"]
    tops = [float(x.s[x.row, step.start : step.end].max()) for step in walked]
    data = Player(
        frames=tuple(_frame(step, top) for step, top in zip(walked, tops, strict=True)),
        labels=("from", "to", "tile_max", "m", "alpha", "l", "acc", "lse"),
        words=tuple(_words(i, walked, tops) for i in range(len(walked))),
        tiles=Tiles(ROWS, block, plan),
        at=tuple((tile_row, i) for i in range(len(walked))),
    )
    end = walked[-1]
    alt = f"After {counted(len(walked), 'step')} m = {_f(end.m)}, l = {_f(end.ell)}, log-sum-exp = {_f(end.lse)}."
    look_for = "acc is the length of the unnormalised output; it is divided by l once, after the last step."
    return Block("player", data, f"Row {x.row}, tile by tile", look_for, "score", alt)


def _frame(step: Step, top: float) -> Row:
    m, ell, alpha, lse = (float(t) for t in (step.m, step.ell, step.alpha, step.lse))
    acc = float(step.acc.norm())
    return {
        "from": step.start, "to": step.end - 1, "tile_max": top,
        "m": m, "alpha": alpha, "l": ell, "acc": acc, "lse": lse,
    }  # fmt: skip


def _words(i: int, walked: list[Step], tops: list[float]) -> str:
    step, alpha = walked[i], float(walked[i].alpha)
    if tops[i] == -math.inf:
        return "The row sees no key of this tile: its weights are 0, and nothing changes."
    if i == 0:
        return f"The first tile sets m to its largest score, {_f(step.m)}; there is nothing to rescale yet."
    if alpha == 1:
        return f"No score above {_f(step.m)}: alpha is 1, and what was summed before counts in full."
    old = _f(walked[i - 1].m)
    shrunk = "0 in float32: what was summed before no longer counts" if alpha == 0 else f"{alpha:.4g}"
    return f"A larger score: m goes from {old} to {_f(step.m)}, and l and acc are multiplied by alpha = {shrunk}."


def _running(steps: tuple[Step, ...]) -> list[Block]:
    if len(steps) < 2:
        return []
    seen = [float(step.end) for step in steps]
    ys = {
        "running maximum m": [float(step.m) for step in steps],
        "log-sum-exp so far": [float(step.lse) for step in steps],
    }
    alt = f"m ends at {_f(steps[-1].m)}, the log-sum-exp at {_f(steps[-1].lse)}; neither ever falls."
    return [curves("running", seen, ys, title="What the row knows so far", x_label="keys seen", alt=alt)]


def _against_kernel(x: Inputs, block: int) -> tuple[Block, Block]:
    """The rows of the watched tile by the Triton kernel: its queries against all keys that one of them may see."""
    m0 = x.row // ROWS * ROWS
    rows = slice(m0, min(m0 + ROWS, x.s.size(0)))
    end = rows.stop if x.visible is not None else x.s.size(1)
    bn = block if block in BLOCKS else INTERPRETED.bn
    setting = INTERPRETED._replace(bm=ROWS, bn=bn)
    args = (t[None, None] for t in (x.q[rows], x.k[:end], x.v[:end]))
    got = Output(*(t[0, 0] for t in flash(*args, causal=x.visible is not None, setting=setting)))
    mine = online.last(online.walk(x.s[rows], x.v, block))
    o = max_error(mine.out.to(got.o.dtype), got.o)
    lse = max_error(mine.lse, got.lse)
    words = f"rows {rows.start} to {rows.stop - 1}, tiles of {ROWS} x {bn}"
    return (
        check("kernel-o", f"The Triton kernel gives these rows, too ({words}).", o, "<=", _tolerance(x)),
        check(
            "kernel-lse", "And their log-sum-exp.", lse, "<=", 2 * lse_rounding(x.q, x.k, x.scale, mine.lse)
        ),
    )


def _tolerance(x: Inputs) -> float:
    """What two orders of summing may differ by: float32 sums in both, and half precision's weights and result."""
    half = 0.0 if x.v.dtype == torch.float32 else 2 * torch.finfo(x.v.dtype).eps
    return (2 * score_rounding(x.q, x.k, x.scale) + half) * finite_max(x.v)


def _block_sizes(x: Inputs) -> tuple[Block, Block]:
    """All rows with several tile sizes, against one softmax over whole rows."""
    n = x.s.size(1)
    plain = torch.softmax(x.s, dim=-1).to(x.v.dtype).to(x.s.dtype) @ x.v.to(x.s.dtype)
    exact = torch.softmax(x.s.double(), dim=-1) @ x.v.double()
    rows: list[Row] = []
    for block in (*(block for block in BLOCKS if block < n), n):
        out = online.last(online.walk(x.s, x.v, block)).out
        rows.append({
            "block": block, "steps": -(-n // block), "difference": max_error(out, plain),
            "error": max_error(out, exact), "same_bits": torch.equal(out, plain),
        })  # fmt: skip
    worst = max(float(row["difference"] or 0) for row in rows)
    same = sum(bool(row["same_bits"]) for row in rows)
    told = "not one" if not same else "every one" if same == len(rows) else f"{same} of {len(rows)}"
    cols = {
        "block": "Tile of keys", "steps": "Steps", "difference": "Largest difference from one softmax",
        "error": "Largest error (float64)", "same_bits": "Same bits",
    }  # fmt: skip
    look_for = f"The same algebra in another order; tile sizes that give the bits of one softmax: {told}."
    return (
        table("blocks", cols, rows, title="All rows, by tile size", look_for=look_for),
        check(
            "blocks-agree", "The tile size changes rounding, and nothing else.", worst, "<=", _tolerance(x)
        ),
    )


def _ways(x: Inputs, end: Step) -> Block:
    """Three ways to the output of the watched row, by how often they pass over its scores."""
    s, v = x.s[x.row], x.v.to(x.s.dtype)
    exact = torch.softmax(s.double(), dim=-1) @ x.v.double()
    e = torch.exp(s)
    found = {
        "without a maximum": (1, float(e.max()), e @ v / e.sum()),
        "maximum, sum, weights": (3, 1.0, torch.softmax(s, dim=-1) @ v),
        "online": (1, 1.0, end.out[0]),
    }
    rows: list[Row] = [
        {"way": way, "passes": passes, "largest": largest, "error": max_error(out, exact)}
        for way, (passes, largest, out) in found.items()
    ]
    broken = not math.isfinite(float(rows[0]["error"] or 0))
    look_for = (
        "One pass without a maximum overflows here; the online one does not."
        if broken
        else "One pass is enough without a maximum, too, until e^s overflows: from a score of 88.7 on in float32."
    )
    cols = {
        "way": "Softmax", "passes": "Passes over the scores", "largest": "Largest power of e",
        "error": "Largest error",
    }  # fmt: skip
    return table("ways", cols, rows, title="Why a running maximum", look_for=look_for)


def _division(steps: tuple[Step, ...]) -> Block:
    d, n = steps[-1].acc.size(1), len(steps)
    return note(
        "division",
        "acc / l is the output only at the end: FlashAttention-2 takes one reciprocal of l for a row, and multiplies "
        f"its {d} numbers by it. The first FlashAttention kept its output normalised, and so took one at every tile, "
        f"{counted(n, 'time')} here.",
        title="One division a row",
    )


def _f(value: Tensor | float) -> str:
    return f"{float(value):.4g}"

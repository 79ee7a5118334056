"""The demo `memory`: two n x n matrices at the peak of unfused attention, and next to nothing in fused attention."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor
from torch.nn import functional as F

from kernels import memory
from kernels.attention import Rules, attention
from kernels.entries.memory import SMALL, held_bytes, lengths, score_bytes
from kernels.job import Job
from kernels.numerics import DTYPES, draw
from kernels.result import Block, Row
from kernels.roofline import accesses, theorem
from kernels.show import amounts, check, code, curves, note, table
from kernels.units import MB

TILE = 128  # queries that a fused kernel holds while it reads all keys
WARM_UP = 64  # tokens of the calls that let torch set up its threads and buffers, before anything is measured


class Peak(NamedTuple):
    """Bytes beyond the inputs at the peak of one call; None where the system does not tell."""

    n: int
    predicted: int
    unfused: int | None
    fused: int | None


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: peaks, longest, growth, unfused-peak, fused-peak (or unmeasured), moved, code."""
    memory.require(held_bytes(job.params), job.device, "lower longest or heads.")
    for way in _ways(job, WARM_UP):
        way()
    peaks = [_peak(job, n, i) for i, n in enumerate(_lengths(job))]
    return (
        _table(peaks),
        *(_measured(job, peaks) if all(p.unfused is not None for p in peaks) else [_unmeasured(peaks)]),
        _moved(job),
        code(_snippet(job)),
    )


def _lengths(job: Job) -> tuple[int, ...]:
    return lengths(int(job.word("longest")))


def _ways(job: Job, n: int) -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    """Unfused and fused attention of n tokens, on inputs that are held already."""
    heads, d = job.whole("heads", "d")
    shape = (heads, n, d)
    q, k, v = draw(job.seed, shape, shape, shape, dtype=DTYPES[job.word("dtype")], device=job.device)
    plain = Rules(d**-0.5)
    return (
        lambda: attention(q, k, v, plain),
        lambda: F.scaled_dot_product_attention(q[None], k[None], v[None])[0],
    )


def _peak(job: Job, n: int, step: int) -> Peak:
    heads, dtype = job.whole("heads")[0], job.word("dtype")
    peaks = []
    for i, (label, way) in enumerate(zip(("unfused", "fused"), _ways(job, n), strict=True)):
        job.progress(0.1 + 0.3 * step + 0.15 * i, f"{n:,} tokens, {label}")
        peaks.append(memory.peak(way, job.device))
    unfused, fused = peaks
    return Peak(n, score_bytes(n, heads, dtype), unfused, fused)


def _table(peaks: list[Peak]) -> Block:
    rows: list[Row] = [
        {
            "n": p.n,
            "predicted": p.predicted,
            "predicted_mb": p.predicted / MB,
            "unfused_mb": None if p.unfused is None else p.unfused / MB,
            "fused_mb": None if p.fused is None else p.fused / MB,
        }
        for p in peaks
    ]
    cols = {
        "n": ("Length", "tokens"),
        "predicted": ("Two n x n matrices for each head", "B"),
        "predicted_mb": ("The same", "MB"),
        "unfused_mb": ("Unfused, measured", "MB"),
        "fused_mb": ("Fused, measured", "MB"),
    }
    return table(
        "peaks",
        cols,
        rows,
        title="Memory beyond the inputs, at the peak",
        look_for="The scores and the weights are both held while the one is made from the other: hence two matrices.",
    )


def _measured(job: Job, peaks: list[Peak]) -> list[Block]:
    last = peaks[-1]
    unfused, fused = last.unfused or 0, last.fused or 0
    matrices = f"{2 * job.whole('heads')[0]} n x n matrices, calculated"
    bars = {
        matrices: last.predicted,
        "unfused, measured": unfused,
        "fused, measured": fused,
    }
    ys = {
        "unfused, measured": [(p.unfused or 0) / MB for p in peaks],
        "fused, measured": [(p.fused or 0) / MB for p in peaks],
        matrices: [p.predicted / MB for p in peaks],
    }
    return [
        amounts(
            "longest",
            bars,
            title=f"At {last.n:,} tokens",
            alt="; ".join(f"{label}: {n / MB:,.1f} MB" for label, n in bars.items()) + ".",
        ),
        curves(
            "growth",
            [p.n for p in peaks],
            ys,
            title="By length",
            x_label="tokens",
            unit="MB",
            log=True,
            look_for="What is calculated quadruples with each step to the right.",
        ),
        check(
            "unfused-peak",
            f"At {last.n:,} tokens unfused attention holds both matrices of each head, within a tenth and "
            f"{SMALL / MB:.0f} MB.",
            unfused,
            "=",
            last.predicted,
            last.predicted / 10 + SMALL,
        ),
        check(
            "fused-peak",
            "Fused attention holds less than the unfused does.",
            fused,
            "<",
            unfused,
        ),
    ]


def _unmeasured(peaks: list[Peak]) -> Block:
    return note(
        "unmeasured",
        f"This system does not tell the peak memory of a call, so only the two matrices of each head are shown: "
        f"{peaks[-1].predicted / MB:,.0f} MB at {peaks[-1].n:,} tokens.",
        title="Not measured here",
    )


def _moved(job: Job) -> Block:
    """Elements that one head moves, counted, and as what the theorem says that they grow."""
    d, sram = job.whole("d", "sram")
    rows: list[Row] = []
    for n in _lengths(job):
        plain, tiles = accesses(n, d, TILE)
        growth = theorem(n, d, sram)
        rows.append(
            {
                "n": n,
                "unfused": plain,
                "fused": float(tiles),
                "ratio": float(tiles / plain),
                "theorem": None if growth is None else float(growth),
            }
        )
    cols = {
        "n": ("Length", "tokens"),
        "unfused": ("Unfused, 4·n^2 + 4·n·d", "elements"),
        "fused": (f"Fused, {TILE} queries a tile", "elements"),
        "ratio": "Fused / unfused",
        "theorem": (f"n^2·d^2 / M, M = {sram:,}", "elements"),
    }
    look_for = (
        f"Fused, the two matrices are not moved, yet every tile of {TILE} queries reads all keys and values: traffic "
        "stays quadratic in n, though held memory is linear. Counted without a cache. The last column is the theorem: "
        "the growth in the long run, without its constant, and only where M is from d to n·d."
    )
    return table("moved", cols, rows, title="Moved is not held: HBM accesses of one head", look_for=look_for)


def _snippet(job: Job) -> str:
    heads, d = job.whole("heads", "d")
    size = {"fp32": 4, "bf16": 2}[job.word("dtype")]
    n = _lengths(job)[0]
    return f"""import torch
from torch.nn import functional as F

n, heads, d = {n}, {heads}, {d}  # the shortest length of the run
g = torch.Generator().manual_seed({job.seed})
q, k, v = (torch.randn(heads, n, d, generator=g).to({DTYPES[job.word("dtype")]}) for _ in range(3))
scores = (q @ k.transpose(-2, -1)).mul_(d**-0.5)
weights = torch.softmax(scores, dim=-1)  # the second n x n matrix, while the first is still held
unfused = weights @ v
fused = F.scaled_dot_product_attention(q, k, v)
held = scores.nbytes + weights.nbytes
assert held == 2 * heads * n * n * {size}
error = float((unfused - fused).abs().max())
print(f"{{held / 1e6:,.1f}} MB for the same output, up to {{error:.1e}}")
"""

"""What the demo `roofline` shows that holds on any chip: limits of the intensity, HBM accesses, the crossover."""

from __future__ import annotations

from collections.abc import Mapping

from kernels import show
from kernels.hardware import CHIPS
from kernels.job import Job
from kernels.result import Block, Row
from kernels.roofline import Work, accesses, crossover, decode_mla, theorem, tiled
from kernels.show import check, table

D_MODELS = (4096, 8192)
D_HEADS = (32, 64, 128, 256)


def limits(job: Job, works: Mapping[str, Work], size: int) -> list[Block]:
    """Blocks unfused-limit, tile-limit, with elements of `size` bytes. works: unfused first, then the tile."""
    d, tile = job.whole("d", "tile")
    plain, with_tile, *_ = works.values()
    low, high = d / size, 2 * tile / size
    unfused = f"Unfused, the intensity stays below d/{size} = {low:g}, however long the sequence."
    tiled = f"With a tile of {tile:,} query rows it stays below {high:,g}."
    return [
        check("unfused-limit", unfused, plain.intensity, "<", low),
        check("tile-limit", tiled, with_tile.intensity, "<", high),
    ]


def io(job: Job) -> Block:
    """Block io: elements that cross the memory bus, counted, and theorem 2 of FlashAttention beside them."""
    n, tile, sram = job.whole("n", "tile", "sram")
    rows: list[Row] = []
    for d in D_HEADS:
        plain, tiles = accesses(n, d, tile)
        covered = theorem(n, d, sram) is not None
        rows.append(
            {
                "d": d,
                "ratio": d * d / sram if covered else None,
                "unfused": plain,
                "fused": float(tiles),
                "share": float(tiles / plain),
            }
        )
    cols = {
        "d": "Head size",
        "ratio": f"Theorem: d^2 / M, M = {sram:,}",
        "unfused": ("Unfused, 4·n^2 + 4·n·d", "elements"),
        "fused": (f"A tile of {tile:,} queries", "elements"),
        "share": "Of unfused",
    }
    look_for = (
        f"Counted without a cache. In the long run the tile moves d / {2 * tile:,} of what unfused attention moves: "
        f"less for heads smaller than {2 * tile:,}. The theorem tells the growth alone, without its constant, and "
        "only where M is from d to n·d."
    )
    return table("io", cols, rows, title=f"HBM accesses of one head, {n:,} tokens", look_for=look_for)


def crossing(job: Job) -> list[Block]:
    """Blocks crossover, crossover-full, crossover-causal."""
    (chosen,) = job.whole("d_model")
    rows: list[Row] = [
        {"d_model": d, "full": crossover(d, causal=False), "causal": crossover(d, causal=True)}
        for d in dict.fromkeys((*D_MODELS, chosen))
    ]
    cols = {
        "d_model": "Model width",
        "full": ("All pairs, 6·d_model", "tokens"),
        "causal": ("Causal, 12·d_model", "tokens"),
    }
    return [
        table("crossover", cols, rows, title="From here on attention takes more FLOP than the matrices"),
        *(_equal(chosen, causal) for causal in (False, True)),
    ]


def _equal(d_model: int, causal: bool) -> Block:
    """Both sides of the crossover, counted: scores and mixing, and the matrices of a layer."""
    n = crossover(d_model, causal=causal)
    kind, pairs = ("causal", n * n // 2) if causal else ("full", n * n)
    claim = (
        f"At {n:,} tokens the scores and the mixing of a layer of width {d_model:,}, {kind}, take as many FLOP as its "
        "matrices."
    )
    return check(f"crossover-{kind}", claim, 4 * pairs * d_model, "=", 24 * n * d_model**2)


def known() -> tuple[Block, ...]:
    """Published figures that the calculator must give whatever was asked."""
    a100, h100 = CHIPS["a100-80gb"], CHIPS["h100-sxm"]
    tile, mla = tiled(4096, 128, 128).intensity, decode_mla(1, 128).intensity
    return show.known(
        check("known-a100", f"The ridge of {a100.title} is at 153 FLOP/B.", a100.ridge, "=", 153, 0.5),
        check("known-h100", f"The ridge of {h100.title} is at 295 FLOP/B.", h100.ridge, "=", 295, 0.5),
        check(
            "known-tile", "A tile of 128 queries gives 124.1 FLOP/B at 4,096 tokens.", tile, "=", 124.1, 0.05
        ),
        check("known-mla", "MLA with 128 heads decodes at 241.8 FLOP/B in 16 bits.", mla, "=", 241.8, 0.05),
    )

"""What the demo `roofline` shows that holds on any chip: limits of the intensity, HBM accesses, the crossover."""

from __future__ import annotations

from collections.abc import Mapping

from kernels.hardware import CHIPS
from kernels.job import Job
from kernels.result import Block, Row
from kernels.roofline import Work, accesses, crossover, decode_mla, tiled
from kernels.show import check, table

D_MODELS = (4096, 8192)
D_HEADS = (32, 64, 128, 256)


def limits(job: Job, works: Mapping[str, Work]) -> list[Block]:
    """Blocks unfused-limit, tile-limit. works are those of the demo: unfused first, then the tile."""
    d, tile = job.whole("d", "tile")
    plain, with_tile, *_ = works.values()
    return [
        check(
            "unfused-limit",
            f"Unfused, the intensity stays below d/2 = {d / 2:g}, however long the sequence.",
            plain.intensity,
            "<",
            d / 2,
        ),
        check(
            "tile-limit",
            f"With a tile of {tile:,} query rows it stays below {tile:,}.",
            with_tile.intensity,
            "<",
            tile,
        ),
    ]


def io(job: Job) -> Block:
    """Block io: what theorem 2 of FlashAttention says for usual head sizes."""
    n, sram = job.whole("n", "sram")
    rows: list[Row] = []
    for d in D_HEADS:
        plain, tiles = accesses(n, d, sram)
        covered = d <= sram <= n * d
        rows.append(
            {
                "d": d,
                "ratio": d * d / sram,
                "unfused": plain,
                "fused": float(tiles) if covered else None,
            }
        )
    cols = {
        "d": "Head size",
        "ratio": "d^2 / M",
        "unfused": ("n·d + n^2", "elements"),
        "fused": ("n^2·d^2 / M", "elements"),
    }
    look_for = (
        "Both are quadratic in n, and constants are left out: fusing divides the traffic by about M/d^2. "
        "Empty where M exceeds n·d, which the theorem does not cover."
    )
    return table(
        "io", cols, rows, title=f"HBM accesses with M = {sram:,} elements on chip", look_for=look_for
    )


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


def known() -> list[Block]:
    """Published figures that the calculator must give whatever was asked."""
    ridges = {"known-a100": ("a100-80gb", 153), "known-h100": ("h100-sxm", 295)}
    return [
        *(
            check(
                block_id,
                f"The ridge of {CHIPS[name].title} is at {n} FLOP/B.",
                CHIPS[name].ridge,
                "=",
                n,
                0.5,
            )
            for block_id, (name, n) in ridges.items()
        ),
        check(
            "known-tile",
            "A tile of 128 queries gives 124.1 FLOP/B at 4,096 tokens.",
            tiled(4096, 128, 128).intensity,
            "=",
            124.1,
            0.05,
        ),
        check(
            "known-mla",
            "MLA with 128 heads decodes at 241.8 FLOP/B.",
            decode_mla(1, 128).intensity,
            "=",
            241.8,
            0.05,
        ),
    ]

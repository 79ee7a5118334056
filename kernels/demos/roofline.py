"""The demo `roofline`: which kinds of attention are bound by memory, and which by arithmetic, on which chip."""

from __future__ import annotations

from collections.abc import Mapping

from kernels.demos import roofline_laws as laws
from kernels.entries.roofline import HERE
from kernels.hardware import CHIPS, Chip
from kernels.job import Job
from kernels.result import Block, Roofline, RooflinePoint, Row
from kernels.roofline import Work, decode, decode_mla, fused, tiled, unfused
from kernels.show import code, curves, note, table
from kernels.units import MIB, TERA
from kernels.words import counted, size

LENGTHS = tuple(2**i for i in range(8, 18))
FA3_HEADS = (128, 256)
"""Head sizes at which FlashAttention-3 reaches the shares of the peak that are told (arXiv 2407.08608)."""


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: roof, points, l2 (where a tile stays below the ridge), mla, by-length, chips, chip, unfused-limit,
    tile-limit, io, crossover, crossover-full, crossover-causal, code, known, known-a100, known-h100, known-tile,
    known-mla."""
    chip = _chip(job)
    works = _works(job, chip.size)
    return (
        _roof(chip, works),
        _points(chip, works),
        *_l2(job, chip, works),
        _mla(job, chip, works),
        _by_length(job, chip),
        _chips(chip),
        note("chip", f"{chip.title}: {chip.source}. {chip.caveat}".strip(), title="Where the roof is from"),
        *laws.limits(job, works, chip.size),
        laws.io(job),
        *laws.crossing(job),
        code(_snippet(job, chip), title="Worked out"),
        *laws.known(),
    )


def _chip(job: Job) -> Chip:
    if (name := job.word("device")) != HERE:
        return CHIPS[name]
    from kernels.here import measured

    job.progress(0.1, "Measuring a copy and a matrix product")
    return measured(job.device)


def _works(job: Job, itemsize: int) -> dict[str, Work]:
    """One head of a prefill each; a decode step of all heads. The order of the rows of `points`."""
    n, d, tile, h_q, h_kv, h_mla, n_q = job.whole("n", "d", "tile", "h_q", "h_kv", "h_mla", "n_q")
    return {
        "prefill, unfused": unfused(n, d, itemsize),
        f"prefill, tile of {tile:,} queries": tiled(n, d, tile, itemsize),
        "prefill, everything read once": fused(n, d, itemsize),
        "decode, MHA": decode(n, d, h_q, h_q, n_q=n_q, size=itemsize),
        f"decode, GQA {h_q}:{h_kv}": decode(n, d, h_q, h_kv, n_q=n_q, size=itemsize),
        "decode, MQA": decode(n, d, h_q, 1, n_q=n_q, size=itemsize),
        f"decode, MLA with {counted(h_mla, 'head')}": decode_mla(n, h_mla, n_q=n_q, size=itemsize),
    }


def _bound(chip: Chip, work: Work) -> str:
    return "arithmetic" if work.intensity >= chip.ridge else "bandwidth"


def _roof(chip: Chip, works: Mapping[str, Work]) -> Block:
    points = tuple(
        RooflinePoint(label, work.intensity, chip.attainable(work.intensity)) for label, work in works.items()
    )
    left = [label for label, work in works.items() if _bound(chip, work) == "bandwidth"]
    return Block(
        "roof",
        Roofline(chip.ridge, points, chip.peak, chip.bandwidth, chip.title),
        title="At most this fast",
        look_for=f"Bound by bandwidth, left of the ridge: {'; '.join(left)}."
        if left
        else "None stands left of the ridge: all are bound by arithmetic.",
        alt=f"The ridge of {chip.title} is at {chip.ridge:,.1f} FLOP/byte. "
        + "; ".join(f"{label} {work.intensity:,.1f}" for label, work in works.items())
        + ".",
    )


def _points(chip: Chip, works: Mapping[str, Work]) -> Block:
    rows: list[Row] = [
        {
            "kernel": label,
            "flop": work.flop,
            "moved": float(work.moved),
            "intensity": work.intensity,
            "bound": _bound(chip, work),
            "tflops": chip.attainable(work.intensity) / TERA,
            "share": chip.attainable(work.intensity) / chip.peak,
        }
        for label, work in works.items()
    ]
    cols = {
        "kernel": "Kernel",
        "flop": ("Work", "FLOP"),
        "moved": ("Moved", "B"),
        "intensity": ("Intensity", "FLOP/B"),
        "bound": "Bound by",
        "tflops": ("At most", "TFLOP/s"),
        "share": "Share of the peak",
    }
    look_for = (
        f"A prefill counts one head, a decode step all heads; {8 * chip.size}-bit elements. The same FLOP can cost "
        "very different bytes."
    )
    return table(
        "points", cols, rows, title=f"Against a ridge of {chip.ridge:,.1f} FLOP/B", look_for=look_for
    )


def _l2(job: Job, chip: Chip, works: Mapping[str, Work]) -> list[Block]:
    """Why a fused kernel may be bound by arithmetic although its tile, counted from HBM, is not."""
    (n, d, tile), (_, with_tile, once, *_) = job.whole("n", "d", "tile"), works.values()
    if with_tile.intensity >= chip.ridge:
        return []
    keys = 2 * n * d * chip.size
    told = (
        f"A tile of {tile:,} queries does {with_tile.intensity:,.1f} FLOP for each byte it asks for, less than the "
        f"ridge of {chip.ridge:,.1f}. "
    )
    if once.intensity < chip.ridge:
        told += "So few tokens stay below it whatever a cache does: "
        told += f"with every byte read once it is {once.intensity:,.1f}."
        return [note("l2", told, title="Below the ridge, with any cache")]
    told += (
        "Not every byte comes from HBM, though: all tiles of one head read the same keys and values, "
        f"{size(keys)} of them here. "
    )
    if chip.l2 is None:
        told += (
            "What the cache serves of that lifts the kernel towards the point where everything is read once."
        )
    elif keys <= chip.l2:
        told += f"They fit into the L2 cache of {size(chip.l2)}, which serves most of the repeated reads."
    else:
        told += (
            f"That is more than the L2 cache of {size(chip.l2)}, which still serves programs that read the same tiles "
            "at about the same time."
        )
    if chip.name == "h100-sxm" and d in FA3_HEADS:
        told += (
            " FlashAttention-3 reaches 75 to 85 % of this chip's peak at best, so long prefills can be bound by "
            "arithmetic."
        )
    return [note("l2", told, title="Below the ridge, counted without a cache")]


def _mla(job: Job, chip: Chip, works: Mapping[str, Work]) -> Block:
    """Beside the ridge, not far beyond it: which side depends on whose figures are taken."""
    h_mla, n_q = job.whole("h_mla", "n_q")
    here = list(works.values())[-1].intensity
    throttled, sheet = CHIPS["h800"].ridge, CHIPS["h100-sxm"].ridge
    asked = f"{counted(h_mla, 'head')} on one chip and {counted(n_q, 'new token')}: {here:,.1f} FLOP/B"
    usual = (h_mla, n_q, chip.size) == (128, 1, 2)
    text = (
        f"{asked}{'' if usual else '. With 128 heads and one new token it is 241.8 in 16 bits'}, close to the ridge: "
        f"{throttled:.0f} of H800 as FlashMLA's authors saw it throttled, {sheet:.0f} of H100's data sheet. They call "
        "that bound by arithmetic, and count about 2 · 128 = 256. Divided over chips it is bound by bandwidth again, "
        "since each reads the whole latent for fewer heads."
    )
    return note("mla", text, title=f"MLA {_stands(here / chip.ridge)} the ridge of {chip.title}")


def _stands(ratio: float) -> str:
    if 0.8 <= ratio <= 1.25:
        return "stands at"
    return "stays left of" if ratio < 1 else "stands right of"


def _by_length(job: Job, chip: Chip) -> Block:
    d, tile = job.whole("d", "tile")
    ys = {
        "unfused": [unfused(n, d, chip.size).intensity for n in LENGTHS],
        f"tile of {tile:,}": [tiled(n, d, min(tile, n), chip.size).intensity for n in LENGTHS],
        "everything read once": [fused(n, d, chip.size).intensity for n in LENGTHS],
        f"ridge of {chip.title}": [chip.ridge] * len(LENGTHS),
    }
    return curves(
        "by-length",
        LENGTHS,
        ys,
        title="Longer sequences do not save the unfused kernel",
        x_label="tokens",
        unit="FLOP/B",
        log=True,
        look_for=(
            f"Unfused it goes to d/{chip.size} = {d / chip.size:g}, with a tile of {tile:,} rows to "
            f"{2 * tile / chip.size:,g}; the ceiling goes on."
        ),
    )


def _chips(chosen: Chip) -> Block:
    chips = [*CHIPS.values(), *([] if chosen.name in CHIPS else [chosen])]
    rows: list[Row] = [
        {
            "chip": chip.title,
            "tflops": chip.peak / TERA,
            "tbs": chip.bandwidth / TERA,
            "ridge": chip.ridge,
            "sram": None if chip.all_sram is None else chip.all_sram / MIB,
            "sram_tbs": None if chip.sram_bandwidth is None else chip.sram_bandwidth / TERA,
            "l2": None if chip.l2 is None else chip.l2 / MIB,
            "origin": chip.origin,
        }
        for chip in chips
    ]
    cols = {
        "chip": "Chip",
        "tflops": ("Matrix units", "TFLOP/s"),
        "tbs": ("Memory", "TB/s"),
        "ridge": ("Ridge", "FLOP/B"),
        "sram": ("On-chip, all SMs", "MiB"),
        "sram_tbs": ("Its speed", "TB/s"),
        "l2": ("L2", "MiB"),
        "origin": "Origin",
    }
    look_for = (
        "The ridge moves with the chip: what is bound by arithmetic on one is bound by bandwidth on another. "
        "bf16, but where a row names another type."
    )
    return table("chips", cols, rows, title="Chips and their ridges", look_for=look_for)


def _snippet(job: Job, chip: Chip) -> str:
    n, d, tile, h_q, h_kv, h_mla, n_q = job.whole("n", "d", "tile", "h_q", "h_kv", "h_mla", "n_q")
    return f"""peak, bandwidth = {chip.peak!r}, {chip.bandwidth!r}  # FLOP/s and bytes/s: {chip.title}
n, d, tile = {n}, {d}, {tile}
h_q, h_kv, h_mla, n_q = {h_q}, {h_kv}, {h_mla}, {n_q}
flop, size = 4 * n * n * d, {chip.size}  # of one head; bytes an element
intensity = {{
    "unfused": flop / (size * (4 * n * n + 4 * n * d)),
    "tile": flop / (size * 2 * n * d * (1 + n / tile)),
    "ceiling": flop / (size * 4 * n * d),
    "decode MHA": n_q * 2 / size,
    "decode GQA": n_q * 2 / size * h_q / h_kv,
    "decode MQA": n_q * 2 / size * h_q,
    "decode MLA": n_q * 2 / size * h_mla * (576 + 512) / 576,
}}
ridge = peak / bandwidth
print(f"ridge {{ridge:.1f}} FLOP/B")
for name, x in intensity.items():
    print(f"{{name:12}} {{x:10.1f}} FLOP/B  {{'arithmetic' if x >= ridge else 'bandwidth'}}")
"""

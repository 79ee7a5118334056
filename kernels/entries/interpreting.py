"""What a demo of a Triton kernel holds for its checks, and refuses where the kernel is interpreted."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import Params

LIMIT_S = 3.0
CHECKED = 2**28
"""Bytes that a check against float64 takes at most: copies of one head, and the rows of scores at a time."""


def tile_seconds(bm: int, bn: int, d: int) -> float:
    """About how long the interpreter takes for one step of the fused kernel, in NumPy on one core."""
    padded = 1 << (d - 1).bit_length()
    return 0.004 + 1e-8 * bm * bn * padded


def refusals(p: Params, seconds: float, *, lower: str, kernels: str = "kernel is") -> Iterator[str]:
    """A sentence for bf16, and one for a run of so many seconds; `lower` names the parameters that shorten it."""
    if p.get("dtype") == "bf16":
        yield "bf16 needs a GPU, since Triton's interpreter gets its products wrong without a word; use fp16 or fp32."
    if seconds > LIMIT_S:
        yield (
            f"Without a GPU the {kernels} interpreted, and this size would take about {seconds:,.0f} s "
            f"(limit {LIMIT_S:.0f} s); lower {lower}."
        )

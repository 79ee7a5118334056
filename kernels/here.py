"""What the machine at hand really does: the bandwidth of a large copy, the FLOP/s of a large matrix product."""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch

from kernels.device import describe
from kernels.hardware import Chip
from kernels.timing import race
from kernels.units import GB


class Probe(NamedTuple):
    """Bytes that the copy reads (it writes as many), the width of the square product, and its dtype."""

    copied: int
    width: int
    dtype: torch.dtype


PROBES = {
    "cpu": Probe(2**26, 1024, torch.float32),  # larger than the caches of most processors
    "cuda": Probe(2**31, 8192, torch.bfloat16),
}


def measured(device: Literal["cpu", "cuda"], budget_s: float = 0.5, probe: Probe | None = None) -> Chip:
    """This machine as a Chip, in about budget_s seconds: fp32 on a CPU, bf16 on a GPU.

    The speeds are those of the fast tenth of the calls: a roof is what can be reached, not what is usual.
    """
    probe = probe or PROBES[device]
    whole = torch.zeros(probe.copied, dtype=torch.int8, device=device)
    target = torch.empty_like(whole)
    a, b = (torch.randn(probe.width, probe.width, device=device).to(probe.dtype) for _ in range(2))
    times = race({"copy": lambda: target.copy_(whole), "product": lambda: a @ b}, device, budget_s=budget_s)
    seconds = {label: t.p10 / 1000 for label, t in times.items()}
    dtype = str(probe.dtype).removeprefix("torch.")
    return Chip(
        "here",
        f"{describe(device)['name']}, measured in {dtype}",
        2 * probe.width**3 / seconds["product"],
        2 * probe.copied / seconds["copy"],
        f"a copy of {probe.copied / GB:.2f} GB and a {dtype} product of {probe.width:,} x {probe.width:,}, "
        "timed in this run",
        "Measured: a busy machine shows less than it can do.",
        size=probe.dtype.itemsize,
        origin="measured",
    )

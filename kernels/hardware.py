"""What data sheets promise of GPUs: arithmetic, bandwidth, and the memory close to it. Imports no torch.

Figures are those of several independent tables and of the papers named; NVIDIA's own sheets were not read. Many pages
print 1,979 TFLOP/s as H100's dense bf16 speed: that is the figure for 2:4 sparsity, and twice the dense one.
What is measured on the machine at hand is in kernels/here.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kernels.units import GB, KIB, MIB, TERA

_TABLES = "public tables that agree with each other"
_FA1 = f"{_TABLES}; on-chip figures of FlashAttention, section 2.1 (arXiv 2205.14135)"
_FA3 = f"{_TABLES}; on-chip figures of FlashAttention-3, table 1 (arXiv 2407.08608)"


@dataclass(frozen=True)
class Chip:
    """One accelerator.

    peak: dense FLOP/s of the matrix units with elements of `size` bytes, bf16 on a data sheet; bandwidth: bytes/s of
    the device memory (HBM); memory: its bytes as sold, reported: as the driver counts them. sms multiprocessors have
    `sram` bytes each, which together are read at sram_bandwidth bytes/s; None where no source gave a figure.
    origin says in a few words who stands for peak and bandwidth.
    """

    name: str
    title: str
    peak: float
    bandwidth: float
    source: str
    caveat: str = ""
    memory: int | None = None
    reported: int | None = None
    sms: int | None = None
    sram: int | None = None
    sram_bandwidth: float | None = None
    l2: int | None = None
    size: int = 2
    origin: str = "data sheet"

    @property
    def ridge(self) -> float:
        """FLOP per byte from which arithmetic is the bound, and no longer bandwidth."""
        return self.peak / self.bandwidth

    def attainable(self, intensity: float) -> float:
        """The roof: FLOP/s that a kernel of this intensity (FLOP/byte) can reach at most."""
        return min(self.peak, intensity * self.bandwidth)

    @property
    def all_sram(self) -> int | None:
        """Bytes of the memory next to the arithmetic, over all multiprocessors."""
        return None if self.sms is None or self.sram is None else self.sms * self.sram


_A100_SRAM = "Its 192 KiB an SM are L1 and shared memory together, of which 164 KiB can be shared memory."
_ROWS = (
    Chip(
        "a100-40gb", "A100 40 GB", 312 * TERA, 1_555 * GB, _FA1, _A100_SRAM,
        memory=40 * GB, sms=108, sram=192 * KIB, sram_bandwidth=19 * TERA,
    ),
    Chip(
        "a100-80gb", "A100 80 GB", 312 * TERA, 2_039 * GB, _FA1, _A100_SRAM,
        memory=80 * GB, sms=108, sram=192 * KIB, sram_bandwidth=19 * TERA,
    ),
    Chip(
        "h100-sxm", "H100 SXM", 989 * TERA, 3_350 * GB, _FA3,
        "1,979 TFLOP/s, often printed as its dense bf16 speed, is that of 2:4 sparsity. Its 228 KiB an SM are shared "
        "memory alone, so they do not compare with A100's 192 KiB.",
        memory=80 * GB, reported=81_559 * MIB, sms=132, sram=228 * KIB, sram_bandwidth=31 * TERA, l2=50 * MIB,
    ),
    Chip(
        "h200", "H200", 989 * TERA, 4_800 * GB, _FA3,
        "The chip of H100 with a larger and faster memory.",
        memory=141 * GB, sms=132, sram=228 * KIB, sram_bandwidth=31 * TERA, l2=50 * MIB,
    ),
    Chip(
        "h800", "H800, throttled", 865 * TERA, 3_350 * GB, "FlashMLA, docs/20250422 (deepseek-ai/FlashMLA)",
        "865 TFLOP/s is what FlashMLA's authors saw it sustain; the sheet promises more.",
        origin="seen by FlashMLA's authors",
    ),
    Chip(
        "b200", "B200", 2_250 * TERA, 8_000 * GB, "FlashAttention-4 (2026) and pytorch/ao pull request 4002",
        "8 TB/s is nominal; the bus that the driver reports gives 7.67 TB/s.",
        sms=148, sram=228 * KIB, l2=126_500_000,
    ),
)  # fmt: skip

CHIPS: Mapping[str, Chip] = {chip.name: chip for chip in _ROWS}
"""All chips by name, in the order in which they are shown."""

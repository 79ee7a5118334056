"""Timing that can be shown: warmed up, repeated, as quantiles, with the caches of the device cleared on a GPU."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import torch

_L2_BYTES = 256 * 2**20  # larger than the L2 cache of any GPU so far


class Times(NamedTuple):
    """n timed calls; median, 10th and 90th percentile in milliseconds."""

    n: int
    median: float
    p10: float
    p90: float

    @property
    def wide(self) -> bool:
        """Whether the spread is so wide that the median says little."""
        return self.p90 > 1.5 * self.p10


def measure(
    call: Callable[[], object], device: str, *, budget_s: float = 2.0, least: int = 5, most: int = 50
) -> Times:
    """Times `call` between `least` and `most` times, stopping once budget_s seconds are used.

    The first call warms up (compilation, caches, the allocator) and is not counted.
    """
    call()
    samples: list[float] = []
    sample = _cuda_sampler(call) if device == "cuda" else _cpu_sampler(call)
    started = time.perf_counter()
    while len(samples) < least or (len(samples) < most and time.perf_counter() - started < budget_s):
        samples.append(sample())
    deciles = statistics.quantiles(samples, n=10, method="inclusive")
    return Times(len(samples), statistics.median(samples), deciles[0], deciles[-1])


def _cpu_sampler(call: Callable[[], object]) -> Callable[[], float]:
    def sample() -> float:
        started = time.perf_counter()
        call()
        return (time.perf_counter() - started) * 1000

    return sample


def _cuda_sampler(call: Callable[[], object]) -> Callable[[], float]:
    flush = torch.empty(_L2_BYTES, dtype=torch.int8, device="cuda")
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]

    def sample() -> float:
        flush.zero_()
        begin.record()
        call()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end))

    return sample

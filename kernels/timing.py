"""Timing that can be shown: warmed up, repeated, as quantiles, with the caches of the device cleared on a GPU."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch

_L2_BYTES = 256 * 2**20  # larger than the L2 cache of any GPU so far
_WARM_UP = {
    "cpu": 1,
    "cuda": 3,
}  # calls: the first compiles and allocates; a GPU's clocks rise with the others

Call = Callable[[], object]
Told = Callable[[float], None]


def silent(_: float) -> None:
    """Progress that nobody follows."""


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
    call: Call, device: str, *, budget_s: float = 2.0, least: int = 5, most: int = 50, each: Told = silent
) -> Times:
    """Times `call` between `least` and `most` times, stopping once budget_s seconds are used.

    Calls that warm up (compilation, caches, the allocator, a GPU's clocks) are not counted. `each` hears after every
    call which share of all is done.
    """
    return race({"": call}, device, budget_s=budget_s, least=least, most=most, each=each)[""]


def race(
    calls: Mapping[str, Call],
    device: str,
    *,
    budget_s: float = 2.0,
    least: int = 5,
    most: int = 50,
    warm: bool = False,
    each: Told = silent,
) -> dict[str, Times]:
    """Times several calls side by side: one of each in turn, until budget_s seconds are used for all of them.

    What slows the machine down for a while slows all of them, so that their ratio holds where milliseconds do not.
    warm says that each has been called before, which is all that a CPU needs.
    """
    if not warm or device == "cuda":
        for call in calls.values():
            warm_up(call, device)
    sample = _cuda_sampler() if device == "cuda" else _cpu_sample
    samples: dict[str, list[float]] = {label: [] for label in calls}
    rounds, started = 0, time.perf_counter()
    while rounds < least or (rounds < most and time.perf_counter() - started < budget_s):
        for label, call in calls.items():
            samples[label].append(sample(call))
        rounds += 1
        used = (time.perf_counter() - started) / budget_s
        each(min(rounds / least, max(used, rounds / most), 1.0))
    return {label: summary(taken) for label, taken in samples.items()}


def summary(samples: list[float]) -> Times:
    """The quantiles of two or more samples in milliseconds. Not the mean: one slow call would move it."""
    deciles = statistics.quantiles(samples, n=10, method="inclusive")
    return Times(len(samples), statistics.median(samples), deciles[0], deciles[-1])


def warm_up(call: Call, device: str) -> None:
    """Calls it without a clock, and waits for the device."""
    for _ in range(_WARM_UP[device]):
        call()
    if device == "cuda":
        torch.cuda.synchronize()


def _cpu_sample(call: Call) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def _cuda_sampler() -> Callable[[Call], float]:
    """Times by events on the device. Clearing the L2 cache before each call also hides the launch behind it."""
    flush = torch.empty(_L2_BYTES, dtype=torch.int8, device="cuda")
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]

    def sample(call: Call) -> float:
        flush.zero_()
        begin.record()
        call()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end))

    return sample

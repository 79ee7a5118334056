"""Which tiles a kernel runs with: a fixed setting, or on a GPU the fastest of at most twelve that are timed there.

Nothing happens at import, and nothing where Triton interprets. The first long call of a kind builds its candidates in
parallel, times each on a problem of a standard size, and keeps the winner for the life of the process. A later process
finds the builds in Triton's own cache and times again, which takes a second and suits the chip that it then has.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import torch
from triton.errors import TritonError

from kernels.result import Refused


class Config(NamedTuple):
    """Tile of queries, tile of keys, warps, software-pipeline stages, and whether tiles of k and v are fetched by the
    chip's tensor memory accelerator (TMA, from compute capability 9.0 on) instead of by pointers."""

    bm: int
    bn: int
    warps: int
    stages: int
    tma: bool = False

    @property
    def words(self) -> str:
        """As it stands beside a time."""
        return f"{self.bm} x {self.bn}, {self.warps} warps, {self.stages} stages{', TMA' * self.tma}"


class Problem(NamedTuple):
    """What decides which setting is fastest. describable: k and v lie in memory as TMA needs it."""

    d: int
    dtype: torch.dtype
    causal: bool
    windowed: bool
    describable: bool


class Chip(NamedTuple):
    """Compute capability (90 for 9.0), and the bytes of shared memory that one block may use."""

    capability: int
    shared: int


class Tried(NamedTuple):
    """One candidate: its median time in milliseconds, or None and why there is none."""

    setting: Config
    ms: float | None
    why: str = ""


class Choice(NamedTuple):
    """The fastest setting, and all that were tried, in the order in which they were."""

    setting: Config
    tried: tuple[Tried, ...]


INTERPRETED = Config(64, 64, 4, 1)
TMA_FROM = 90

# By the padded head size: with pointers, and by TMA. Each compiles without spilling registers, causal or not, for sm_80
# (pointers), sm_90, sm_100 and, up to 128, sm_120, which tests/kernels/test_compile_ahead.py holds; a window costs some
# of them a few bytes of stack. The first with pointers is what runs where nothing is timed.
_POINTERS = {
    64: (
        Config(128, 64, 4, 3),
        Config(128, 64, 4, 4),
        Config(128, 64, 8, 3),
        Config(128, 128, 8, 3),
        Config(128, 32, 4, 4),
        Config(64, 64, 4, 3),
    ),
    128: (Config(128, 64, 8, 3), Config(128, 64, 8, 2), Config(128, 32, 8, 4)),
    256: (Config(64, 32, 8, 2),),
}
_TMA = {
    64: (
        Config(128, 64, 4, 3, True),
        Config(128, 64, 4, 4, True),
        Config(128, 64, 8, 3, True),
        Config(128, 128, 8, 3, True),
        Config(64, 128, 4, 3, True),
        Config(64, 64, 4, 3, True),
    ),
    128: (
        Config(128, 64, 8, 3, True),
        Config(128, 64, 8, 2, True),
        Config(128, 128, 8, 3, True),
        Config(128, 128, 8, 2, True),
        Config(128, 32, 8, 4, True),
        Config(64, 64, 4, 3, True),
    ),
    256: (
        Config(128, 64, 8, 2, True),
        Config(128, 32, 8, 2, True),
        Config(64, 64, 8, 2, True),
        Config(64, 64, 4, 2, True),
        Config(64, 32, 8, 2, True),
    ),
}
_FLOAT32 = {64: (Config(32, 32, 4, 2),), 128: (Config(32, 16, 4, 2),), 256: (Config(32, 16, 8, 2),)}
"""Exact products in float32 run on no matrix unit, so registers hold everything, and tiles are small."""


def config(d: int, dtype: torch.dtype) -> Config:
    """The setting for a head size and dtype where nothing is timed."""
    return (_FLOAT32 if dtype == torch.float32 else _POINTERS)[_padded(d)][0]


def candidates(problem: Problem, chip: Chip) -> tuple[Config, ...]:
    """What is worth timing on a chip: at most twelve settings, those left out whose tiles cannot fit its memory."""
    width = _padded(problem.d)
    if problem.dtype == torch.float32:
        return _FLOAT32[width]
    by_tma = chip.capability >= TMA_FROM and problem.describable
    offered = _POINTERS[width] + (_TMA[width] if by_tma else ())
    return tuple(c for c in offered if least_shared(c, problem.d, problem.dtype) <= chip.shared)


def least_shared(setting: Config, d: int, dtype: torch.dtype) -> int:
    """Bytes of shared memory that the pipeline of k and v takes at least: a tile of each in all stages but one."""
    return 2 * (setting.stages - 1) * setting.bn * _padded(d) * dtype.itemsize


def fastest(
    settings: Sequence[Config], *, build: Callable[[Config], object], time: Callable[[Config], float]
) -> Choice:
    """Builds all settings, several at once, then times one after the other (milliseconds) and picks the fastest.

    One that cannot be built or does not fit the chip is passed over. Raises Refused where none is left.
    """
    with ThreadPoolExecutor(min(len(settings), os.cpu_count() or 1) or 1) as pool:
        faults = pool.map(lambda setting: _fault(build, setting), settings)
    tried = tuple(
        Tried(setting, None, fault) if fault else _timed(setting, time)
        for setting, fault in zip(settings, faults, strict=True)
    )
    ranked = sorted((one.ms, i) for i, one in enumerate(tried) if one.ms is not None)
    if not ranked:
        reasons = f" The first: {tried[0].why}" if tried else ""
        raise Refused(
            f"None of the kernel's {len(tried)} settings for this head size runs on this GPU.{reasons}"
        )
    return Choice(settings[ranked[0][1]], tried)


def _padded(d: int) -> int:
    """The least head size that a list is kept for and that holds d."""
    return next(width for width in _POINTERS if d <= width)


def _fault(build: Callable[[Config], object], setting: Config) -> str:
    try:
        build(setting)
    except TritonError as error:
        return _sentence(error)
    return ""


def _timed(setting: Config, time: Callable[[Config], float]) -> Tried:
    try:
        return Tried(setting, time(setting))
    except TritonError as error:
        return Tried(setting, None, _sentence(error))


def _sentence(error: TritonError) -> str:
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0][:200]

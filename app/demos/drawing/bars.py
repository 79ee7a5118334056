"""Amounts of bytes and timings as bars on one scale. Pure."""

import math
from dataclasses import dataclass
from typing import Final

from app.demos.drawing.numbers import byte_words, short
from kernels.result import Bytes, Timing, TimingRow

FULL: Final = 100.0  # the longest bar, in units of the drawing
_SECONDS: Final = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


@dataclass(frozen=True)
class ByteBar:
    label: str
    words: str
    exact: str
    width: float


def amounts(data: Bytes) -> tuple[ByteBar, ...]:
    top = max((row.n for row in data.rows if row.n > 0), default=1)
    return tuple(
        ByteBar(row.label, byte_words(row.n), f"{row.n:,} B", round(FULL * max(row.n, 0) / top, 2))
        for row in data.rows
    )


@dataclass(frozen=True)
class TimingBar:
    """start and width span p10 to p90, mark is the median."""

    label: str
    median: str
    spread: str
    n: str
    speed: str
    config: str
    start: float
    width: float
    mark: float


@dataclass(frozen=True)
class TimingView:
    unit: str
    rows: tuple[TimingBar, ...]
    has_speed: bool
    has_config: bool


def timing(data: Timing) -> TimingView:
    top = max((row.p90 for row in data.rows if 0 < row.p90 < math.inf), default=1.0)
    rows = tuple(_timing_bar(row, data.unit, top) for row in data.rows)
    return TimingView(data.unit, rows, any(r.speed for r in rows), any(r.config for r in rows))


def _timing_bar(row: TimingRow, unit: str, top: float) -> TimingBar:
    return TimingBar(
        row.label,
        f"{short(row.median)} {unit}",
        f"{short(row.p10)} – {short(row.p90)}",
        f"{row.n:,}",
        _speed(row, unit),
        row.config,
        _place(row.p10, top),
        max(round(_place(row.p90, top) - _place(row.p10, top), 2), 0.6),
        _place(row.median, top),
    )


def _place(value: float, top: float) -> float:
    """Where on the bar a time stands; what is no time stands at its beginning or its end."""
    return 0.0 if math.isnan(value) else round(FULL * min(max(value / top, 0.0), 1.0), 2)


def _speed(row: TimingRow, unit: str) -> str:
    """FLOP per call over the median, in the unit of every table and roofline; "" where either is unknown."""
    seconds = row.median * _SECONDS.get(unit, 0.0)
    if not row.flops or seconds <= 0:
        return ""
    return f"{short(row.flops / seconds / 1e12)} TFLOP/s"

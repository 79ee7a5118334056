"""Line charts and rooflines as coordinates, so that the server draws them and no script is needed. Pure."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from app.demos.drawing.numbers import short
from app.demos.drawing.undrawable import Undrawable
from kernels.result import Line, Roofline, Series

WIDTH: Final = 400
HEIGHT: Final = 250
LEFT, RIGHT, TOP, BOTTOM = 62, 26, 12, 34
LARGEST: Final = 1e100  # what lies beyond, or is no number, is left out of the drawing
STYLES: Final = 4  # dash patterns that the style sheet knows

Scale = Callable[[float], float]


@dataclass(frozen=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True)
class Curve:
    label: str
    style: int
    path: str
    band: str  # points of a polygon between lo and hi, or ""
    dots: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Chart:
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    curves: tuple[Curve, ...]
    unit: str
    head: tuple[str, ...]  # the same numbers, as a table
    rows: tuple[tuple[str, ...], ...]
    ridge: Tick | None = None
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def series(data: Series) -> Chart:
    everything = [y for line in data.ys for part in (line.y, line.lo or (), line.hi or ()) for y in part]
    log = data.log and all(v > 0 for v in (*data.x, *everything) if _drawable(v))
    x, x_ticks = _axis(data.x, LEFT, WIDTH - RIGHT, log)
    y, y_ticks = _axis(everything, HEIGHT - BOTTOM, TOP, log, from_zero=True)
    curves = tuple(_curve(line, i % STYLES, data.x, x, y) for i, line in enumerate(data.ys))
    rows = tuple(
        (short(at), *(short(line.y[i]) if i < len(line.y) else "–" for line in data.ys))
        for i, at in enumerate(data.x)
    )
    return Chart(x_ticks, y_ticks, curves, data.unit, ("x", *(line.label for line in data.ys)), rows)


def roofline(data: Roofline) -> Chart:
    """Points on log-log axes; left of the ridge a kernel is bound by memory, right of it by arithmetic.

    Raises Undrawable where the ridge has no place on such an axis; a point that has none stands in the table only.
    """
    if not _placeable(data.ridge):
        raise Undrawable("has a ridge that is no positive number")
    top = max((p.speed for p in data.points if _drawable(p.speed)), default=1.0)
    size, unit = (1e12, "TFLOP/s") if top >= 1e12 else (1e9, "GFLOP/s")
    places = [(p.label, p.intensity, p.speed / size) for p in data.points]
    x, x_ticks = _axis([data.ridge, *(at for _, at, _ in places)], LEFT, WIDTH - RIGHT, log=True)
    y, y_ticks = _axis([speed for _, _, speed in places], HEIGHT - BOTTOM, TOP, log=True)
    curves = tuple(
        Curve(label, i % STYLES, "", "", ((_at(x, at), _at(y, speed)),) if _placeable(at, speed) else ())
        for i, (label, at, speed) in enumerate(places)
    )
    rows = tuple((label, short(at), short(speed)) for label, at, speed in places)
    ridge = Tick(_at(x, data.ridge), f"ridge {short(data.ridge)} FLOP/byte")
    return Chart(x_ticks, y_ticks, curves, unit, ("point", "FLOP per byte", unit), rows, ridge)


def _curve(line: Line, style: int, xs: Sequence[float], x: Scale, y: Scale) -> Curve:
    dots = tuple((_at(x, a), _at(y, b)) for a, b in zip(xs, line.y, strict=False) if _drawable(a, b))
    path = " ".join(f"{'L' if i else 'M'}{a} {b}" for i, (a, b) in enumerate(dots))
    band = ""
    if line.lo is not None and line.hi is not None:
        edge = [*zip(xs, line.hi, strict=False), *reversed(list(zip(xs, line.lo, strict=False)))]
        band = " ".join(f"{_at(x, a)},{_at(y, b)}" for a, b in edge if _drawable(a, b))
    return Curve(line.label, style, path, band, dots)


def _drawable(*values: float) -> bool:
    return all(abs(v) <= LARGEST for v in values)


def _placeable(*values: float) -> bool:
    """Whether a logarithmic axis has a place for them."""
    return _drawable(*values) and all(v > 0 for v in values)


def _at(scale: Scale, value: float) -> float:
    return round(scale(value), 1)


def _axis(
    values: Sequence[float], start: float, end: float, log: bool, from_zero: bool = False
) -> tuple[Scale, tuple[Tick, ...]]:
    finite = [v for v in values if (_placeable(v) if log else _drawable(v))] or [1.0]
    if log:
        low, high = math.log(min(finite)), math.log(max(finite))
        marks = _log_marks(min(finite), max(finite))
    else:
        low, high = min(finite), max(finite)
        low = min(0.0, low) if from_zero else low
        if high - low <= 1e-9 * max(abs(low), abs(high), 1e-90):
            high = low + 1.0
        marks = _linear_marks(low, high)
        high = max(high, marks[-1])
    reach = (high - low) or 1.0

    def scale(value: float) -> float:
        placed = math.log(value) if log else value
        return start + (end - start) * (placed - low) / reach

    return scale, tuple(Tick(_at(scale, m), short(m)) for m in marks)


def _linear_marks(low: float, high: float, about: int = 5) -> list[float]:
    """Round marks (1, 2 or 5 times a power of ten) from at or above low to at or above high."""
    raw = (high - low) / about or 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [i * step for i in range(first, max(last, first) + 1)]


def _log_marks(low: float, high: float) -> list[float]:
    """Powers of two for lengths, else 1, 2 and 5 times powers of ten; at most six."""
    if low >= 1 and high <= 1e6 and high / low <= 4096:
        exponents = range(math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9) + 1)
        marks = [2.0**e for e in exponents]
    else:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps = (1, 2, 5) if len(decades) <= 3 else (1,)
        marks = [m * 10.0**e for e in decades for m in steps if low <= m * 10.0**e * 1.0001 <= high * 1.0002]
    return marks[:: max(1, math.ceil(len(marks) / 6))] or [low]

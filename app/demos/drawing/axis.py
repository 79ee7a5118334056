"""Axes: where a value stands, and which values get a mark. Pure."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from app.demos.drawing.numbers import MINUS, short

LARGEST: Final = 1e100  # what lies beyond, or is no number, is left out of a drawing
LETTER: Final = 10.0  # of a mark's text, in units of a drawing on a phone, where it is drawn largest
GAP: Final = 10.0
MOST: Final = 8  # marks of an axis

Scale = Callable[[float], float]


@dataclass(frozen=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True)
class Axis:
    scale: Scale
    ticks: tuple[Tick, ...]

    def at(self, value: float) -> float:
        return round(self.scale(value), 1)


def drawable(*values: float) -> bool:
    return all(abs(v) <= LARGEST for v in values)


def placeable(*values: float) -> bool:
    """Whether a logarithmic axis has a place for them."""
    return drawable(*values) and all(v >= 1 / LARGEST for v in values)


def linear(
    values: Sequence[float], start: float, end: float, *, from_zero: bool = False, upright: bool = False
) -> Axis:
    """An upright axis ends with a mark, one along the page with the last value."""
    finite = [v for v in values if drawable(v)] or [1.0]
    low, high = min(finite), max(finite)
    low = min(0.0, low) if from_zero else low
    if high - low <= 1e-9 * max(abs(low), abs(high), 1e-90):
        high = low + 1.0
    marks = _linear_marks(low, high)
    within = [mark for mark in marks if mark <= high * (1 + 1e-9)]
    if upright or len(within) < 2:
        high = max(high, marks[-1])
    else:
        marks = within
    reach = (high - low) or 1.0

    def scale(value: float) -> float:
        return start + (end - start) * (value - low) / reach

    return Axis(scale, _ticks((marks,), scale, upright))


def logarithmic(values: Sequence[float], start: float, end: float, *, upright: bool = False) -> Axis:
    finite = [v for v in values if placeable(v)] or [1.0]
    low, high = math.log(min(finite)), math.log(max(finite))
    reach = (high - low) or 1.0

    def scale(value: float) -> float:
        return start + (end - start) * (math.log(value) - low) / reach

    return Axis(scale, _ticks(_log_marks(finite), scale, upright))


def _ticks(choices: Sequence[Sequence[float]], scale: Scale, upright: bool) -> tuple[Tick, ...]:
    """The first choice of marks whose texts do not touch each other, or what of the last one has room."""
    for marks in choices:
        ticks = tuple(Tick(round(scale(mark), 1), _text(mark)) for mark in marks)
        if upright or all(map(_apart, ticks, ticks[1:])):
            return ticks
    kept: list[Tick] = []
    for tick in ticks:
        if not kept or _apart(kept[-1], tick):
            kept.append(tick)
    return tuple(kept)


def _apart(one: Tick, other: Tick) -> bool:
    return abs(other.at - one.at) >= LETTER * (len(one.text) + len(other.text)) / 2 + GAP


def _text(mark: float) -> str:
    """Short enough for an axis: 8,192 · 0.05 · 1/256 · 2e9 · 1e−7."""
    if 0 < mark < 0.1 and math.frexp(mark)[0] == 0.5 and mark >= 2**-13:
        return f"1/{int(1 / mark):,}"
    if mark == 0 or 1e-3 <= abs(mark) < 1e6:
        return short(mark)
    mantissa, _, exponent = f"{mark:.3e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}".replace("-", MINUS)


def _linear_marks(low: float, high: float, about: int = 5) -> list[float]:
    """Round marks (1, 2 or 5 times a power of ten) from at or above low to at or above high."""
    raw = (high - low) / about or 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [i * step for i in range(first, max(last, first) + 1)]


def _log_marks(values: Sequence[float]) -> tuple[list[float], ...]:
    """From fine to coarse: powers of two if all values are, as lengths mostly are; else 1, 2, 5 times powers of ten."""
    low, high = min(values), max(values)
    if all(math.frexp(v)[0] == 0.5 for v in values) and high / low <= 2.0**24:
        every = [low * 2.0**e for e in range(round(math.log2(high / low)) + 1)]
        return tuple(every[::step] for step in range(1, len(every) + 1) if len(every[::step]) <= MOST)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    fine, tens = (
        [m * 10.0**e for e in decades for m in steps if low <= m * 10.0**e * 1.0001 <= high * 1.0002]
        for steps in ((1, 2, 5), (1,))
    )
    coarse = [tens[:: math.ceil(len(tens) / MOST)]] if tens else [fine[:1] or [low]]
    return (fine, *coarse) if 0 < len(fine) <= MOST else tuple(coarse)

"""A roofline: what a device can do at most, and how much of it kernels reach. Williams et al. 2009. Pure."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from app.demos.drawing.axis import LETTER as BIG
from app.demos.drawing.axis import Axis, Tick, logarithmic, placeable
from app.demos.drawing.chart import (
    BOTTOM,
    HEIGHT,
    LEFT,
    LETTER,
    LINE,
    MARKS,
    RIGHT,
    TOP,
    WIDTH,
    Chart,
    Curve,
    Label,
    Row,
)
from app.demos.drawing.numbers import column, percent, short
from app.demos.drawing.undrawable import Undrawable
from kernels.result import Roofline

ROOM: Final = 1.7  # as much space is left beside the outermost points, as a factor
TERA: Final = 1e12
UNIT: Final = "TFLOP/s"  # always, as in the tables beside it


class Box(NamedTuple):
    """Space in the drawing that is taken."""

    x0: float
    y0: float
    x1: float
    y1: float

    def touches(self, other: "Box") -> bool:
        return self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1


class Roof(NamedTuple):
    """FLOP/s that the device reaches at most, and bytes/s that its memory delivers; 0 where not known."""

    peak: float
    bandwidth: float

    def at(self, intensity: float) -> float:
        return min(self.peak, self.bandwidth * intensity)


def roofline(data: Roofline) -> Chart:
    """Points on log-log axes; left of the ridge a kernel is bound by memory, right of it by arithmetic.

    Raises Undrawable where the ridge has no place on such an axis; a point that has none stands in the table only.
    """
    if not placeable(data.ridge):
        raise Undrawable("has a ridge that is no positive number")
    roof = _roof(data)
    places = [(p.label, p.intensity, p.speed / TERA) for p in data.points]
    scaled = Roof(roof.peak / TERA, roof.bandwidth / TERA)
    x, y = _axes(data.ridge, places, scaled)
    curves = tuple(
        Curve(label, 0, i % MARKS, "", "", ((x.at(at), y.at(speed)),) if placeable(at, speed) else ())
        for i, (label, at, speed) in enumerate(places)
    )
    notes = _notes(x, y, data.ridge, roof, scaled)
    taken = _taken(x, y, scaled)
    labels = tuple(_labels(curves, [*taken, *map(box, notes)]))
    named = len(labels) == len(curves)
    ridge = Tick(x.at(data.ridge), short(data.ridge))
    return Chart(
        x.ticks,
        y.ticks,
        "FLOP per byte of memory traffic",
        UNIT,
        curves,
        labels if named else (),
        named,
        ("point", "FLOP per byte", UNIT, "bound by", *((f"roof there, {UNIT}", "of the roof") if scaled.peak else ())),
        _rows(places, data.ridge, scaled),
        _roof_path(x, y, scaled),
        ridge,
        notes,
        _numbers(curves, taken),
        _words(data, roof),
        kind="roofline",
    )  # fmt: skip


def _roof(data: Roofline) -> Roof:
    """Two of ridge, peak and bandwidth give the third."""
    peak = data.peak if placeable(data.peak) else data.bandwidth * data.ridge
    bandwidth = data.bandwidth if placeable(data.bandwidth) else peak / data.ridge
    known = placeable(peak, bandwidth) and placeable(peak / bandwidth)
    return Roof(peak, bandwidth) if known else Roof(0.0, 0.0)


def _axes(ridge: float, places: Sequence[tuple[str, float, float]], roof: Roof) -> tuple[Axis, Axis]:
    across = [ridge, *(at for _, at, _ in places if placeable(at))]
    ends = [min(across) / ROOM, max(across) * ROOM]
    up = [speed for _, _, speed in places if placeable(speed)]
    if roof.peak:
        up += [roof.peak, roof.at(ends[0])]
    room = [min(up) / ROOM, max(up) * ROOM] if up else [1.0]
    return logarithmic(ends, LEFT, WIDTH - RIGHT), logarithmic(room, HEIGHT - BOTTOM, TOP, upright=True)


def _corners(x: Axis, y: Axis, roof: Roof) -> list[tuple[float, float]]:
    """The roof's left end, its corner and its right end, in units of the drawing."""
    corner = (x.scale(roof.peak / roof.bandwidth), y.scale(roof.peak))
    up = (y.scale(roof.peak) - y.scale(roof.peak / 10)) / (x.scale(10) - x.scale(1))
    left = (float(LEFT), corner[1] - up * (corner[0] - LEFT))
    return [left, corner, (float(WIDTH - RIGHT), corner[1])]


def _roof_path(x: Axis, y: Axis, roof: Roof) -> str:
    if not roof.peak:
        return ""
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in _corners(x, y, roof))


def _notes(x: Axis, y: Axis, ridge: float, roof: Roof, scaled: Roof) -> tuple[Label, ...]:
    """What the dashed line stands for, and what the flat part and the slope of the roof."""
    at, text = x.at(ridge), f"ridge {short(ridge)}"
    fits = at + 6 + LETTER * len(text) < WIDTH - RIGHT
    foot = Label(at + 6 if fits else at - 6, HEIGHT - BOTTOM - 8, text, "start" if fits else "end")
    if not roof.peak:
        return (foot,)
    (left, low), (corner, high), (right, _) = _corners(x, y, scaled)
    flat = Label(right, round(high - 8, 1), f"{short(scaled.peak)} {UNIT}", "end")
    slope = _bandwidth(roof)
    return foot, flat, Label(round((left + corner) / 2 - 8, 1), round((low + high) / 2 - 8, 1), slope, "end")


def _bandwidth(roof: Roof) -> str:
    size, word = (1e12, "TB/s") if roof.bandwidth >= 1e12 else (1e9, "GB/s")
    return f"{short(roof.bandwidth / size)} {word}"


def box(label: Label, letter: float = LETTER) -> Box:
    """The room that a label takes, whose letters are `letter` wide."""
    wide = letter * len(label.text)
    x0 = label.x - {"start": 0.0, "middle": wide / 2, "end": wide}[label.anchor]
    return Box(x0, label.y - LINE + 4, x0 + wide, label.y + 4)


def _taken(x: Axis, y: Axis, roof: Roof) -> list[Box]:
    """Where no label may stand: along the roof, in small boxes."""
    if not roof.peak:
        return []
    made = []
    corners = _corners(x, y, roof)
    for (x0, y0), (x1, y1) in pairwise(corners):
        steps = max(int(abs(x1 - x0) // 8), 1)
        for i in range(steps + 1):
            a, b = x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps
            made.append(Box(a - 4, b - 4, a + 4, b + 4))
    return made


def _labels(curves: Sequence[Curve], taken: list[Box]) -> Iterator[Label]:
    """A label at each point, on the first of its sides that is free; none where no side is."""
    taken = taken + _dots(curves, 5.0)
    for curve in (curve for curve in curves if curve.dots):
        sides = _sides(curve.label, *curve.dots[0])
        free = (side for side in sides if _inside(box(side)) and not any(map(box(side).touches, taken)))
        if found := next(free, None):
            taken.append(box(found))
            yield found


def _numbers(curves: Sequence[Curve], taken: list[Box]) -> tuple[Label, ...]:
    """The place of each point in the legend, at the point: on a free side, or on one that hides no other number."""
    around = taken + _dots(curves, 8.0)
    made: list[Label] = []
    for i, curve in ((i, curve) for i, curve in enumerate(curves, 1) if curve.dots):
        sides = [side for side in _sides(str(i), *curve.dots[0]) if _inside(box(side, BIG))] or [
            Label(*curve.dots[0], str(i))
        ]
        numbers = [box(label, BIG) for label in made]
        apart = [side for side in sides if not any(map(box(side, BIG).touches, numbers))]
        free = (side for side in apart if not any(map(box(side, BIG).touches, around)))
        made.append(next(free, (apart or sides)[0]))
    return tuple(made)


def _dots(curves: Sequence[Curve], reach: float) -> list[Box]:
    dots = (curve.dots[0] for curve in curves if curve.dots)
    return [Box(a - reach, b - reach, a + reach, b + reach) for a, b in dots]


def _sides(text: str, a: float, b: float) -> tuple[Label, ...]:
    """Where a label can stand at a point, the better places first."""
    return (
        Label(a + 9, b + 4, text),
        Label(a - 9, b + 4, text, "end"),
        Label(a, b + 19, text, "middle"),
        Label(a, b - 10, text, "middle"),
        Label(a + 7, b + 18, text),
        Label(a - 7, b - 9, text, "end"),
        Label(a - 7, b + 18, text, "end"),
        Label(a + 7, b - 9, text),
    )


def _inside(box: Box) -> bool:
    return box.x0 >= LEFT and box.x1 <= WIDTH - 2 and box.y0 >= TOP and box.y1 <= HEIGHT - BOTTOM


def _rows(places: Sequence[tuple[str, float, float]], ridge: float, roof: Roof) -> tuple[Row, ...]:
    across, up = [at for _, at, _ in places], [speed for _, _, speed in places]
    bound = ["memory" if at < ridge else "arithmetic" if at >= ridge else "–" for at in across]
    columns = [[label for label, _, _ in places], column(across), column(up), bound]
    if roof.peak:
        there = [roof.at(at) for at in across]
        pairs = zip(up, there, strict=True)
        columns += [column(there), [percent(a, b) if placeable(a, b) else "–" for a, b in pairs]]
    return tuple(Row(texts, None) for texts in zip(*columns, strict=True))


def _words(data: Roofline, roof: Roof) -> str:
    """What the drawing says in figures, for where it has no room for them."""
    of = f" of {data.device}" if data.device else ""
    told = (
        f"Roof{of}: {short(roof.peak / TERA)} {UNIT}, and {_bandwidth(roof)} from its memory. "
        if roof.peak
        else ""
    )
    return (
        f"{told}The ridge{'' if told else of} stands at {short(data.ridge)} FLOP per byte: left of it the memory sets "
        "the speed, right of it the arithmetic."
    )

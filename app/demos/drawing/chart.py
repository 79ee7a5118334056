"""Curves as coordinates, so that the server draws them and no script is needed. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from app.demos.drawing.axis import LETTER as MARK
from app.demos.drawing.axis import Axis, Tick, drawable, linear, logarithmic, placeable
from app.demos.drawing.numbers import column
from app.demos.drawing.room import FIRST, room
from kernels.result import Line, Series

WIDTH: Final = 480
HEIGHT: Final = 300
LEFT, RIGHT, TOP, BOTTOM = 64, 18, 30, 50
ASIDE: Final = 8  # from the marks' texts to the drawing
DASHES: Final = 4  # dash patterns that the style sheet knows
MARKS: Final = 8  # shapes that the template knows
DOTS: Final = 24  # points of a curve up to which each has a dot
LETTER: Final = 6.6  # the width of a label's letters
LINE: Final = 15.0  # the height of its line
END_LABEL: Final = 17  # letters up to which a label fits beside the end of its curve
SHIFT: Final = 22.0  # how far it may be moved away from there


@dataclass(frozen=True)
class Label:
    x: float
    y: float
    text: str
    anchor: str = "start"


@dataclass(frozen=True)
class Curve:
    label: str
    dash: int
    mark: int
    path: str
    band: str  # points of a polygon between lo and hi, or ""
    dots: tuple[tuple[float, float], ...]
    dotted: bool = True


@dataclass(frozen=True)
class Row:
    """One line of the numbers; at is its x in the drawing, None where it has none."""

    texts: tuple[str, ...]
    at: float | None


@dataclass(frozen=True)
class Chart:
    """labels stand in the drawing. Where they do not name all curves, and on a phone, a legend does."""

    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    x_label: str
    unit: str
    curves: tuple[Curve, ...]
    labels: tuple[Label, ...]
    labelled: bool
    head: tuple[str, ...]  # the same numbers, as a table
    rows: tuple[Row, ...]
    roof: str = ""
    ridge: Tick | None = None
    notes: tuple[Label, ...] = ()
    numbers: tuple[
        Label, ...
    ] = ()  # of the points, where their names have no room: they stand in the legend, too
    words: str = ""
    width: int = WIDTH
    height: int = HEIGHT
    left: float = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM
    kind: str = "series"

    @property
    def room(self) -> str:
        """See drawing.room."""
        numeric = [self.kind == "series" or i in (1, 2, 4, 5) for i in range(len(self.head))]
        return room(self.head, [row.texts for row in self.rows], numeric)

    @property
    def long(self) -> bool:
        """Too long for paper."""
        return len(self.rows) > FIRST


class Plot(NamedTuple):
    """Curves on their axes; left and right are where the horizontal one begins and ends."""

    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    left: float
    right: float


def series(data: Series) -> Chart:
    """Curves over x, on logarithmic axes if that is asked for and every number has a place there."""
    everything = [y for line in data.ys for part in (line.y, line.lo or (), line.hi or ()) for y in part]
    log = data.log and all(v > 0 for v in (*data.x, *everything) if drawable(v))
    labels: tuple[Label, ...] = ()
    if len(data.ys) > 1 and (longest := max(len(line.label) for line in data.ys)) <= END_LABEL:
        plot = _plot(data, everything, log, WIDTH - RIGHT - longest * LETTER)
        labels = _end_labels(plot.curves)
    if not labels:
        plot = _plot(data, everything, log, WIDTH - RIGHT)
    place = placeable if log else drawable
    columns = [column(values) for values in (data.x, *(line.y for line in data.ys))]
    rows = tuple(
        Row(
            tuple(texts[i] if i < len(texts) else "–" for texts in columns),
            plot.x.at(at) if place(at) else None,
        )
        for i, at in enumerate(data.x)
    )
    return Chart(
        plot.x.ticks,
        plot.y.ticks,
        data.x_label,
        data.unit,
        plot.curves,
        labels,
        bool(labels),
        (data.x_label or "x", *(line.label for line in data.ys)),
        rows,
        left=plot.left,
        right=round(plot.right),
    )


def _plot(data: Series, everything: Sequence[float], log: bool, right: float) -> Plot:
    if log:
        y = logarithmic(everything, HEIGHT - BOTTOM, TOP, upright=True)
    else:
        y = linear(everything, HEIGHT - BOTTOM, TOP, from_zero=True, upright=True)
    left = max(float(LEFT), ASIDE + MARK * max(len(tick.text) for tick in y.ticks))
    x = (logarithmic if log else linear)(data.x, left, right)
    return Plot(x, y, tuple(_curve(line, i, data.x, x, y) for i, line in enumerate(data.ys)), left, right)


def _curve(line: Line, i: int, xs: Sequence[float], x: Axis, y: Axis) -> Curve:
    """What has no place on the axes leaves a gap."""
    dots, path, pen = [], [], "M"
    for a, b in zip(xs, line.y, strict=False):
        if not drawable(a, b):
            pen = "M"
            continue
        dots.append((x.at(a), y.at(b)))
        path.append(f"{pen}{dots[-1][0]} {dots[-1][1]}")
        pen = "L"
    band = ""
    if line.lo is not None and line.hi is not None:
        edge = [*zip(xs, line.hi, strict=False), *reversed(list(zip(xs, line.lo, strict=False)))]
        band = " ".join(f"{x.at(a)},{y.at(b)}" for a, b in edge if drawable(a, b))
    return Curve(line.label, i % DASHES, i % MARKS, " ".join(path), band, tuple(dots), len(dots) <= DOTS)


def _end_labels(curves: Sequence[Curve]) -> tuple[Label, ...]:
    """A label beside the end of each curve, moved apart where they would touch.

    None where that takes them too far, or where a curve ends before the others, so that its label would lie on them.
    """
    if len({curve.dots[-1][0] if curve.dots else None for curve in curves}) > 1 or not curves[0].dots:
        return ()
    ends = sorted((curve.dots[-1][1], curve.dots[-1][0], curve.label) for curve in curves)
    made: list[Label] = []
    for y, x, text in ends:
        free = max(y + 4, made[-1].y + LINE) if made else y + 4
        made.append(Label(round(x + 9, 1), round(free, 1), text))
    over = max(made[-1].y - (HEIGHT - BOTTOM + 4), 0)
    made = [Label(label.x, round(label.y - over, 1), label.text) for label in made]
    moved = (abs(label.y - 4 - end[0]) for label, end in zip(made, ends, strict=True))
    return tuple(made) if max(moved) <= SHIFT else ()

"""Linked matrices: a real table where every number can be read, a heat map beyond that. Pure."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from app.demos.drawing.numbers import fixed, runs
from app.demos.drawing.packed import bits, floats
from app.demos.drawing.undrawable import Undrawable
from kernels.result import Grid, HeadView, Matrix
from kernels.result import Stage as Values

TABLE_LIMIT: Final = 16  # rows or columns up to which every cell is shown as text
LEVELS: Final = 10
HEADS: Final = 8  # that the style sheet can switch between
HUGE: Final = 1e5  # beyond this a value is a fill such as -1e9, and must not flatten the shades of the others


class Scale(NamedTuple):
    """The least and the largest value that a stage shades: 0 is white, and below it the shade is striped.

    In a heat map the shade of values without a sign is rooted, it grows with their square root: in a long row all
    weights are near 1/n, and a linear shade would show none of them. whole: all numbers are, such as those of tokens.
    """

    low: float
    high: float
    whole: bool

    @property
    def rooted(self) -> bool:
        return self.low >= 0

    def share(self, x: float) -> float:
        """How dark x is, from 0 to 1, whatever its sign; what is not a number is white."""
        reach = max(self.high, -self.low)
        if math.isnan(x) or reach <= 0 or (x < 0 and self.rooted):
            return 0.0
        return min(1.0, abs(x) / reach)


Scales: TypeAlias = Mapping[tuple[str, ...], tuple[Scale, ...]]  # of each stage, by the names of all of them


def scales(matrices: Iterable[Matrix]) -> Scales:
    """One scale for all heads, and for all matrices of one kind: the same value is as dark in each of them."""
    made: dict[tuple[str, ...], list[Scale]] = {}
    for view in (view for matrix in matrices for view in _views(matrix)):
        names = tuple(stage.name for stage in view.stages)
        new = [_reach(stage.values) for stage in view.stages]
        made[names] = [_wider(*pair) for pair in zip(made.get(names, new), new, strict=True)]
    return {names: tuple(found) for names, found in made.items()}


def _reach(values: Grid) -> Scale:
    seen = [x for row in values for x in row if math.isfinite(x) and abs(x) < HUGE]
    whole = all(x == int(x) for x in seen)
    return Scale(min(min(seen, default=0.0), 0.0), max(max(seen, default=0.0), 0.0), whole)


def _wider(one: Scale, other: Scale) -> Scale:
    return Scale(min(one.low, other.low), max(one.high, other.high), one.whole and other.whole)


@dataclass(frozen=True)
class Cell:
    text: str
    level: int  # 0 (white) to LEVELS
    minus: bool
    masked: bool


@dataclass(frozen=True)
class Row:
    label: str
    cells: tuple[Cell, ...]
    top: str
    total: str


@dataclass(frozen=True)
class Stage:
    """One step of the computation. Only rows of weights have a sum that means anything."""

    name: str
    signed: bool
    sums: bool
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Head:
    """The stages of one head. row_words tell of each row what its cells do not; numbers is for the heat map.

    numbers are packed.floats, row by row, in each row stage by stage, so that what repeats from one stage to the next
    stands close enough together to be compressed away.
    """

    name: str
    shown: bool
    stages: tuple[Stage, ...]
    row_words: tuple[str, ...]
    numbers: str


@dataclass(frozen=True)
class MatrixView:
    """meta tells the heat map's script what its numbers are; hidden are packed.bits, 1 where the mask hides.

    attends: rows are queries and columns keys. tops: each row is told with its largest value.
    """

    n_rows: int
    n_cols: int
    as_table: bool
    attends: bool
    tops: bool
    col_labels: tuple[str, ...]
    heads: tuple[Head, ...]
    extent: str  # what part of the whole is drawn, "" when all of it is
    cut: str  # says how much of it the table holds, "" when all of it
    meta: str
    hidden: str

    @property
    def stages(self) -> tuple[Stage, ...]:
        return self.heads[0].stages


def draw(matrix: Matrix, shared: Scales | None = None) -> MatrixView:
    """shared are the scales of all matrices that stand beside it. Raises Undrawable when its stages, heads and mask
    are not all of one shape."""
    views = sorted(_views(matrix), key=lambda view: view.head)
    n_rows, n_cols = _shape(matrix, views)
    own = (shared or scales([matrix]))[tuple(stage.name for stage in matrix.stages)]
    as_table = n_rows <= TABLE_LIMIT and n_cols <= TABLE_LIMIT
    rows = _labels(matrix.row_labels, n_rows, matrix.window, 0)
    cols = _labels(matrix.col_labels, n_cols, matrix.window, 2)
    heads = tuple(_head(matrix, view, rows, own, packed=not as_table) for view in views)
    cut = f"The first {min(TABLE_LIMIT, n_rows)} rows and {min(TABLE_LIMIT, n_cols)} columns"
    return MatrixView(
        n_rows,
        n_cols,
        as_table,
        bool(matrix.row_sum or matrix.mask),
        bool(matrix.row_max),
        cols[:TABLE_LIMIT],
        heads,
        _extent(matrix),
        "" if as_table else cut,
        "" if as_table else _meta(matrix, rows, cols, own),
        "" if as_table else bits(tuple(tuple(x == 0 for x in row) for row in matrix.mask or ())),
    )


def _views(matrix: Matrix) -> tuple[HeadView, ...]:
    own = HeadView(matrix.head or 0, matrix.stages, matrix.row_max, matrix.row_sum)
    return own, *matrix.others[: HEADS - 1]


def _shape(matrix: Matrix, views: list[HeadView]) -> tuple[int, int]:
    if len({tuple(stage.name for stage in view.stages) for view in views}) > 1:
        raise Undrawable("has heads with different stages")
    grids = [stage.values for view in views for stage in view.stages]
    grids += [] if matrix.mask is None else [matrix.mask]
    lengths, *others = {tuple(map(len, grid)) for grid in grids} or {()}
    if others or len(set(lengths)) > 1:
        raise Undrawable("has rows, stages or a mask of different sizes")
    return len(lengths), lengths[0] if lengths else 0


def _mask_starts(matrix: Matrix) -> int:
    """The first stage that the mask has reached: the one named so, or else the last."""
    names = [stage.name for stage in matrix.stages]
    return names.index("masked") if "masked" in names else len(names) - 1


def _labels(given: tuple[str, ...], n: int, window: tuple[int, ...] | None, at: int) -> tuple[str, ...]:
    if len(given) == n:
        return given
    first = window[at] if window and len(window) == 4 else 0
    return tuple(str(first + i) for i in range(n))


def _head(
    matrix: Matrix, view: HeadView, labels: tuple[str, ...], own: tuple[Scale, ...], *, packed: bool
) -> Head:
    starts, weighs = _mask_starts(matrix), _weights_start(matrix)
    stages = tuple(
        _stage(stage, labels, own[i], matrix.mask if i >= starts else None, sums=i >= weighs)
        for i, stage in enumerate(view.stages)
    )
    numbers = (x for i in range(len(labels)) for stage in view.stages for x in stage.values[i])
    words = tuple(_row_words(matrix, view, i) for i in range(len(labels)))
    shown = view.head == (matrix.head or 0)
    return Head(str(view.head), shown, stages, words, floats(numbers) if packed else "")


def _stage(stage: Values, labels: tuple[str, ...], scale: Scale, mask: Grid | None, *, sums: bool) -> Stage:
    places = 0 if scale.whole and not sums else 3

    def cell(i: int, j: int, x: float) -> Cell:
        level = math.ceil(LEVELS * scale.share(x))
        return Cell(fixed(x, places), level, level > 0 and x < 0, mask is not None and mask[i][j] == 0)

    rows = tuple(
        Row(
            labels[i],
            tuple(cell(i, j, x) for j, x in enumerate(row[:TABLE_LIMIT])),
            fixed(max(row, default=0.0), places),
            fixed(sum(row)),
        )
        for i, row in enumerate(stage.values[:TABLE_LIMIT])
    )
    return Stage(stage.name, not scale.rooted, sums, rows)


def _weights_start(matrix: Matrix) -> int:
    """The first stage whose rows are weights: the softmax, or else the first that has no negative number."""
    if not matrix.row_sum:
        return len(matrix.stages)
    for i, stage in enumerate(matrix.stages):
        if "softmax" in stage.name:
            return i
    plain = (i for i, stage in enumerate(matrix.stages) if all(x >= 0 for row in stage.values for x in row))
    return next(plain, len(matrix.stages) - 1)


def _meta(matrix: Matrix, rows: tuple[str, ...], cols: tuple[str, ...], own: tuple[Scale, ...]) -> str:
    ranges = [[scale.low, scale.high, scale.rooted] for scale in own]
    names = [stage.name for stage in matrix.stages]
    return json.dumps(
        {"rows": rows, "cols": cols, "stages": names, "masked": _mask_starts(matrix), "ranges": ranges},
        separators=(",", ":"),
    )


def _extent(matrix: Matrix) -> str:
    parts: list[str] = []
    if matrix.head is not None:
        parts.append(_heads(matrix))
    part = ""
    if matrix.window and len(matrix.window) == 4:
        r0, r1, c0, c1 = matrix.window
        part = f"rows {r0:,}–{r1 - 1:,} and columns {c0:,}–{c1 - 1:,}"
    if _is_pooled(matrix):
        how = "mean" if matrix.pooling == "mean" else "largest"
        part = f"each cell the {how} of {' × '.join(map(str, matrix.pool or ()))}"
    if part:
        parts += [part, f"of {' × '.join(f'{n:,}' for n in matrix.shape)} in all"]
    return ", ".join(parts)


def _heads(matrix: Matrix) -> str:
    """Which heads are drawn, of how many, and which of them all else is about."""
    drawn = tuple(sorted(view.head for view in _views(matrix)))
    of = f" of {matrix.heads}" if matrix.heads > len(drawn) else ""
    if len(drawn) == 1:
        return f"head {drawn[0]}{of}"
    return f"heads {runs(drawn)}{of}; rows that are told elsewhere are those of head {matrix.head}"


def _is_pooled(matrix: Matrix) -> bool:
    return bool(matrix.pool) and any(n != 1 for n in matrix.pool or ())


def _row_words(matrix: Matrix, view: HeadView, i: int) -> str:
    words = []
    if i < len(view.row_max):
        words.append(f"largest score {fixed(view.row_max[i])}")
    if i < len(view.row_sum):
        average = " on average" if _is_pooled(matrix) and matrix.pool and matrix.pool[0] != 1 else ""
        words.append(f"weights sum to {fixed(view.row_sum[i])}{average}")
    return " · ".join(words)

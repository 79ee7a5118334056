"""Linked matrices: a real table where every number can be read, a heat map beyond that. Pure."""

import math
from dataclasses import dataclass
from typing import Final

from app.demos.drawing.numbers import fixed
from app.demos.drawing.undrawable import Undrawable
from kernels.result import Grid, Matrix

TABLE_LIMIT: Final = 16  # rows or columns up to which every cell is shown as text
LEVELS: Final = 10
HUGE: Final = 1e5  # beyond this a value is a fill such as -1e9, and must not flatten the shades of the others


@dataclass(frozen=True)
class Cell:
    text: str
    level: int  # 0 (lightest) to LEVELS
    masked: bool


@dataclass(frozen=True)
class Row:
    label: str
    cells: tuple[Cell, ...]
    top: str
    total: str


@dataclass(frozen=True)
class Stage:
    """One step of the computation. `heat` is a digit a cell in base 11 (a = 10), m where masked.

    The heat of values without a sign grows with their square root: in a long row all weights are near 1/n, and
    a linear shade would show none of them.
    """

    name: str
    low: str
    high: str
    rooted: bool
    rows: tuple[Row, ...]
    heat: str


@dataclass(frozen=True)
class MatrixView:
    n_rows: int
    n_cols: int
    as_table: bool
    col_labels: tuple[str, ...]
    stages: tuple[Stage, ...]
    extent: str  # what part of the whole is drawn, "" when all of it is
    row_words: tuple[str, ...]  # one line a row, spoken when the heat map's row is chosen
    cut: str  # says how much of it the table holds, "" when all of it


def draw(matrix: Matrix) -> MatrixView:
    """Raises Undrawable when its stages and its mask are not all of one shape."""
    n_rows, n_cols = _shape(matrix)
    as_table = n_rows <= TABLE_LIMIT and n_cols <= TABLE_LIMIT
    rows = _labels(matrix.row_labels, n_rows, matrix.window, 0)
    cols = _labels(matrix.col_labels, n_cols, matrix.window, 2)
    hidden = _mask_starts(matrix)
    stages = tuple(
        _stage(stage.name, stage.values, rows, matrix.mask if i >= hidden else None)
        for i, stage in enumerate(matrix.stages)
    )
    cut = (
        ""
        if as_table
        else f"The first {min(TABLE_LIMIT, n_rows)} rows and {min(TABLE_LIMIT, n_cols)} columns"
    )
    return MatrixView(
        n_rows,
        n_cols,
        as_table,
        cols[:TABLE_LIMIT],
        stages,
        _extent(matrix),
        tuple(_row_words(label, i, matrix) for i, label in enumerate(rows)),
        cut,
    )


def _shape(matrix: Matrix) -> tuple[int, int]:
    grids = [stage.values for stage in matrix.stages] + ([] if matrix.mask is None else [matrix.mask])
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


def _stage(name: str, values: Grid, labels: tuple[str, ...], mask: Grid | None) -> Stage:
    seen = [x for row in values for x in row if math.isfinite(x) and abs(x) < HUGE]
    low, high = min(seen, default=0.0), max(seen, default=0.0)
    rooted = low >= 0
    low = min(low, 0.0)
    masked = [[_hides(mask, i, j) for j in range(len(row))] for i, row in enumerate(values)]
    shares = [[_share(x, low, high) for x in row] for row in values]
    heat = "".join(
        "m" if hidden else f"{_level(math.sqrt(share) if rooted else share):x}"
        for hidden_row, share_row in zip(masked, shares, strict=True)
        for hidden, share in zip(hidden_row, share_row, strict=True)
    )
    rows = tuple(
        Row(
            labels[i],
            tuple(
                Cell(fixed(x), _level(shares[i][j]), masked[i][j]) for j, x in enumerate(row[:TABLE_LIMIT])
            ),
            fixed(max(row, default=0.0)),
            fixed(sum(row)),
        )
        for i, row in enumerate(values[:TABLE_LIMIT])
    )
    return Stage(name, fixed(low), fixed(high), rooted, rows, heat)


def _hides(mask: Grid | None, i: int, j: int) -> bool:
    return mask is not None and mask[i][j] == 0


def _share(x: float, low: float, high: float) -> float:
    """Where x lies between low and high, from 0 to 1; what is not a number counts as low."""
    if math.isnan(x) or high <= low:
        return 0.0
    return min(1.0, max(0.0, (x - low) / (high - low)))


def _level(share: float) -> int:
    return math.ceil(LEVELS * share)


def _extent(matrix: Matrix) -> str:
    parts: list[str] = []
    if matrix.head is not None:
        parts.append(f"head {matrix.head}")
    if matrix.window and len(matrix.window) == 4:
        r0, r1, c0, c1 = matrix.window
        parts.append(f"rows {r0}–{r1 - 1} and columns {c0}–{c1 - 1}")
    if matrix.pool and tuple(matrix.pool) != (1, 1):
        parts.append(f"each cell the mean of {' × '.join(map(str, matrix.pool))}")
    if len(parts) > (matrix.head is not None):
        parts.append(f"of {' × '.join(f'{n:,}' for n in matrix.shape)} in all")
    return ", ".join(parts)


def _row_words(label: str, i: int, matrix: Matrix) -> str:
    words = [f"Row {label}"]
    if i < len(matrix.row_max):
        words.append(f"largest score {fixed(matrix.row_max[i])}")
    if i < len(matrix.row_sum):
        words.append(f"weights sum to {fixed(matrix.row_sum[i])}")
    return " · ".join(words)

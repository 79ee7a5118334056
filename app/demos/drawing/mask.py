"""Which query sees which key, and which tiles a fused kernel computes. Pure geometry."""

from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeAlias

from app.demos.drawing.axis import Tick
from app.demos.drawing.matrix import TABLE_LIMIT
from app.demos.drawing.numbers import percent, runs
from kernels.result import Mask, Tiles

GRID_LIMIT: Final = 48  # cells a side up to which the grid's lines are drawn
SIDE: Final = 312.0  # pixels of a plan's longer side: cells and tiles stand beside each other
CELL: Final = 32.0  # pixels of a cell at most
LEAST: Final = 12.0  # pixels of the shorter side
LETTER: Final = 10.0  # of a number at a side, on a phone, where it is drawn largest
LINE: Final = 18.0
CELLS_LIMIT: Final = 256  # a side up to which the other corner is drawn, too
KINDS: Final = {"none": "nothing is hidden", "cells": ""}

Cells: TypeAlias = tuple[tuple[int, ...], ...]
CORNERS: Final = ("top-left", "bottom-right")


@dataclass(frozen=True)
class Rect:
    """In cells."""

    x: int
    y: int
    width: int
    height: int
    kind: str  # seen; or full, diagonal


@dataclass(frozen=True)
class Plan:
    """Queries and keys seen from above, one unit a cell; what no rectangle covers is masked or skipped.

    Cells and tiles of one mask have one scale and one frame, so that one sees which cells a tile holds. A tile is high
    x wide cells; ticks, left and top are in pixels.
    """

    n_rows: int
    n_cols: int
    high: int
    wide: int
    rects: tuple[Rect, ...]
    lines: bool  # between cells
    borders: bool  # between tiles
    hatch: float  # distance of the hatching lines, in cells
    width: float
    height: float
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    left: float
    top: float = 2 * LINE


@dataclass(frozen=True)
class Line:
    query: str
    cells: tuple[bool, ...]
    words: str


@dataclass(frozen=True)
class Variant:
    """The mask as it was run, or as it would be with the other corner. rule says in words who sees whom.

    lines are all rows where keys names all columns, else the first rows in words.
    """

    name: str
    as_run: bool
    rule: str
    share: str
    keys: tuple[str, ...]
    lines: tuple[Line, ...]
    plan: Plan


@dataclass(frozen=True)
class MaskView:
    size: str
    kind: str
    variants: tuple[Variant, ...]
    tiles: Plan | None
    tile_words: str


def draw(mask: Mask, title: str = "") -> MaskView:
    """A title that names a corner is true of that one only, so there is no switch to the other."""
    return MaskView(
        f"{mask.n_q:,} quer{'y' if mask.n_q == 1 else 'ies'}, {mask.n_kv:,} key{'' if mask.n_kv == 1 else 's'}",
        KINDS.get(mask.align, f"causal, aligned {mask.align}"),
        _variants(mask, fixed=any(corner in title for corner in CORNERS)),
        tile_plan(mask.tiles, mask.n_q, mask.n_kv) if mask.tiles else None,
        tile_words(mask.tiles) if mask.tiles else "",
    )


def _variants(mask: Mask, *, fixed: bool) -> tuple[Variant, ...]:
    """Both corners where the cells are those of a causal mask and the corners differ; else the cells as they are."""
    if not mask.cells:
        return ()
    n_q, n_kv = mask.n_q, mask.n_kv
    if not _is_causal(mask):
        return (_variant(mask.cells, mask.align, True, ""),)
    corners = CORNERS if n_q != n_kv and not fixed else (mask.align,)
    return tuple(
        _variant(_causal(n_q, n_kv, corner), corner, corner == mask.align, _rule(n_q, n_kv, corner))
        for corner in corners
    )


def _is_causal(mask: Mask) -> bool:
    """Whether the cells are what their corner says. They need not be: a demo may show a broken mask."""
    if mask.align not in CORNERS or not mask.cells or max(mask.n_q, mask.n_kv) > CELLS_LIMIT:
        return False
    return _causal(mask.n_q, mask.n_kv, mask.align) == _plain(mask.cells)


def _plain(cells: Cells) -> Cells:
    return tuple(tuple(int(bool(cell)) for cell in row) for row in cells)


def _shift(n_q: int, n_kv: int, corner: str) -> int:
    return n_kv - n_q if corner == "bottom-right" else 0


def _causal(n_q: int, n_kv: int, corner: str) -> Cells:
    shift = _shift(n_q, n_kv, corner)
    return tuple(tuple(int(j <= i + shift) for j in range(n_kv)) for i in range(n_q))


def _rule(n_q: int, n_kv: int, corner: str) -> str:
    """Who sees whom as an index would say it, and what becomes of the last query."""
    shift = _shift(n_q, n_kv, corner)
    reach = "i" if shift == 0 else f"i {'+' if shift > 0 else '−'} {abs(shift):,}"
    last = min(max(n_q + shift, 0), n_kv)
    whole = "every key" if last == n_kv else f"{last:,} of {n_kv:,} keys"
    return f"Query i sees key j where j ≤ {reach}; the last query sees {whole}."


def _variant(cells: Cells, name: str, as_run: bool, rule: str) -> Variant:
    width = len(cells[0])
    as_table = len(cells) <= TABLE_LIMIT and width <= TABLE_LIMIT
    visible = sum(1 for row in cells for cell in row if cell)
    pairs = len(cells) * width
    return Variant(
        name,
        as_run,
        rule,
        f"{visible:,} of {pairs:,} pairs seen ({percent(visible, pairs)})",
        tuple(map(str, range(width))) if as_table else (),
        tuple(_line(i, row) for i, row in enumerate(cells[:TABLE_LIMIT])),
        plan(tuple(tuple("seen" if c else "" for c in row) for row in cells)),
    )


def _line(i: int, row: tuple[int, ...]) -> Line:
    seen = tuple(j for j, cell in enumerate(row) if cell)
    words = f"Query {i} sees {'no key' if not seen else 'key ' + runs(seen)}."
    return Line(str(i), tuple(bool(cell) for cell in row[:TABLE_LIMIT]), words)


def tile_plan(tiles: Tiles, n_q: int = 0, n_kv: int = 0) -> Plan | None:
    """The tiles over the cells that they hold; over whole tiles where the lengths are not those of the grid."""
    if not any(tiles.state):
        return None
    kinds = tuple(tuple("" if kind == "skipped" else kind for kind in row) for row in tiles.state)
    return plan(kinds, n_q, n_kv, max(tiles.bm, 1), max(tiles.bn, 1))


def plan(
    kinds: tuple[tuple[str, ...], ...], n_rows: int = 0, n_cols: int = 0, high: int = 1, wide: int = 1
) -> Plan:
    """Neighbours of one kind in a row become one rectangle, so that 128 x 128 cells need few elements."""
    rects: list[Rect] = []
    for y, row in enumerate(kinds):
        x = 0
        for kind, group in groupby(row):
            n = len(list(group))
            if kind:
                rects.append(Rect(x * wide, y * high, n * wide, high, kind))
            x += n
    n_rows, n_cols = _length(n_rows, len(kinds), high), _length(n_cols, max(map(len, kinds)), wide)
    side = max(n_rows, n_cols)
    pixels = min(SIDE / side, CELL)
    width, height = (max(round(n * pixels, 1), LEAST) for n in (n_cols, n_rows))
    every = max(
        _every(n_cols, width / n_cols, LETTER * len(str(n_cols)) + LETTER),
        _every(n_rows, height / n_rows, LINE),
    )
    return Plan(
        n_rows,
        n_cols,
        high,
        wide,
        tuple(rects),
        side <= GRID_LIMIT,
        max(high, wide) > 1 and max(side / high, side / wide) <= 2 * GRID_LIMIT,
        round(9.6 / pixels, 3),
        width,
        height,
        _ticks(n_cols, width / n_cols, every),
        _ticks(n_rows, height / n_rows, every),
        left=LINE + LETTER * len(str(n_rows)) + LETTER,
    )


def _length(n: int, tiles: int, size: int) -> int:
    """n where so many tiles of that size are what it takes, else all that they hold."""
    return max(n if (tiles - 1) * size < n <= tiles * size else tiles * size, 1)


def _every(n: int, pixels: float, room: float) -> int:
    """Each index, or every second, fourth and so on where there is no room for all."""
    every = 1
    while every * pixels < room and every < n:
        every *= 2
    return every


def _ticks(n: int, pixels: float, every: int) -> tuple[Tick, ...]:
    """Some of the indices, each in the middle of its cell."""
    return tuple(Tick(round((i + 0.5) * pixels, 1), str(i)) for i in range(0, n, every))


def tile_words(tiles: Tiles) -> str:
    """How many tiles of each kind. One is seen in part where a mask cuts it, or where the keys end within it."""
    flat = [kind for row in tiles.state for kind in row]
    done = len(flat) - flat.count("skipped")
    return (
        f"Tiles of {tiles.bm} × {tiles.bn}: {flat.count('full'):,} seen whole, {flat.count('diagonal'):,} in part, "
        f"{flat.count('skipped'):,} skipped; {percent(done, len(flat))} of {len(flat):,} are computed."
    )

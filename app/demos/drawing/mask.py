"""Which query sees which key, and which tiles a fused kernel computes. Pure geometry."""

from dataclasses import dataclass
from itertools import groupby
from typing import Final

from app.demos.drawing.matrix import TABLE_LIMIT
from app.demos.drawing.numbers import percent, runs
from kernels.result import Mask, Tiles

GRID_LIMIT: Final = 48  # cells a side up to which the grid's lines are drawn
ALIGN: Final = {
    "none": "no mask",
    "top-left": "causal, aligned top-left",
    "bottom-right": "causal, aligned bottom-right",
}


@dataclass(frozen=True)
class Rect:
    x: int
    y: int
    width: int
    kind: str  # seen; or full, diagonal


@dataclass(frozen=True)
class Plan:
    """A grid seen from above, one unit a cell; what no rectangle covers is masked or skipped."""

    n_rows: int
    n_cols: int
    rects: tuple[Rect, ...]
    lines: bool
    hatch: float  # distance of the hatching lines


@dataclass(frozen=True)
class Line:
    query: str
    cells: tuple[bool, ...]
    words: str


@dataclass(frozen=True)
class MaskView:
    n_q: int
    n_kv: int
    align: str
    as_table: bool
    keys: tuple[str, ...]
    lines: tuple[Line, ...]
    plan: Plan | None
    tiles: Plan | None
    tile_words: str
    share: str


def draw(mask: Mask) -> MaskView:
    cells = mask.cells or ()
    width = len(cells[0]) if cells else 0
    as_table = bool(cells) and len(cells) <= TABLE_LIMIT and width <= TABLE_LIMIT
    visible = sum(1 for row in cells for cell in row if cell)
    share = f"{visible:,} of {len(cells) * width:,} pairs seen ({percent(visible, len(cells) * width)})"
    return MaskView(
        mask.n_q,
        mask.n_kv,
        ALIGN.get(mask.align, mask.align),
        as_table,
        tuple(map(str, range(width))) if as_table else (),
        tuple(_line(i, row) for i, row in enumerate(cells[:TABLE_LIMIT])),
        None
        if as_table or not cells
        else _plan(tuple(tuple("seen" if c else "" for c in row) for row in cells)),
        _plan(_tile_kinds(mask.tiles)) if mask.tiles and mask.tiles.state else None,
        _tile_words(mask.tiles) if mask.tiles else "",
        share if cells else "",
    )


def _line(i: int, row: tuple[int, ...]) -> Line:
    seen = tuple(j for j, cell in enumerate(row) if cell)
    words = f"Query {i} sees {'no key' if not seen else 'key ' + runs(seen)}."
    return Line(str(i), tuple(bool(cell) for cell in row[:TABLE_LIMIT]), words)


def _tile_kinds(tiles: Tiles) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple("" if kind == "skipped" else kind for kind in row) for row in tiles.state)


def _plan(kinds: tuple[tuple[str, ...], ...]) -> Plan:
    """Neighbours of one kind in a row become one rectangle, so that 128 x 128 cells need few elements."""
    rects: list[Rect] = []
    for y, row in enumerate(kinds):
        x = 0
        for kind, group in groupby(row):
            width = len(list(group))
            if kind:
                rects.append(Rect(x, y, width, kind))
            x += width
    n_cols = max(map(len, kinds))
    side = max(len(kinds), n_cols)
    return Plan(len(kinds), n_cols, tuple(rects), side <= GRID_LIMIT, round(side / 40, 3))


def _tile_words(tiles: Tiles) -> str:
    flat = [kind for row in tiles.state for kind in row]
    done = len(flat) - flat.count("skipped")
    return (
        f"Tiles of {tiles.bm} × {tiles.bn}: {flat.count('full'):,} full, {flat.count('diagonal'):,} cut by the "
        f"mask, {flat.count('skipped'):,} skipped; {percent(done, len(flat))} of {len(flat):,} are computed."
    )

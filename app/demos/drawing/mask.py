"""Which query sees which key, and which tiles a fused kernel computes. Pure geometry."""

from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeAlias

from app.demos.drawing.matrix import TABLE_LIMIT
from app.demos.drawing.numbers import percent, runs
from kernels.result import Mask, Tiles

GRID_LIMIT: Final = 48  # cells a side up to which the grid's lines are drawn
SIDE: Final = 384  # pixels of a plan's longer side
CELLS_LIMIT: Final = 256  # a side up to which the other corner is drawn, too
KINDS: Final = {"none": "nothing is hidden", "cells": ""}

Cells: TypeAlias = tuple[tuple[int, ...], ...]
CORNERS: Final = ("top-left", "bottom-right")


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

    @property
    def width(self) -> float:
        return self._pixels(self.n_cols)

    @property
    def height(self) -> float:
        return self._pixels(self.n_rows)

    def _pixels(self, n: int) -> float:
        """The longer side has all the room, the shorter its share, yet never less than a line."""
        return max(round(SIDE * n / max(self.n_rows, self.n_cols, 1), 1), 12.0)


@dataclass(frozen=True)
class Line:
    query: str
    cells: tuple[bool, ...]
    words: str


@dataclass(frozen=True)
class Variant:
    """The mask as it was run, or as it would be with the other corner. rule says in words who sees whom."""

    name: str
    as_run: bool
    rule: str
    share: str
    keys: tuple[str, ...]
    lines: tuple[Line, ...]
    plan: Plan | None  # None where all of it is a table


@dataclass(frozen=True)
class MaskView:
    size: str
    kind: str
    variants: tuple[Variant, ...]
    tiles: Plan | None
    tile_words: str


def draw(mask: Mask) -> MaskView:
    return MaskView(
        f"{mask.n_q:,} quer{'y' if mask.n_q == 1 else 'ies'}, {mask.n_kv:,} key{'' if mask.n_kv == 1 else 's'}",
        KINDS.get(mask.align, f"causal, aligned {mask.align}"),
        _variants(mask),
        plan(kinds(mask.tiles)) if mask.tiles and mask.tiles.state else None,
        tile_words(mask.tiles) if mask.tiles else "",
    )


def _variants(mask: Mask) -> tuple[Variant, ...]:
    """Both corners where the cells are those of a causal mask and the corners differ; else the cells as they are."""
    if not mask.cells:
        return ()
    n_q, n_kv = mask.n_q, mask.n_kv
    if not _is_causal(mask):
        return (_variant(mask.cells, mask.align, True, ""),)
    corners = CORNERS if n_q != n_kv else (mask.align,)
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
        None if as_table else plan(tuple(tuple("seen" if c else "" for c in row) for row in cells)),
    )


def _line(i: int, row: tuple[int, ...]) -> Line:
    seen = tuple(j for j, cell in enumerate(row) if cell)
    words = f"Query {i} sees {'no key' if not seen else 'key ' + runs(seen)}."
    return Line(str(i), tuple(bool(cell) for cell in row[:TABLE_LIMIT]), words)


def kinds(tiles: Tiles) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple("" if kind == "skipped" else kind for kind in row) for row in tiles.state)


def plan(kinds: tuple[tuple[str, ...], ...]) -> Plan:
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


def tile_words(tiles: Tiles) -> str:
    flat = [kind for row in tiles.state for kind in row]
    done = len(flat) - flat.count("skipped")
    return (
        f"Tiles of {tiles.bm} × {tiles.bn}: {flat.count('full'):,} full, {flat.count('diagonal'):,} cut by the "
        f"mask, {flat.count('skipped'):,} skipped; {percent(done, len(flat))} of {len(flat):,} are computed."
    )

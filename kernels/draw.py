"""Turns tensors into blocks: matrices cut to a size that can be drawn, masks, ribbons of shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from kernels.attention import Steps
from kernels.masks import Align
from kernels.result import Dim, Grid, Mask, Matrix, Shapes, Stage, Step, Tiles
from kernels.tiles import states

WHOLE_UP_TO = 128
"""Matrices up to this many rows and columns are sent whole."""

WINDOW = 64
TILES_UP_TO = 64


class Window(NamedTuple):
    """Rows [r0, r1) and columns [c0, c1) of a matrix."""

    r0: int
    r1: int
    c0: int
    c1: int


def window(n_q: int, n_kv: int, align: Align) -> Window:
    """The part that is drawn: all of it up to 128 x 128, else 64 x 64 at the upper end of the mask's diagonal."""
    if max(n_q, n_kv) <= WHOLE_UP_TO:
        return Window(0, n_q, 0, n_kv)
    shift = n_kv - n_q if align == "bottom-right" else 0
    c0 = min(max(shift - WINDOW // 2, 0), max(n_kv - WINDOW, 0))
    return Window(0, min(WINDOW, n_q), c0, min(c0 + WINDOW, n_kv))


def grid(x: Tensor, *, digits: int) -> Grid:
    """A matrix as nested tuples, rounded to significant digits so that a result stays small."""
    return tuple(tuple(_round(value, digits) for value in row) for row in x.tolist())


def matrix(
    trace: Steps,
    part: Window,
    *,
    n_q: int,
    labels: Sequence[str],
    head: int,
    visible: Tensor,
    mask_after: bool,
) -> Matrix:
    """The linked score matrices of one head. trace and visible hold the rows of `part` over all keys."""
    columns = slice(part.c0, part.c1)
    digits = 6 if (part.r1 - part.r0) * (part.c1 - part.c0) <= 1024 else 4
    n_kv = trace.raw.size(-1)
    whole = (part.r1 - part.r0, part.c1 - part.c0) == (n_q, n_kv)
    scores = trace.scaled if mask_after else trace.masked
    return Matrix(
        row_labels=tuple(labels[part.r0 : part.r1]) or tuple(f"q{i}" for i in range(part.r0, part.r1)),
        col_labels=tuple(labels[columns]) or tuple(f"k{j}" for j in range(part.c0, part.c1)),
        shape=(n_q, n_kv),
        window=None if whole else tuple(part),
        pool=None,
        head=head,
        stages=tuple(
            Stage(name, grid(x[:, columns], digits=digits)) for name, x in _stages(trace, mask_after)
        ),
        mask=tuple(tuple(row) for row in visible[:, columns].int().tolist()),
        row_max=tuple(_round(x, 6) for x in scores.amax(dim=-1).tolist()),
        row_sum=tuple(_round(x, 6) for x in trace.weights.double().sum(dim=-1).tolist()),
    )


def _stages(trace: Steps, mask_after: bool) -> tuple[tuple[str, Tensor], ...]:
    """In the order in which they are computed; the last one is what multiplies v."""
    if mask_after:
        last = (("softmax", trace.scaled.softmax(dim=-1)), ("masked", trace.weights))
    else:
        last = (("masked", trace.masked), ("softmax", trace.weights))
    return (("raw", trace.raw), ("scaled", trace.scaled), *last)


def mask(
    n_q: int, n_kv: int, align: Align | None, visible: Tensor, tile: tuple[int, int] | None = None
) -> Mask:
    """The mask as cells up to 128 x 128, and as a tile grid if a tile size is given. align None: nothing hidden.

    Tiles are those of the fused kernel, so they go with no mask and with the bottom-right one only.
    """
    cells = visible.int().tolist() if max(n_q, n_kv) <= WHOLE_UP_TO else None
    tiles = None
    if tile is not None and align != "top-left":
        bm, bn = tile
        tiles = Tiles(bm, bn, states(n_q, n_kv, bm=bm, bn=bn, causal=align is not None))
    return Mask(n_q, n_kv, align or "none", None if cells is None else tuple(map(tuple, cells)), tiles)


def drawable_tile(n_q: int, n_kv: int, bm: int, bn: int) -> tuple[int, int]:
    """The tile size, doubled until at most 64 x 64 tiles are left to draw."""
    grow = max(math.ceil(n_q / bm / TILES_UP_TO), math.ceil(n_kv / bn / TILES_UP_TO), 1)
    grow = 2 ** math.ceil(math.log2(grow))
    return bm * grow, bn * grow


def ribbon(*, h_q: int, h_kv: int, n_q: int, n_kv: int, d_k: int, unit: str = "softmax") -> Shapes:
    """The shapes on the way from q, k, v to the output, with the map of shared heads."""
    queries, kept = Dim(n_q, "n_q"), Dim(n_kv, "n_kv")
    heads, width = Dim(h_q, "h_q"), Dim(d_k, "d_k")
    shared = Dim(h_kv, "h_kv") if h_q == h_kv else Dim(h_kv, f"{h_kv}->{h_q}")
    return Shapes(
        steps=(
            Step("q", (heads, queries, width), "q", ""),
            Step("kᵀ", (shared, width, kept), "k", "transpose"),
            Step("S", (heads, queries, kept), "score", "q · kᵀ"),
            Step("P", (heads, queries, kept), "score", unit),
            Step("v", (shared, kept, width), "v", ""),
            Step("o", (heads, queries, width), "", "P · v"),
        ),
        head_map=tuple(i // (h_q // h_kv) for i in range(h_q)),
    )


def _round(value: float, digits: int) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))

"""Turns tensors into blocks: matrices cut to a size that can be drawn, masks, ribbons of shapes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from kernels.attention import Steps, shape_trace
from kernels.masks import Align
from kernels.result import Block, Dim, Grid, HeadView, Mask, Role, Shapes, Stage, Step, Tiles
from kernels.tiles import states
from kernels.words import counted

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


def whole(n_q: int, n_kv: int) -> bool:
    """Whether a matrix of this size is sent with all its numbers."""
    return max(n_q, n_kv) <= WHOLE_UP_TO


def window(n_q: int, n_kv: int, align: Align, row: int = 0, col: int | None = None) -> Window:
    """The part that is drawn: all of it up to 128 x 128, else 64 x 64 from `row` and `col` on.

    Without a col it stands on the mask's diagonal, where the first of its rows sees its last key in the middle.
    """
    if whole(n_q, n_kv):
        return Window(0, n_q, 0, n_kv)
    r0 = min(row, max(n_q - WINDOW, 0))
    if col is None:
        shift = n_kv - n_q if align == "bottom-right" else 0
        col = max(r0 + shift - WINDOW // 2, 0)
    c0 = min(col, max(n_kv - WINDOW, 0))
    return Window(r0, min(r0 + WINDOW, n_q), c0, min(c0 + WINDOW, n_kv))


def grid(x: Tensor, *, digits: int) -> Grid:
    """A matrix as nested tuples, rounded to significant digits so that a result stays small."""
    return tuple(tuple(_round(value, digits) for value in row) for row in x.tolist())


class Picture(NamedTuple):
    """One head as it is drawn: its stages by name, and of each drawn row the largest score and the sum of weights."""

    stages: Mapping[str, Tensor]
    row_max: Tensor
    row_sum: Tensor


def stages(trace: Steps, mask_after: bool) -> dict[str, Tensor]:
    """The score matrices in the order in which they are computed; the last one is what multiplies v."""
    if mask_after:
        last = {"softmax": trace.scaled.softmax(dim=-1), "masked": trace.weights}
    else:
        last = {"masked": trace.masked, "softmax": trace.weights}
    return {"raw": trace.raw, "scaled": trace.scaled, **last}


def picture(trace: Steps, columns: slice, mask_after: bool) -> Picture:
    """The drawn columns of a trace, which holds the drawn rows over all keys."""
    scores = trace.scaled if mask_after else trace.masked
    cut = {name: x[:, columns] for name, x in stages(trace, mask_after).items()}
    return Picture(cut, scores.amax(dim=-1), trace.weights.sum(dim=-1, dtype=torch.float64))


def head_view(head: int, drawn: Picture) -> HeadView:
    """A picture as data, rounded so that a result stays small: six digits up to 32 x 32, beyond it four."""
    digits = 6 if next(iter(drawn.stages.values())).numel() <= 1024 else 4
    return HeadView(
        head,
        tuple(Stage(name, grid(x, digits=digits)) for name, x in drawn.stages.items()),
        tuple(_round(x, 6) for x in drawn.row_max.tolist()),
        tuple(_round(x, 6) for x in drawn.row_sum.tolist()),
    )


def mask(
    n_q: int, n_kv: int, align: Align | None, visible: Tensor, tile: tuple[int, int] | None = None
) -> Mask:
    """The mask as cells up to 128 x 128, and as a tile grid if a tile size is given. align None: nothing hidden.

    Tiles are those of the fused kernel, so they go with no mask and with the bottom-right one only.
    """
    tiles = None
    if tile is not None and align != "top-left":
        bm, bn = tile
        tiles = Tiles(bm, bn, states(n_q, n_kv, bm=bm, bn=bn, causal=align is not None))
    return Mask(n_q, n_kv, align or "none", cells(visible) if whole(n_q, n_kv) else None, tiles)


def cells(visible: Tensor) -> tuple[tuple[int, ...], ...]:
    """A mask [n_q, n_kv] as a block holds it: 1 where the query sees the key, else 0."""
    return tuple(tuple(row) for row in visible.int().tolist())


def panel(block_id: str, visible: Tensor, *, title: str, look_for: str, align: Align | None = None) -> Block:
    """A mask [n_q, n_kv] cell by cell, and in words how much of it is visible; align: of a causal one, its corner."""
    n_q, n_kv = visible.shape
    data = Mask(n_q, n_kv, align or "cells", cells(visible), None)
    return Block(block_id, data, title, look_for, "mask", seen(visible))


def seen(visible: Tensor) -> str:
    """How many cells of a mask are visible, in words: what its drawing is told as."""
    cells, count = visible.numel(), int(visible.sum())
    return f"Of {counted(cells, 'cell')}, {counted(count, 'is', 'are')} visible."


def drawable_tile(n_q: int, n_kv: int, bm: int, bn: int) -> tuple[int, int]:
    """The tile size, doubled until at most 64 x 64 tiles are left to draw."""
    grow = max(math.ceil(n_q / bm / TILES_UP_TO), math.ceil(n_kv / bn / TILES_UP_TO), 1)
    grow = 2 ** math.ceil(math.log2(grow))
    return bm * grow, bn * grow


_ROLES: Mapping[str, Role] = {"q": "q", "kᵀ": "k", "S": "score", "P": "score", "v": "v", "o": ""}


def ribbon(*, h_q: int, h_kv: int, n_q: int, n_kv: int, d_k: int, unit: str = "softmax") -> Shapes:
    """The shapes on the way from q, k, v to the output, with the map of shared heads."""
    shared = "h_kv" if h_q == h_kv else f"{h_kv}->{h_q}"
    trace = shape_trace(h_q=h_q, h_kv=h_kv, n_q=n_q, n_kv=n_kv, d_k=d_k)
    return Shapes(
        steps=tuple(
            Step(
                shape.name,
                tuple(Dim(n, shared if axis == "h_kv" else axis) for axis, n in shape.axes),
                _ROLES[shape.name],
                unit if shape.made_by == "softmax" else shape.made_by,
            )
            for shape in trace
        ),
        head_map=tuple(i // (h_q // h_kv) for i in range(h_q)),
    )


def _round(value: float, digits: int) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))

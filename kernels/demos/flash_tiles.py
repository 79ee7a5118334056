"""Blocks of the demo `flash` about its tiles: which are computed, which need a mask, which are never touched."""

from __future__ import annotations

from typing import Literal

from kernels import draw
from kernels.demos.flash_plain import Run
from kernels.result import Block, Mask, Row, Tiles
from kernels.show import table
from kernels.tiles import State, states, visible_pairs

Grid = tuple[tuple[State, ...], ...]


def mask(ran: Run) -> Block:
    """The mask cell by cell where it is small, with the tile grid, coarser than the kernel's where that is too fine."""
    n_q, n_kv = ran.q.size(2), ran.k.size(2)
    bm, bn = draw.drawable_tile(n_q, n_kv, ran.setting.bm, ran.setting.bn)
    counts = _counts(ran)
    alt = f"Tiles of {bm} x {bn}; of its own the kernel computes {counts['computed']:,} of {counts['all']:,}."
    data = Mask(n_q, n_kv, _align(ran), _cells(ran), Tiles(bm, bn, _grid(ran, bm, bn)))
    return Block("mask", data, f"Tiles of {bm} queries x {bn} keys", _who_pays(ran, counts), "mask", alt)


def tiles(ran: Run) -> Block:
    """How many tiles of one head are computed, with and without a mask, and skipped."""
    counts = _counts(ran)
    names = {
        "computed": "computed",
        "full": "of these without a mask",
        "diagonal": "of these with one",
        "skipped": "skipped",
    }
    rows: list[Row] = [
        {"tiles": words, "count": counts[key], "share": counts[key] / counts["all"]}
        for key, words in names.items()
    ]
    cols = {"tiles": "Tiles of one head", "count": "Number", "share": "Share"}
    return table("tiles", cols, rows, title="What is computed", look_for=_share(ran, counts))


def _align(ran: Run) -> Literal["none", "bottom-right", "cells"]:
    if ran.visible is None:
        return "none"
    return "bottom-right" if ran.window is None else "cells"


def _cells(ran: Run) -> tuple[tuple[int, ...], ...] | None:
    n_q, n_kv = ran.q.size(2), ran.k.size(2)
    if not draw.whole(n_q, n_kv):
        return None
    return draw.cells(ran.q.new_ones(n_q, n_kv) if ran.visible is None else ran.visible)


def _grid(ran: Run, bm: int, bn: int) -> Grid:
    n_q, n_kv = ran.q.size(2), ran.k.size(2)
    return states(n_q, n_kv, bm=bm, bn=bn, causal=ran.visible is not None, window=ran.window)


def _counts(ran: Run) -> dict[str, int]:
    flat = [state for row in _grid(ran, ran.setting.bm, ran.setting.bn) for state in row]
    full, diagonal = flat.count("full"), flat.count("diagonal")
    computed = full + diagonal
    return {
        "all": len(flat),
        "computed": computed,
        "full": full,
        "diagonal": diagonal,
        "skipped": len(flat) - computed,
    }


def _who_pays(ran: Run, counts: dict[str, int]) -> str:
    """What the tiles of the kernel, drawn or not, say about the price of the mask."""
    edges = ["at the ragged end of the keys"]
    if ran.visible is not None:
        edges.insert(0, "on the diagonal")
    if ran.window is not None:
        edges.insert(1, "where a window opens")
    where = " or ".join(filter(None, (", ".join(edges[:-1]), edges[-1])))
    paid = f"Only tiles {where} need a mask" if counts["diagonal"] else "No tile needs a mask"
    unseen = "those beyond the diagonal are" if ran.window is None else "those that no row sees are"
    return f"{paid}; {f'{unseen} never loaded' if counts['skipped'] else 'none is skipped'}."


def _share(ran: Run, counts: dict[str, int]) -> str:
    n_q, n_kv = ran.q.size(2), ran.k.size(2)
    computed = f"{counts['computed'] / counts['all']:.0%} of the tiles are computed"
    if ran.visible is None:
        return "Without a causal mask every tile is computed."
    if n_q == n_kv and ran.window is None:
        return f"{computed}; as the sequence grows, the share goes to one half."
    pairs = visible_pairs(n_q, n_kv, True, ran.window) / (n_q * n_kv)
    return f"{computed}; the mask leaves {pairs:.0%} of all pairs visible."

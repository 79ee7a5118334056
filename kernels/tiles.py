"""Which tiles of the score matrix a fused causal kernel computes. Pure arithmetic, no torch.

With the mask aligned to the bottom right, query i sees the keys j <= i + (n_kv - n_q). For a tile of queries
[m0, m0 + bm) the keys therefore fall into three runs: [0, full) is seen by every row and needs no mask,
[full, seen) holds the diagonal (or the ragged end of the keys), and from `seen` on nothing is computed at all.
The kernel in flash.py uses the same two bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

State: TypeAlias = Literal["skipped", "full", "diagonal"]


class Bounds(NamedTuple):
    """Keys before `full` (a multiple of bn) need no mask; keys from `seen` on are skipped."""

    full: int
    seen: int


def bounds(m0: int, n_q: int, n_kv: int, *, bm: int, bn: int, causal: bool) -> Bounds:
    """The key bounds of the tile of queries that starts at m0."""
    if not causal:
        return Bounds(n_kv // bn * bn, n_kv)
    shift = n_kv - n_q
    first_row_sees = min(max(m0 + 1 + shift, 0), n_kv)
    last_row_sees = min(max(min(m0 + bm, n_q) + shift, 0), n_kv)
    return Bounds(first_row_sees // bn * bn, last_row_sees)


def states(n_q: int, n_kv: int, *, bm: int, bn: int, causal: bool) -> tuple[tuple[State, ...], ...]:
    """The state of every tile, one row per tile of queries."""
    return tuple(
        _row(bounds(m0, n_q, n_kv, bm=bm, bn=bn, causal=causal), n_kv, bn) for m0 in range(0, n_q, bm)
    )


def computed(n_q: int, n_kv: int, *, bm: int, bn: int, causal: bool) -> int:
    """How many tiles are computed for one head."""
    rows = (bounds(m0, n_q, n_kv, bm=bm, bn=bn, causal=causal) for m0 in range(0, n_q, bm))
    return sum(-(-row.seen // bn) for row in rows)


def visible_pairs(n_q: int, n_kv: int, causal: bool) -> int:
    """How many (query, key) pairs one head sees: the exact factor in the FLOP count 4 · pairs · d."""
    if not causal:
        return n_q * n_kv
    shift = n_kv - n_q
    first, last = max(1 + shift, 0), n_kv  # keys seen by the first and by the last query
    return (first + last) * (last - first + 1) // 2 if last >= first else 0


def _row(row: Bounds, n_kv: int, bn: int) -> tuple[State, ...]:
    def kinds() -> Iterator[State]:
        for j0 in range(0, n_kv, bn):
            yield "skipped" if j0 >= row.seen else "full" if j0 < row.full else "diagonal"

    return tuple(kinds())

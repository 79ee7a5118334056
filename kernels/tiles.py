"""Which tiles of the score matrix a fused causal kernel computes. Pure arithmetic, no torch.

With the mask aligned to the bottom right, query i sees the keys j <= i + (n_kv - n_q), and with a sliding window of
w only the last w of them. For a tile of queries [m0, m0 + bm) the keys therefore fall into runs: from `whole` to
`full` every row sees every key, and no mask is needed; from `first` to `whole` the window opens; from `full` to `seen`
the diagonal (or the ragged end of the keys) closes it; before `first` and from `seen` on nothing is computed at all.
The kernel in flash.py uses the same four bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

State: TypeAlias = Literal["skipped", "full", "diagonal"]
"""diagonal: computed with a mask, since an edge of what is seen (or the end of the keys) passes through the tile."""


class Bounds(NamedTuple):
    """0 <= first <= whole <= full <= seen <= n_kv; the first three are multiples of bn.

    Without a window first and whole are 0.
    """

    first: int
    whole: int
    full: int
    seen: int


def bounds(
    m0: int, n_q: int, n_kv: int, *, bm: int, bn: int, causal: bool, window: int | None = None
) -> Bounds:
    """The key bounds of the tile of queries that starts at m0. A window goes with a causal mask only."""
    if not causal:
        return Bounds(0, 0, n_kv // bn * bn, n_kv)
    shift = n_kv - n_q
    end = min(m0 + bm, n_q)
    first_row_sees, last_row_sees = max(m0 + 1 + shift, 0), max(end + shift, 0)
    full = first_row_sees // bn * bn
    if window is None:
        return Bounds(0, 0, full, last_row_sees)
    opens, last_opens = max(first_row_sees - window, 0), max(last_row_sees - window, 0)
    return Bounds(opens // bn * bn, min(-(-last_opens // bn) * bn, full), full, last_row_sees)


def states(
    n_q: int, n_kv: int, *, bm: int, bn: int, causal: bool, window: int | None = None
) -> tuple[tuple[State, ...], ...]:
    """The state of every tile, one row per tile of queries."""
    rows = (bounds(m0, n_q, n_kv, bm=bm, bn=bn, causal=causal, window=window) for m0 in range(0, n_q, bm))
    return tuple(tuple(_row(row, n_kv, bn)) for row in rows)


def computed(n_q: int, n_kv: int, *, bm: int, bn: int, causal: bool, window: int | None = None) -> int:
    """How many tiles are computed for one head."""
    rows = (bounds(m0, n_q, n_kv, bm=bm, bn=bn, causal=causal, window=window) for m0 in range(0, n_q, bm))
    return sum(-(-(row.seen - row.first) // bn) for row in rows)


def visible_pairs(n_q: int, n_kv: int, causal: bool, window: int | None = None) -> int:
    """How many (query, key) pairs one head sees: the exact factor in the FLOP count 4 · pairs · d."""
    if not causal:
        return n_q * n_kv
    return _staircase(n_q, n_kv) - (0 if window is None else _staircase(n_q, n_kv - window))


def _staircase(rows: int, last: int) -> int:
    """The sum of max(x, 0) over the `rows` whole numbers x that end with `last`."""
    first = max(last - rows + 1, 1)
    return (first + last) * (last - first + 1) // 2 if last >= first else 0


def _row(row: Bounds, n_kv: int, bn: int) -> Iterator[State]:
    for j0 in range(0, n_kv, bn):
        if not row.first <= j0 < row.seen:
            yield "skipped"
        else:
            yield "full" if row.whole <= j0 < row.full else "diagonal"

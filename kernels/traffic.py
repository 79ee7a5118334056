"""Bytes that attention moves: as three launches that meet in memory, and as one. Exact arithmetic, no torch.

Two counts. `reads` and `writes` let each tensor cross the memory bus once a launch: a floor, as if caches served every
second look (a head's k and v usually fit the L2 cache). `asked` is what the programs of a launch load, each tile as
often as a program wants it: a ceiling, as if there were no cache.
"""

from __future__ import annotations

from typing import NamedTuple

from kernels.tiles import bounds

LSE_BYTES = 4


class Sizes(NamedTuple):
    """Shapes of one call, and bytes an element."""

    batch: int
    h_q: int
    h_kv: int
    n_q: int
    n_kv: int
    d: int
    size: int

    @property
    def queries(self) -> int:
        """Bytes of q, and of o."""
        return self.batch * self.h_q * self.n_q * self.d * self.size

    @property
    def keys(self) -> int:
        """Bytes of k, and of v."""
        return self.batch * self.h_kv * self.n_kv * self.d * self.size

    @property
    def scores(self) -> int:
        """Bytes of S, and of P."""
        return self.batch * self.h_q * self.n_q * self.n_kv * self.size

    @property
    def lse(self) -> int:
        return self.batch * self.h_q * self.n_q * LSE_BYTES


class Launch(NamedTuple):
    """One kernel launch, in bytes."""

    name: str
    reads: int
    writes: int
    asked: int

    @property
    def moved(self) -> int:
        """The floor: what is read and written if each tensor crosses once."""
        return self.reads + self.writes


def unfused(s: Sizes, tile: int) -> tuple[Launch, Launch, Launch]:
    """The launches of naive.py, whose tiles are `tile` x `tile`. Masked cells are moved like all others."""
    rows, cols = -(-s.n_q // tile), -(-s.n_kv // tile)
    every_head = s.keys * s.h_q // s.h_kv  # shared heads are read anew for each query head
    return (
        Launch("scores", s.queries + s.keys, s.scores, cols * s.queries + rows * every_head),
        Launch("softmax", s.scores, s.scores + s.lse, s.scores),
        Launch("mix", s.scores + s.keys, s.queries, s.scores + rows * every_head),
    )


def fused(s: Sizes, *, bm: int, bn: int, causal: bool, window: int | None = None) -> Launch:
    """The one launch of flash.py: each tile of queries reads the keys and values of its own tiles."""
    reach = (
        bounds(m0, s.n_q, s.n_kv, bm=bm, bn=bn, causal=causal, window=window) for m0 in range(0, s.n_q, bm)
    )
    loaded = sum(min(-(-b.seen // bn) * bn, s.n_kv) - b.first for b in reach)
    asked = s.queries + 2 * loaded * s.batch * s.h_q * s.d * s.size
    return Launch("attention", s.queries + 2 * s.keys, s.queries + s.lse, asked)

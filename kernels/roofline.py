"""FLOP and HBM bytes of attention, unfused, fused and while decoding: what a roofline is drawn from. No torch.

Bytes count what must cross the memory bus, in `size` bytes an element; scores, softmax and their statistics are
free of charge on the arithmetic side, since two matrix products outweigh them: 4 · N^2 · d FLOP a head.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class Work(NamedTuple):
    """What one kernel does: floating-point operations, and bytes it moves."""

    flop: int
    moved: Fraction

    @property
    def intensity(self) -> float:
        """FLOP per byte."""
        return float(self.flop / self.moved)


def unfused(n: int, d: int, size: int = 2) -> Work:
    """One head: read q and k, write the scores, read them, write the weights, read those and v, write o.

    FlashAttention (arXiv 2205.14135), algorithm 0. Its intensity goes to d/2 in 16 bits, however long the sequence.
    """
    return Work(4 * n * n * d, Fraction((4 * n * n + 4 * n * d) * size))


def tiled(n: int, d: int, tile: int, size: int = 2) -> Work:
    """One head, fused: q and o cross once, k and v once for each tile of `tile` queries.

    n · tile / (n + tile) in 16 bits. What the L2 cache serves of the repeated reads is counted as if from HBM.
    """
    return Work(4 * n * n * d, 2 * n * d * size * (1 + Fraction(n, tile)))


def fused(n: int, d: int, size: int = 2) -> Work:
    """One head, fused, with each of q, k, v and o crossing once: the ceiling, n/2 in 16 bits."""
    return Work(4 * n * n * d, Fraction(4 * n * d * size))


def decode(n: int, d: int, h_q: int, h_kv: int, *, n_q: int = 1, size: int = 2) -> Work:
    """n_q new tokens against a cache of n: every cached element is read once, for all the heads that share it.

    Queries and outputs of so few tokens are left out: they are nothing beside the cache. n_q · h_q / h_kv in 16 bits.
    """
    return Work(4 * n * n_q * d * h_q, Fraction(2 * n * d * h_kv * size))


def decode_mla(n: int, h_q: int, *, latent: int = 512, d_rope: int = 64, n_q: int = 1, size: int = 2) -> Work:
    """Multi-head latent attention with its up-projections absorbed: keys of latent + d_rope elements, of which the
    first `latent` are the values, too, so that each is read once for all h_q heads and n_q new tokens.

    h_q · n_q · (d_k + d_v) / d_k in 16 bits (FlashMLA, docs/20250422).
    """
    return Work(2 * n * h_q * n_q * (2 * latent + d_rope), Fraction(n * (latent + d_rope) * size))


def crossover(d_model: int, *, causal: bool) -> int:
    """The context from which scores and mixing take more FLOP than a layer's matrices, for a 4x MLP.

    A layer's matrices take 24 · n · d_model^2 (8 for the projections, 16 for the MLP); scores and mixing take
    4 · n^2 · d_model, and half of it where a causal kernel skips what is hidden.
    """
    return 12 * d_model if causal else 6 * d_model


def accesses(n: int, d: int, tile: int) -> tuple[int, Fraction]:
    """HBM accesses of one head in elements, counted: unfused, and fused with k and v read for each tile of queries.

    4 n^2 + 4 n·d (q, k, v and o once; S and P written and read), and 2 n·d (1 + n / tile). In the long run the second
    is d / 2 tile of the first: less wherever d < 2 tile, before any cache.
    """
    return int(unfused(n, d, 1).moved), tiled(n, d, tile, 1).moved


def theorem(n: int, d: int, sram: int) -> Fraction | None:
    """n^2 · d^2 / M, as which fused accesses grow with M = sram elements on chip: up to a constant, so it is no count.

    FlashAttention (arXiv 2205.14135), theorem 2; None outside d <= M <= n · d, which it does not cover.
    """
    return Fraction(n * n * d * d, sram) if d <= sram <= n * d else None

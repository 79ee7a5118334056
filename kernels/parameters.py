"""How many weights attention's four projections have. Exact arithmetic, no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Biases = Literal["none", "qkv", "all"]


@dataclass(frozen=True)
class Projection:
    """A linear map with d_in x d_out weights, and d_out more where it has a bias."""

    name: str
    d_in: int
    d_out: int
    has_bias: bool

    @property
    def weights(self) -> int:
        return self.d_in * self.d_out

    @property
    def biases(self) -> int:
        return self.d_out if self.has_bias else 0

    @property
    def total(self) -> int:
        return self.weights + self.biases


@dataclass(frozen=True)
class Projections:
    """The projections of one attention layer: h_q query heads that share h_kv heads of keys and values.

    That h_q · d_head equals d_model is the convention of Vaswani et al. 2017 (section 3.2.2), not a law.
    """

    d_model: int
    h_q: int
    h_kv: int
    d_head: int
    bias: Biases = "none"

    def each(self) -> tuple[Projection, ...]:
        """W_Q, W_K, W_V, W_O, in this order."""
        queries, keys = self.h_q * self.d_head, self.h_kv * self.d_head
        inside, outside = self.bias != "none", self.bias == "all"
        return (
            Projection("W_Q", self.d_model, queries, inside),
            Projection("W_K", self.d_model, keys, inside),
            Projection("W_V", self.d_model, keys, inside),
            Projection("W_O", queries, self.d_model, outside),
        )

    @property
    def total(self) -> int:
        return sum(projection.total for projection in self.each())

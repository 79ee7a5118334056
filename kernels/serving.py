"""How many requests a server holds, and how fast a decode step can be at best. Exact arithmetic, no torch.

Tensor parallelism divides weights and key/value heads over the chips. A head is not divided: with more chips than
key/value heads each head is held by several of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from kernels.cost import BYTES, cache_bytes, weight_bytes
from kernels.hardware import Chip
from kernels.models import Model


@dataclass(frozen=True)
class Server:
    """`count` chips that serve one model, with requests of `context` tokens; dtypes are names of cost.BYTES.

    The model's weights must be countable (models.Dense). bandwidth and memory are a data sheet's.
    """

    model: Model
    chip: Chip
    count: int
    context: int
    cache_dtype: str = "bf16"
    weight_dtype: str = "bf16"

    @property
    def weights(self) -> int:
        """Bytes of the weights, over all chips."""
        held = weight_bytes(self.model, self.weight_dtype)
        if held is None:
            raise ValueError(f"The weights of {self.model.title} cannot be counted from what is known of it.")
        return held

    @property
    def embedding(self) -> int:
        """Bytes of the input embedding: a step gathers a row a token of it, and does not stream it."""
        dense = self.model.dense
        return int(dense.vocab * dense.d_model * BYTES[self.weight_dtype]) if dense else 0

    @property
    def heads_per_chip(self) -> int:
        """Key/value heads that each chip holds: at least one."""
        return -(-self.model.h_kv // self.count)

    @property
    def copies(self) -> Fraction:
        """How often the cache is held in all: 1 until there are more chips than key/value heads."""
        return Fraction(self.heads_per_chip * self.count, self.model.h_kv)

    @property
    def request(self) -> int:
        """Bytes of the cache of one request over all chips, copies included."""
        return int(cache_bytes(self.model, self.cache_dtype, self.context) * self.copies)

    def fits(self, memory: int) -> int:
        """How many requests fit beside the weights, with `memory` bytes a chip and nothing else in it."""
        return max((self.count * memory - self.weights) // self.request, 0)

    def step(self, requests: int, *, gathered: bool = False) -> float:
        """Seconds that a decode step takes at least: weights and caches are read once, at the full bandwidth.

        gathered leaves the input embedding out.
        """
        moved = self.weights - (self.embedding if gathered else 0) + requests * self.request
        return moved / (self.count * self.chip.bandwidth)

    def cache_share(self, requests: int) -> float:
        """The share of the caches in what a step reads."""
        caches = requests * self.request
        return caches / (self.weights + caches)

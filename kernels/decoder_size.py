"""The sizes of a small decoder, and what they cost: FLOP and cached numbers. Exact arithmetic, no torch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """A Llama-shaped decoder without biases: d_model is h_q heads of d_head side by side, d_ff 0 leaves the MLP out."""

    layers: int
    h_q: int
    h_kv: int
    d_head: int
    d_ff: int
    vocab: int

    @property
    def d_model(self) -> int:
        return self.h_q * self.d_head

    @property
    def weights_per_token(self) -> int:
        """Numbers of all matrices that a token is multiplied by: projections, gated MLP and head of every layer."""
        attention = 2 * self.d_model**2 + 2 * self.d_model * self.h_kv * self.d_head
        return self.layers * (attention + 3 * self.d_model * self.d_ff) + self.d_model * self.vocab

    def flops(self, n_q: int, n_kv: int) -> int:
        """FLOP of all matrix products for n_q new tokens that attend to n_kv: 2 a weight, 4 · d_model a pair and layer.

        Hidden pairs are counted, since plain attention computes them, too.
        """
        return 2 * n_q * self.weights_per_token + 4 * self.layers * self.d_model * n_q * n_kv

    @property
    def cached_per_token(self) -> int:
        """Numbers that a KV cache keeps for each token: 2 · layers · h_kv · d_head."""
        return 2 * self.layers * self.h_kv * self.d_head


def flops_per_new_token(size: Size, prompt: int, new: int, *, cached: bool) -> tuple[int, ...]:
    """FLOP of the forward pass that gives each new token.

    Without a cache each pass takes the whole sequence so far. With one, the first pass takes the prompt and each later
    one the last token alone, against all that is cached.
    """
    lengths = range(prompt, prompt + new)
    return tuple(size.flops(n if n == prompt or not cached else 1, n) for n in lengths)

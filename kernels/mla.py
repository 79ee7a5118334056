"""Multi-head latent attention: one small latent a token is cached instead of keys and values for every head.

DeepSeek-V2 (arXiv 2405.04434, section 2.1). c = x W_DKV is cached; keys and values are c W_UK and c W_UV, for each
head its own. Since q · (c W_UK) = (q W_UKᵀ) · c, the up-projection of the keys can be absorbed into the query, and that
of the values into the output: then decoding never expands the cache, and runs like MQA whose one key is the latent.

Rotary positions would stand between the two factors, so they get a part of their own: d_rope more numbers of each
query, and one turned key of that width that all heads share and that is cached beside the latent.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from kernels.attention import Rules, attention
from kernels.rope import rotate


class Weights(NamedTuple):
    """down [d_model, latent]; up_k, up_v [h, latent, d_head]; query [h, d_model, d_head]; query_rope
    [h, d_model, d_rope]; key_rope [d_model, d_rope]; out [h, d_head, d_model]. d_model is h · d_head."""

    down: Tensor
    up_k: Tensor
    up_v: Tensor
    query: Tensor
    query_rope: Tensor
    key_rope: Tensor
    out: Tensor


class Setup(NamedTuple):
    """The layer's weights and inputs: x [n_kv, d_model], of which the last n_q tokens ask."""

    weights: Weights
    x: Tensor
    n_q: int

    @property
    def visible(self) -> Tensor:
        """Causal, aligned to the bottom right: [n_q, n_kv]."""
        n_kv = len(self.x)
        return torch.ones(self.n_q, n_kv, dtype=torch.bool, device=self.x.device).tril(n_kv - self.n_q)

    @property
    def rules(self) -> Rules:
        """Scores are divided by the root of the whole width of a key: d_head + d_rope."""
        return Rules(
            1 / math.sqrt(self.weights.query.size(-1) + self.weights.key_rope.size(-1)), self.visible
        )

    @property
    def places(self) -> tuple[Tensor, Tensor]:
        """The positions of the queries and of the keys."""
        at = torch.arange(len(self.x), device=self.x.device)
        return at[-self.n_q :], at


def latent(s: Setup) -> tuple[Tensor, Tensor]:
    """All that is cached: the latent [n_kv, latent] and the turned key that heads share [n_kv, d_rope]."""
    return s.x @ s.weights.down, rotate(s.x @ s.weights.key_rope, s.places[1])


def queries(s: Setup) -> tuple[Tensor, Tensor]:
    """The content part [h, n_q, d_head] of the queries, and their turned part [h, n_q, d_rope]."""
    new = s.x[-s.n_q :]
    return new @ s.weights.query, rotate(new @ s.weights.query_rope, s.places[0])


def explicit(s: Setup) -> Tensor:
    """The definition: keys and values of every head are expanded from the cache. Output [n_q, d_model]."""
    c, turned = latent(s)
    q, q_rope = queries(s)
    k, v = c @ s.weights.up_k, c @ s.weights.up_v
    k = torch.cat((k, turned.expand(len(k), -1, -1)), dim=-1)
    return project(attention(torch.cat((q, q_rope), dim=-1), k, v, s.rules), s)


def absorbed(s: Setup) -> Tensor:
    """The same output: one shared key, the latent and its turned part, and the latent as its value (MQA)."""
    c, turned = latent(s)
    q, q_rope = queries(s)
    q = q @ s.weights.up_k.mT  # [h, n_q, latent]: the keys' up-projection, taken to the query's side
    mixed = attention(torch.cat((q, q_rope), dim=-1), torch.cat((c, turned), dim=-1)[None], c[None], s.rules)
    return project(mixed @ s.weights.up_v, s)  # and the values', taken after the mixing


def turned_keys(s: Setup) -> Tensor:
    """What RoPE on the expanded keys would be: queries and keys of every head turned, without a part of their own."""
    c, _ = latent(s)
    at_q, at_k = s.places
    q, k = rotate(queries(s)[0], at_q), rotate(c @ s.weights.up_k, at_k)
    return project(attention(q, k, c @ s.weights.up_v, s.rules), s)


def turned_keys_absorbed(s: Setup) -> Tensor:
    """A try to absorb that: the cached latents are turned by nothing, so the result is wrong."""
    c, _ = latent(s)
    q = rotate(queries(s)[0], s.places[0]) @ s.weights.up_k.mT
    return project(attention(q, c[None], c[None], s.rules) @ s.weights.up_v, s)


def project(o: Tensor, s: Setup) -> Tensor:
    """Heads [h, n_q, d_head] through their parts of the output projection, added up: [n_q, d_model]."""
    output: Tensor = (o @ s.weights.out).sum(dim=0)
    return output


def setup(
    *,
    h: int,
    d_head: int,
    latent: int,
    d_rope: int,
    n_q: int,
    n_kv: int,
    seed: int,
    dtype: torch.dtype,
    device: str,
) -> Setup:
    """Random inputs from N(0, 1) and matrices from N(0, 1 / inputs), drawn in the order of Weights, then x."""
    generator = torch.Generator().manual_seed(seed)

    def drawn(*shape: int, inputs: int) -> Tensor:
        return torch.randn(shape, generator=generator).to(device, dtype) / math.sqrt(inputs)

    m = h * d_head
    weights = Weights(
        down=drawn(m, latent, inputs=m),
        up_k=drawn(h, latent, d_head, inputs=latent),
        up_v=drawn(h, latent, d_head, inputs=latent),
        query=drawn(h, m, d_head, inputs=m),
        query_rope=drawn(h, m, d_rope, inputs=m),
        key_rope=drawn(m, d_rope, inputs=m),
        out=drawn(h, d_head, m, inputs=m),
    )
    return Setup(weights, drawn(n_kv, m, inputs=1), n_q)

"""A small decoder-only transformer with a KV cache, in plain PyTorch: random weights by seed, greedy decoding.

Llama's layer (Touvron et al. 2023, section 2.2): RMSNorm before each part, grouped-query attention with rotary or
learned positions, a gated MLP, residual sums. The norms have no gain of their own, which random weights would not need.

One function, logits(), is prefill and step alike: new tokens [n] against what the cache holds. What makes it right with
a cache is in two places, marked below, and both can be broken on purpose: the position of a new token counts on from
the cached ones, and the causal mask is aligned to the bottom right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional as F

from kernels.attention import Rules, attention
from kernels.decoder_size import Size
from kernels.masks import Align, causal_mask
from kernels.rope import rotate

Positions: TypeAlias = Literal["rope", "learned"]

TIED = 0.02
"""GPT-2's standard deviation of an embedding. At 1 a tied head would find in each token's own embedding, which the
residual sums carry through, the largest score of all, and write the last token over and over."""


class Layer(NamedTuple):
    """Weights of one layer, each [in, out]; query [d_model, h_q · d_head], key and value [d_model, h_kv · d_head]."""

    query: Tensor
    key: Tensor
    value: Tensor
    out: Tensor
    gate: Tensor
    up: Tensor
    down: Tensor


@dataclass(frozen=True)
class Decoder:
    """embedding [vocab, d_model]; places [longest, d_model], or None with rotary positions; head [d_model, vocab]."""

    size: Size
    embedding: Tensor
    places: Tensor | None
    layers: tuple[Layer, ...]
    head: Tensor


@dataclass
class Cache:
    """Keys and values of every layer, [h_kv, tokens, d_head] each. Keys are kept as turned by their positions."""

    keys: dict[int, Tensor] = field(default_factory=dict)
    values: dict[int, Tensor] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        return self.keys[0].size(1) if self.keys else 0

    @property
    def numbers(self) -> int:
        """How many numbers are kept, over all layers."""
        return sum(x.numel() for x in (*self.keys.values(), *self.values.values()))

    def add(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Appends the new tokens' keys and values, and returns all that the layer has now."""
        if layer in self.keys:
            k, v = torch.cat((self.keys[layer], k), dim=1), torch.cat((self.values[layer], v), dim=1)
        self.keys[layer], self.values[layer] = k, v
        return k, v


def decoder(
    size: Size,
    seed: int,
    *,
    positions: Positions = "rope",
    tied: bool = False,
    longest: int = 128,
    dtype: torch.dtype = torch.float64,
    device: str = "cpu",
) -> Decoder:
    """Random weights: embeddings from N(0, 1), matrices from N(0, 1 / inputs), drawn in the order in which they stand.

    tied uses the embedding, transposed, as the head, and draws embeddings TIED times as large; longest is how many
    positions can be learned.
    """
    generator = torch.Generator().manual_seed(seed)

    def drawn(rows: int, columns: int, scale: float) -> Tensor:
        return torch.randn(rows, columns, generator=generator).to(device, dtype) * scale

    d, kv = size.d_model, size.h_kv * size.d_head
    shapes = ((d, d), (d, kv), (d, kv), (d, d), (d, size.d_ff), (d, size.d_ff), (size.d_ff, d))
    scale = TIED if tied else 1.0
    embedding = drawn(size.vocab, d, scale)
    places = drawn(longest, d, scale) if positions == "learned" else None
    layers = tuple(Layer(*(drawn(n, m, max(n, 1) ** -0.5) for n, m in shapes)) for _ in range(size.layers))
    head = embedding.T if tied else drawn(d, size.vocab, d**-0.5)
    return Decoder(size, embedding, places, layers, head)


def logits(
    model: Decoder,
    tokens: Tensor,
    cache: Cache | None = None,
    *,
    align: Align = "bottom-right",
    offset: bool = True,
) -> Tensor:
    """Scores [n, vocab] of what follows each of the tokens [n]. They come after those in the cache, and join them.

    align and offset are there to be broken: see the module's first lines.
    """
    cache = Cache() if cache is None else cache
    before, n = cache.tokens, tokens.numel()
    start = before if offset else 0  # the first place: a new token stands after all that are cached
    at = torch.arange(start, start + n, device=tokens.device)
    visible = causal_mask(n, before + n, align, str(tokens.device))  # the second: it sees all of them
    x = model.embedding[tokens]
    if model.places is not None:
        x = x + model.places[at]
    for number, layer in enumerate(model.layers):
        x = x + _attend(model, layer, number, norm(x), at, visible, cache)
        if model.size.d_ff:
            y = norm(x)
            x = x + (F.silu(y @ layer.gate) * (y @ layer.up)) @ layer.down
    return norm(x) @ model.head


def norm(x: Tensor) -> Tensor:
    """RMSNorm without a gain: x over the root of the mean of its squares (Zhang and Sennrich 2019, section 4)."""
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + 1e-6)


def _attend(
    model: Decoder, layer: Layer, number: int, x: Tensor, at: Tensor, visible: Tensor, cache: Cache
) -> Tensor:
    """Attention of the new tokens x [n, d_model] over the cache and themselves, projected back: [n, d_model]."""

    def heads(y: Tensor) -> Tensor:
        return y.view(len(x), -1, model.size.d_head).transpose(0, 1)

    q, k, v = heads(x @ layer.query), heads(x @ layer.key), heads(x @ layer.value)
    if model.places is None:
        q, k = rotate(q, at), rotate(k, at)
    k, v = cache.add(number, k, v)  # h_kv heads, not h_q: repeating them here would undo what sharing saves
    o = attention(q, k, v, Rules(1 / math.sqrt(model.size.d_head), visible))
    return o.transpose(0, 1).reshape(len(x), -1) @ layer.out


class Greedy(NamedTuple):
    """The chosen tokens, the scores [new, vocab] that each was chosen by, and the cache, empty without one."""

    tokens: tuple[int, ...]
    scores: Tensor
    cache: Cache


def greedy(
    model: Decoder,
    prompt: Sequence[int],
    new: int,
    *,
    cached: bool = True,
    align: Align = "bottom-right",
    offset: bool = True,
) -> Greedy:
    """Takes the likeliest next token `new` times. Without a cache the whole sequence is computed for each of them."""
    device = model.embedding.device
    sequence, cache, rows = list(prompt), Cache(), []
    for step in range(new):
        if cached:
            unseen = sequence if step == 0 else sequence[-1:]
            scores = logits(model, torch.tensor(unseen, device=device), cache, align=align, offset=offset)
        else:
            scores = logits(model, torch.tensor(sequence, device=device))
        rows.append(scores[-1])
        sequence.append(int(scores[-1].argmax()))
    return Greedy(tuple(sequence[len(prompt) :]), torch.stack(rows), cache)

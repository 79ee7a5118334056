"""What a KV cache and the weights behind it weigh, in bytes. Exact arithmetic, no torch."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from kernels.models import Dense, Model
from kernels.units import ITEMSIZE

BYTES: Mapping[str, Fraction] = {
    "bf16": Fraction(ITEMSIZE["bf16"]), "fp8": Fraction(ITEMSIZE["fp8"]), "int4": Fraction(1, 2),
}  # fmt: skip
"""Bytes an element of weights and caches; the scales that quantised types carry are not counted."""


def elements_per_token(model: Model, *, as_mha: bool = False) -> int:
    """Cached elements per token over all layers: 2 · layers · h_kv · d_head, or layers · latent for MLA.

    as_mha counts keys and values for every query head instead: layers · h_q · (2 · d_head + d_rope), where d_rope is
    the part that MLA's keys have over its values.
    """
    if model.latent is not None and not as_mha:
        return model.layers * model.latent
    heads = model.h_q if as_mha else model.h_kv
    return model.layers * heads * (2 * model.d_head + model.d_rope)


def bytes_per_token(model: Model, dtype: str, *, as_mha: bool = False) -> int:
    """Bytes per token, rounded up to whole bytes (int4 packs two elements into one)."""
    return -int(-elements_per_token(model, as_mha=as_mha) * BYTES[dtype] // 1)


def kept_tokens(model: Model, tokens: int) -> int:
    """How many of the tokens stay in the cache: a sliding window keeps its own length."""
    return tokens if model.window is None else min(tokens, model.window)


def cache_bytes(model: Model, dtype: str, tokens: int, batch: int = 1, *, as_mha: bool = False) -> int:
    """Bytes of the caches of `batch` requests of `tokens` tokens each."""
    return bytes_per_token(model, dtype, as_mha=as_mha) * kept_tokens(model, tokens) * batch


def parameters(model: Model) -> int | None:
    """How many weights the model has, counted from its configuration; None where that is not known in full.

    Per layer: query and output projections, key and value projections of h_kv heads, a gated MLP of three
    matrices, two RMSNorm vectors; then the two embeddings and the last norm.
    """
    if model.dense is None:
        return None
    shape: Dense = model.dense
    query = shape.d_model * model.h_q * model.d_head
    key = shape.d_model * model.h_kv * model.d_head
    layer = 2 * query + 2 * key + 3 * shape.d_model * shape.d_ff + 2 * shape.d_model
    return model.layers * layer + 2 * shape.vocab * shape.d_model + shape.d_model


def weight_bytes(model: Model, dtype: str = "bf16") -> int | None:
    """Bytes of the weights in a dtype, rounded up; None where they cannot be counted."""
    count = parameters(model)
    return None if count is None else -int(-count * BYTES[dtype] // 1)


def requests_to_match_weights(
    model: Model, dtype: str, tokens: int, *, as_mha: bool = False, weights: str = "bf16"
) -> int | None:
    """The smallest number of requests whose caches together weigh at least as much as the weights.

    dtype is that of the caches, weights that of the weights.
    """
    held = weight_bytes(model, weights)
    return None if held is None else -(-held // cache_bytes(model, dtype, tokens, as_mha=as_mha))


class Part(NamedTuple):
    """Elements of one kind that a layer caches for a token, and the bytes that each takes."""

    name: str
    elements: int
    each: int

    @property
    def held(self) -> int:
        return self.elements * self.each


MLA_BF16 = (Part("latent in bf16", 512, 2), Part("RoPE key in bf16", 64, 2))
MLA_FP8 = (Part("latent in fp8", 512, 1), Part("scales in fp32", 4, 4), Part("RoPE key in bf16", 64, 2))
"""What one layer caches for a token under multi-head latent attention; FP8 as FlashMLA's README has it."""


def saving(model: Model, bits: int, other: Model, other_bits: int) -> float:
    """The share of a token's cache that `model` saves against `other`, each at its bits an element."""
    return 1 - elements_per_token(model) * bits / (elements_per_token(other) * other_bits)

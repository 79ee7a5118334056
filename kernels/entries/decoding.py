"""The entry of the demo `decoding`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.decoder_size import Size, flops_per_new_token
from kernels.params import SEED, Demo, Param, Params, grouping, whole

VOCAB = 50
LONGEST = 128
"""How many positions there are to be learned: the longest prompt and the most new tokens."""

WORK_LIMIT = 4 * 10**9  # FLOP without a cache; the largest weights, 21 million numbers in float64, are 168 MB


def size(p: Params) -> Size:
    """The decoder that the parameters ask for."""
    layers, h_q, h_kv, d_head, d_ff = whole(p, "layers", "h_q", "h_kv", "d_head", "d_ff")
    return Size(layers, h_q, h_kv, d_head, d_ff, VOCAB)


def rules(p: Params) -> Iterator[str]:
    yield from grouping(p)
    prompt, new, d_head = whole(p, "prompt", "new", "d_head")
    if p["positions"] == "rope" and d_head % 2:
        yield f"d_head must be even, since rotary positions turn pairs of numbers; {d_head} is odd."
    work = sum(flops_per_new_token(size(p), prompt, new, cached=False))
    if work > WORK_LIMIT:
        yield f"Without a cache this takes {work / 1e9:.1f} GFLOP (limit 4); lower new, prompt, layers or a size."


DEMO = Demo(
    name="decoding",
    title="Decoding with and without a cache",
    summary="A small decoder writes the same tokens with a KV cache and without, and two classic bugs are caught.",
    look_for="The tokens are the same, the work is not. And each bug shows in the scores of the first cached step.",
    topic="decoding and serving",
    params=(
        Param("prompt", "int", 12, "Prompt", "Tokens that are given, drawn at random.", unit="tokens", low=1, high=64),
        Param("new", "int", 20, "New tokens", "Tokens that are written, the likeliest each time.",
              unit="tokens", low=2, high=64),
        Param("layers", "int", 3, "Layers", "", low=1, high=8),
        Param("h_q", "int", 8, "Query heads", "A multiple of the key/value heads; d_model is h_q x d_head.",
              low=1, high=16),
        Param("h_kv", "int", 2, "Key/value heads", "Only these are cached.", low=1, high=16),
        Param("d_head", "int", 8, "Head size", "An even number with rotary positions.", low=2, high=32),
        Param("d_ff", "int", 128, "Width of the MLP", "0 leaves the MLP out: attention and head only.",
              low=0, high=1024),
        Param("positions", "choice", "rope", "Positions",
              "rope turns queries and keys; learned adds a vector for each position.", choices=("rope", "learned")),
        Param("tied", "bool", False, "Tied head",
              "The embedding is the head, too. It is drawn small then, as GPT-2's, lest every token repeat itself."),
        SEED,
    ),
    deadline_s=60,
    needs=("torch",),
    modes=("eager",),
    rules=rules,
)  # fmt: skip

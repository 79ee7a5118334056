"""The entry of the demo `mla`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, whole

WORK_LIMIT = 2 * 10**9
"""FLOP of the slowest way, in float64: under a second. The largest run holds about 300 MB."""


def expanded_flops(p: Params) -> int:
    """FLOP of expanding the whole cache and attending to it, the dearest of the ways shown."""
    h, d_head, latent, d_rope, n_q, n_kv = whole(p, "h", "d_head", "latent", "d_rope", "n_q", "n_kv")
    return 2 * h * n_kv * (2 * latent * d_head + n_q * (2 * d_head + d_rope + 2 * latent))


def rules(p: Params) -> Iterator[str]:
    n_q, n_kv = whole(p, "n_q", "n_kv")
    if n_q > n_kv:
        yield f"The queries are the last of the cached tokens, so n_q must be at most n_kv={n_kv}."
    for name in ("d_head", "d_rope"):
        if int(p[name]) % 2:
            yield f"{name} must be even, since rotary positions turn pairs of numbers; {p[name]} is odd."
    if (work := expanded_flops(p)) > WORK_LIMIT:
        yield f"Expanding the cache would take {work / 1e9:.1f} GFLOP (limit 2); lower n_kv, latent, h or d_head."


DEMO = Demo(
    name="mla",
    title="Multi-head latent attention",
    summary="One latent a token is cached instead of keys and values of every head, and never expanded to decode.",
    look_for="Absorbed, the output is the same to the last digits, and the latent is the only key and value read.",
    topic="decoding and serving",
    params=(
        Param("h", "int", 4, "Heads", "Each has keys and values of its own, made from the one latent.",
              low=1, high=32),
        Param("d_head", "int", 16, "Head size", "An even number; d_model is h x d_head.", low=2, high=64),
        Param("latent", "int", 32, "Latent", "Numbers cached for a token, beside the RoPE key.", low=1, high=512),
        Param("d_rope", "int", 0, "RoPE part",
              "Width of the turned key that all heads share; even, and 0 leaves positions out.", low=0, high=64),
        Param("n_q", "int", 1, "New tokens", "1 is a decode step.", unit="tokens", low=1, high=16),
        Param("n_kv", "int", 24, "Cached tokens", "The new ones included.", unit="tokens", low=2, high=1024),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    rules=rules,
)  # fmt: skip

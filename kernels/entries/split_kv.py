"""The entry of the demo `split-kv`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.entries.interpreting import refusals
from kernels.params import SEED, Demo, Param, Params, grouping, whole

CACHE_LIMIT = 2**24  # numbers of k, and of v: 128 MiB together in float32; a run holds up to four times that


def tile(d: int) -> int:
    """Keys in one tile: the same on every device, so that the splits are the same, too."""
    return 64 if d <= 128 else 32


def rows(p: Params) -> int:
    """Query rows that are packed into one tile: the heads of a group, at least the 16 that a tensor core takes."""
    h_q, h_kv = whole(p, "h_q", "h_kv")
    return max(1 << (h_q // h_kv - 1).bit_length(), 16)


def interpreter_seconds(p: Params) -> float:
    """About how long Triton's interpreter takes for both kernels: it runs tile after tile in NumPy, on one core."""
    n_kv, h_q, h_kv, d, splits = whole(p, "n_kv", "h_q", "h_kv", "d", "splits")
    padded = 1 << (d - 1).bit_length()
    tiles = h_kv * -(-n_kv // tile(d))
    merged = h_q * (0.003 + 0.001 * splits)
    return 0.003 * h_kv * splits + tiles * (0.004 + 5e-9 * rows(p) * tile(d) * padded) + merged


def rules(p: Params) -> Iterator[str]:
    yield from grouping(p)
    if (numbers := int(p["n_kv"]) * int(p["h_kv"]) * int(p["d"])) > CACHE_LIMIT:
        yield (
            f"Keys and values would take {numbers / 2**17:,.0f} MiB in float32 (limit 128 MiB); lower n_kv, h_kv or d."
        )


def device_rules(p: Params, interpreter: bool) -> Iterator[str]:
    if interpreter:
        yield from refusals(p, interpreter_seconds(p), lower="n_kv, h_kv or h_q")


DEMO = Demo(
    name="split-kv",
    title="Split-KV decoding",
    summary="The keys of one query are cut into splits, computed apart and merged by their log-sum-exps.",
    look_for="The merge is exact, and yet another number of splits gives other last bits: the order of adding changed.",
    topic="decoding and serving",
    params=(
        Param("n_kv", "int", 4096, "Cached keys", "Any length; the splits share it out in whole tiles.",
              unit="tokens", low=1, high=65536),
        Param("splits", "int", 4, "Splits", "Parts that the keys are cut into; more than tiles leaves some empty.",
              low=1, high=128),
        Param("h_q", "int", 4, "Query heads", "A multiple of the key/value heads; those of a group share one tile.",
              low=1, high=64),
        Param("h_kv", "int", 1, "Key/value heads", "Each with a program of its own for every split.",
              low=1, high=16),
        Param("d", "int", 64, "Head size", "From 16 to 256.", low=16, high=256),
        SEED,
    ),
    deadline_s=60,
    needs=("torch", "triton"),
    modes=("interpreter", "compiled"),
    rules=rules,
    device_rules=device_rules,
)  # fmt: skip

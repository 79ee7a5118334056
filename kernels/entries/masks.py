"""The entry of the demo `masks`."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, whole

HEADS, D_K = 2, 16
TILES = ("auto", "2", "4", "8", "16", "32", "64", "128")


def tile(p: Params) -> int:
    """The side of a tile: 64 as in a kernel where that leaves several, else small enough for several."""
    if p["tile"] != "auto":
        return int(p["tile"])
    return min(64, 1 << int(math.log2(max(*whole(p, "n_q", "n_kv"), 6) / 3)))


def document_lengths(p: Params) -> list[int]:
    """The packed documents' lengths: as even as they can be, the first ones longer by a token."""
    n, count = whole(p, "n_kv", "documents")
    return [n // count + (i < n % count) for i in range(count)]


def rules(p: Params) -> Iterator[str]:
    kind, (n_q, n_kv) = p["kind"], whole(p, "n_q", "n_kv")
    if kind == "causal" and not p["causal"]:
        yield "kind=causal is the causal mask itself; leave causal=true, or choose another kind."
    if "padding" in str(kind) and int(p["padding"]) >= n_kv:
        yield f"padding must leave a token, so with n_kv={n_kv} it must be at most {n_kv - 1}."
    if kind == "packed":
        if n_q != n_kv:
            yield f"Packed documents are read as a whole, so n_q must be n_kv={n_kv}."
        if int(p["documents"]) > n_kv:
            yield f"Every document needs a token, so documents must be at most n_kv={n_kv}."


DEMO = Demo(
    name="masks",
    title="Masks: causal, padding, window, packed",
    summary="Who sees whom under each mask and combined, what leaks without it, and which tiles are computed.",
    look_for="Masks combine by and: a query sees a key if no reason hides it. Watch for rows that see nothing.",
    topic="masks",
    params=(
        Param("kind", "choice", "causal", "Mask", "What hides keys: the future, padding, distance, another document.",
              choices=("causal", "padding", "left-padding", "window", "packed")),
        Param("causal", "bool", True, "Causal, too", "Hides the future as well, as in a decoder."),
        Param("n_q", "int", 6, "Queries", "With fewer than keys, they are the newest positions (if aligned so).",
              unit="tokens", low=1, high=1024),
        Param("n_kv", "int", 6, "Keys", "", unit="tokens", low=1, high=1024),
        Param("align", "choice", "bottom-right", "Mask alignment",
              "Where the queries stand among the keys: the last positions, or the first as in PyTorch's is_causal.",
              choices=("bottom-right", "top-left")),
        Param("width", "int", 3, "Window", "Keys that a query sees under a window, itself included.",
              unit="tokens", low=1, high=1024),
        Param("documents", "int", 2, "Documents", "Packed one after the other, about equally long.", low=1, high=64),
        Param("padding", "int", 2, "Padding", "Tokens of the sequence that are padding.",
              unit="tokens", low=1, high=1023),
        Param("tile", "choice", "auto", "Tile", "Side of a kernel's tile; auto takes 64, or less for short sequences.",
              choices=TILES),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    rules=rules,
)  # fmt: skip

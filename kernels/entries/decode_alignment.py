"""The entry of the demo `decode-alignment`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params


def rules(p: Params) -> Iterator[str]:
    if int(p["n_q"]) > int(p["n_kv"]):
        yield f"The queries are the last of the cached positions, so n_q must be at most n_kv={p['n_kv']}."


DEMO = Demo(
    name="decode-alignment",
    title="A mask in the wrong corner",
    summary="New queries against a cache: aligned to the top left, the causal mask hides keys that they should see.",
    look_for="Aligned top-left, the first query gets exactly v[0], and F.scaled_dot_product_attention gives it, too.",
    topic="masks",
    params=(
        Param("n_q", "int", 1, "New queries", "1 is a decode step; more is a chunk of a prefill.",
              unit="tokens", low=1, high=64),
        Param("n_kv", "int", 6, "Cached keys", "Every position so far, the new ones included.",
              unit="tokens", low=1, high=64),
        Param("h", "int", 2, "Heads", "", low=1, high=16),
        Param("d_k", "int", 8, "Head size", "", low=1, high=128),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    rules=rules,
)  # fmt: skip

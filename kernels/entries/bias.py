"""The entry of the demo `bias`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, whole


def rules(p: Params) -> Iterator[str]:
    (d_k,) = whole(p, "d_k")
    if d_k % 2:
        yield f"d_k must be even, since RoPE turns pairs of numbers; you gave {d_k}."


DEMO = Demo(
    name="bias",
    title="Which biases matter",
    summary="A bias on Q, K or V: one of them changes nothing, until RoPE turns the keys.",
    look_for="The K row: the same constant for all keys of a query, and softmax does not see constants.",
    topic="heads and projections",
    params=(
        Param("n", "int", 6, "Tokens", "Length of the sequence.", unit="tokens", low=2, high=128),
        Param("d_k", "int", 16, "Head size", "Even, for RoPE.", low=2, high=128),
        Param("size", "float", 1.0, "Size of the biases", "Standard deviation of their numbers.", low=0.1, high=10),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    on="cpu",
    rules=rules,
)  # fmt: skip

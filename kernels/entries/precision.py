"""The entry of the demo `precision`."""

from __future__ import annotations

from kernels.params import SEED, Demo, Param

DEMO = Demo(
    name="precision",
    title="Exact, but not to the bit",
    summary="Plain attention and F.sdpa against float64 in three types, and what must stay in fp32 inside.",
    look_for="How far each type and each way is from float64, and whether two right answers have the same bits.",
    topic="the formula",
    params=(
        Param("n", "int", 256, "Tokens", "Queries and keys.", unit="tokens", low=16, high=512),
        Param("d_k", "int", 64, "Head size", "Numbers in one query, key and value.", low=8, high=128),
        Param("causal", "bool", False, "Causal mask", "Each token sees itself and what comes before it."),
        Param("entry", "float", 30.0, "Entry of q and k",
              "For the overflow: 128 numbers of this size each, whose product is 128 times its square.",
              low=1, high=75),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
)  # fmt: skip

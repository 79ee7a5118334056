"""The entry of the demo `gqa`."""

from __future__ import annotations

from kernels.params import SEED, Demo, Param, grouping

DEMO = Demo(
    name="gqa",
    title="Shared keys and values",
    summary="Which query head reads which key/value head, what sharing saves, and the repeat that shares wrongly.",
    look_for="Neighbours share: query heads 0 to r - 1 read key/value head 0. Tensor.repeat deals them out in turn.",
    topic="heads and projections",
    params=(
        Param("h_q", "int", 8, "Query heads", "A multiple of the key/value heads.", low=1, high=64),
        Param("h_kv", "int", 2, "Key/value heads", "As many as query heads is MHA, 1 is MQA.", low=1, high=64),
        Param("n", "int", 16, "Tokens", "Length of the sequence.", unit="tokens", low=2, high=128),
        Param("d_k", "int", 16, "Head size", "Numbers in one query, key and value.", low=1, high=128),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    on="cpu",
    rules=grouping,
)  # fmt: skip

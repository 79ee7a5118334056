"""The entry of the demo `head-split`."""

from __future__ import annotations

from kernels.params import SEED, Demo, Param

DEMO = Demo(
    name="head-split",
    title="A view in the wrong order",
    summary="Splitting x into heads, and merging them again: where the transpose is left out, the shapes still fit.",
    look_for="Only one of the four ways is right, and a causality test alone passes two of them.",
    topic="heads and projections",
    params=(
        Param("batch", "int", 2, "Batch", "Independent sequences.", low=1, high=4),
        Param("n", "int", 6, "Tokens", "Length of the sequences.", unit="tokens", low=2, high=64),
        Param("h", "int", 4, "Heads", "With one head there is nothing to get wrong.", low=2, high=16),
        Param("d_k", "int", 4, "Head size", "The model is h · d_k numbers wide.", low=1, high=32),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    on="cpu",
)  # fmt: skip

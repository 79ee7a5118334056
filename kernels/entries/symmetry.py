"""The entry of the demo `symmetry`."""

from __future__ import annotations

from kernels.params import SEED, Demo, Param

DEMO = Demo(
    name="symmetry",
    title="What attention does not notice",
    summary="Without positions, permuted tokens give permuted outputs; a causal mask alone breaks that.",
    look_for="Equivariant, not invariant: the rows are the same ones, in the new order.",
    topic="heads and projections",
    params=(
        Param("n", "int", 6, "Tokens", "They are permuted at random.", unit="tokens", low=2, high=64),
        Param("d", "int", 8, "Token size", "Width of tokens and of the head.", low=2, high=128),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    on="cpu",
)  # fmt: skip

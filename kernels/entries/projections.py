"""The entry of the demo `projections`."""

from __future__ import annotations

from kernels.params import SEED, Demo, Param

DEMO = Demo(
    name="projections",
    title="Why queries and keys are projected apart",
    summary="One shared projection makes the logits symmetric; two do not. And a token need not score itself highest.",
    look_for="Which matrices equal their transpose: the logits of the shared projection do, its weights do not.",
    topic="heads and projections",
    params=(
        Param("n", "int", 5, "Tokens", "Rows and columns of the score matrices.", low=2, high=64),
        Param("d", "int", 8, "Token size", "Numbers in one token, before the projections.", low=2, high=256),
        Param("d_k", "int", 8, "Head size", "Numbers in one query and key.", low=1, high=128),
        Param("tokens", "int", 16, "Tokens of a trial", "For the question whether a token scores itself highest.",
              low=2, high=64),
        Param("trials", "int", 500, "Trials", "Random sequences behind each share.", low=10, high=1000),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    on="cpu",
)  # fmt: skip

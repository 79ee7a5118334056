"""The entry of the demo `rank`."""

from __future__ import annotations

from kernels.params import SEED, Demo, Param

DEMO = Demo(
    name="rank",
    title="The rank of a head",
    summary="Logits have rank d_k at most, whatever the length; the softmax raises it, and the values limit it again.",
    look_for="Where the logits' singular values break off, and that those of the weights go on.",
    topic="the formula",
    params=(
        Param("n", "int", 40, "Tokens", "Rows and columns of the score matrix.", unit="tokens", low=2, high=128),
        Param("d_model", "int", 64, "Model width", "Numbers in one token.", low=8, high=256),
        Param("d_k", "int", 8, "Head size", "Numbers in one query, key and value.", low=1, high=128),
        Param("scale", "choice", "sqrt", "Scores divided by", "A smaller divisor sharpens the weights.",
              choices=("sqrt", "none")),
        Param("causal", "bool", False, "Causal mask",
              "Makes the weights triangular: their diagonal is positive, so in exact arithmetic their rank is full."),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    on="cpu",
)  # fmt: skip

"""The entry of the demo `dropout`."""

from __future__ import annotations

from kernels.params import SEED, Demo, Param

DEMO = Demo(
    name="dropout",
    title="Dropout on the weights",
    summary="Weights are dropped after the softmax, so training rows do not sum to 1; and SDPA drops in eval(), too.",
    look_for="One draw's row sums are off, their mean is 1; and F.scaled_dot_product_attention knows of no eval().",
    topic="heads and projections",
    params=(
        Param("n", "int", 4, "Tokens", "Rows and columns of the weights.", unit="tokens", low=2, high=16),
        Param("d_k", "int", 8, "Head size", "", low=1, high=64),
        Param("p", "float", 0.5, "Dropped share",
              "Each weight becomes 0 with this probability; the others grow by 1 / (1 - p).", low=0.05, high=0.9),
        Param("draws", "int", 1000, "Draws", "How often the same weights are dropped anew.", low=200, high=2000),
        Param("causal", "bool", False, "Causal mask", "The first row then has one weight: dropped whole, or kept."),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    on="cpu",
)  # fmt: skip

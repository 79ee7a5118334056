"""The entry of the demo `blind-rows`."""

from __future__ import annotations

from kernels.params import SEED, Demo, Param

DEMO = Demo(
    name="blind-rows",
    title="Rows that see nothing, values that are NaN",
    summary="A query without a key, by ten implementations; and a NaN in the last value, by five.",
    look_for="NaN, zeros or a mean: which is which, and where the output is clean but a gradient is not.",
    topic="masks",
    params=(
        Param("n_kv", "int", 3, "Keys",
              "Two queries read them: the first may see none, as a row of padding; the second sees all.",
              unit="tokens", low=1, high=64),
        Param("n", "int", 6, "Tokens, the last value NaN",
              "A causal sequence in which the last token alone may see the NaN. A fused kernel may skip hidden blocks: "
              "try 1,024.",
              unit="tokens", low=2, high=1024),
        Param("dtype", "choice", "fp32", "Data type", "fp16 holds no -1e9, and its own minimum is within reach.",
              choices=("fp32", "bf16", "fp16")),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
)  # fmt: skip

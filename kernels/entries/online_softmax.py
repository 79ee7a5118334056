"""The entry of the demo `online-softmax`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, whole

STEPS_LIMIT = 64


def rules(p: Params) -> Iterator[str]:
    n_kv, block = whole(p, "n_kv", "block")
    if (steps := -(-n_kv // block)) > STEPS_LIMIT:
        yield f"{n_kv:,} keys, {block} at a time, take {steps} steps (limit {STEPS_LIMIT}); take a larger block."


DEMO = Demo(
    name="online-softmax",
    title="Online softmax",
    summary="One pass over the keys, tile by tile: running maximum, sum and output, and what rescales them.",
    look_for="Watch alpha: a larger score shrinks all that was summed before, and the result is that of a softmax.",
    topic="kernels",
    params=(
        Param("n_kv", "int", 257, "Tokens", "As many queries as keys.", low=1, high=512),
        Param("d", "int", 64, "Head size", "The width of q, k and v.", low=16, high=256),
        Param("block", "int", 64, "Tile of keys", "Keys that one step takes; more than there are take one step.",
              low=1, high=512),
        Param("scores", "choice", "random", "Scores", "Random, or made so that the maximum moves in a way of its own.",
              choices=("random", "rising", "falling", "spike", "equal")),
        Param("row", "choice", "middle", "Row to watch", "With a causal mask an early row sees few keys.",
              choices=("first", "middle", "last")),
        Param("causal", "bool", False, "Causal mask", "Row i sees the keys up to i."),
        Param("dtype", "choice", "fp32", "Data type", "Of q, k and v; sums are kept in fp32.",
              choices=("fp32", "fp16")),
        SEED,
    ),
    deadline_s=30,
    needs=("torch", "triton"),
    modes=("interpreter", "compiled"),
    rules=rules,
)  # fmt: skip

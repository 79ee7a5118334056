"""The entry of the demo `mask-bugs`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, whole

VARIANTS = {
    "right": "right: fill with −∞",
    "fill-0": "fill with 0",
    "fill--10": "fill with −10",
    "fill--1e9": "fill with −1e9",
    "after-softmax": "mask after the softmax",
    "after-renormalised": "mask after it, renormalise",
    "wrong-axis": "softmax over the queries",
    "triu-0": "triu(0): hide the diagonal",
    "triu-2": "triu(2): one diagonal late",
    "inverted": "mask inverted",
}


def rules(p: Params) -> Iterator[str]:
    n, perturb = whole(p, "n", "perturb")
    if perturb >= n:
        yield f"Some tokens must stay as they are, so perturb must be at most {n - 1} with n={n}."


DEMO = Demo(
    name="mask-bugs",
    title="Ten ways to write a causal mask",
    summary="Change the last tokens and see which earlier rows move: one way is always right, the others have a name.",
    look_for="Which rows moved though they come before the change, and what the row sums or a NaN give away.",
    topic="masks",
    params=(
        Param("variant", "choice", "right", "Way",
              "right fills with -inf before the softmax over keys, with triu(1); each other way differs in one thing.",
              choices=tuple(VARIANTS), labels=VARIANTS),
        Param("n", "int", 6, "Tokens", "Length of the sequence.", unit="tokens", low=2, high=48),
        Param("perturb", "int", 2, "Last tokens that change", "Rows before them must not move.",
              unit="tokens", low=1, high=47),
        Param("d_k", "int", 8, "Head size", "Numbers in one query, key and value.", low=1, high=128),
        Param("dtype", "choice", "fp32", "Data type of the weights",
              "What the drawn matrix is computed in; leaks are judged in float64, whatever is chosen.",
              choices=("fp32", "fp16")),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    rules=rules,
)  # fmt: skip

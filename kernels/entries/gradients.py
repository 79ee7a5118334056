"""The entry of the demo `gradients`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, whole


def rules(p: Params) -> Iterator[str]:
    n, token = whole(p, "n", "token")
    if token >= n:
        yield f"token counts from 0, so with n={n} it must be at most {n - 1}."


DEMO = Demo(
    name="gradients",
    title="The backward pass by hand",
    summary="dQ, dK and dV from five lines, against autograd in float64, and how far each output's gradient reaches.",
    look_for="Causal, an output gets a gradient to no later token: exactly 0, since a weight of 0 stops both roads.",
    topic="the formula",
    params=(
        Param("n", "int", 6, "Tokens", "", unit="tokens", low=1, high=32),
        Param("d_k", "int", 8, "Head size", "", low=1, high=32),
        Param("token", "int", 2, "Output asked", "The output whose gradient to every input is drawn, from 0.",
              low=0, high=31),
        Param("causal", "bool", True, "Causal mask", "Hides from each query the keys that come after it."),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    rules=rules,
)  # fmt: skip

"""The entry of the demo `pytorch-masks`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, whole


def rules(p: Params) -> Iterator[str]:
    n, perturb, n_q = whole(p, "n", "perturb", "n_q")
    if perturb >= n:
        yield f"Some tokens must stay as they are, so perturb must be at most {n - 1} with n={n}."
    if n_q > n:
        yield f"The new queries are the last of the tokens, so n_q must be at most n={n}."


DEMO = Demo(
    name="pytorch-masks",
    title="One mask, two meanings in PyTorch",
    summary="Boolean masks, is_causal and its corner: what this version of PyTorch does with each, run here and now.",
    look_for="The same tril: one function reads the past by it, the other the future, and neither complains.",
    topic="masks",
    params=(
        Param("n", "int", 5, "Tokens", "Length of the sequence.", unit="tokens", low=2, high=32),
        Param("perturb", "int", 2, "Last tokens that change", "Rows before them must not move.",
              unit="tokens", low=1, high=31),
        Param("n_q", "int", 1, "New queries", "For the corner of is_causal: the last n_q tokens over all keys.",
              unit="tokens", low=1, high=32),
        Param("h", "int", 2, "Heads", "", low=1, high=8),
        Param("d_k", "int", 8, "Head size", "", low=4, high=64),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    rules=rules,
)  # fmt: skip

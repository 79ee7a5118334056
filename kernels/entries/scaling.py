"""The entry of the demo `scaling`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, whole

SCORES_LIMIT = 2**19  # scores of one width: 4 MiB in float64, of which a run holds about ten


def rules(p: Params) -> Iterator[str]:
    queries, n_kv = whole(p, "queries", "n_kv")
    if queries * n_kv > SCORES_LIMIT:
        yield (
            f"queries x n_kv is {queries * n_kv:,} scores, softmaxed 27 times; "
            f"with n_kv={n_kv} choose at most {SCORES_LIMIT // n_kv:,} queries."
        )


DEMO = Demo(
    name="scaling",
    title="Why the root of d_k",
    summary="Variance of the scores, entropy of the weights and size of the gradient, by head size and by divisor.",
    look_for="Undivided, weights saturate as the head grows; that gradients vanish takes few keys or a very wide head.",
    topic="the formula",
    params=(
        Param("d_k", "int", 64, "Head size", "Products that add up to one score.", low=1, high=1024),
        Param("n_kv", "int", 128, "Keys", "How many keys share a row's weight.", unit="tokens", low=2, high=1024),
        Param("queries", "int", 2000, "Queries", "Rows over which means and medians are taken.",
              unit="rows", low=500, high=4096),
        Param("inputs", "choice", "normal", "Components of q and k",
              "normal and uniform are independent, with variance 1; aligned lets each query lean towards one key "
              "(correlation 1/2), as training makes them do.",
              choices=("normal", "uniform", "aligned")),
        SEED,
    ),
    deadline_s=60,
    needs=("torch",),
    modes=("eager",),
    on="cpu",
    rules=rules,
)  # fmt: skip

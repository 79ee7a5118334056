"""Could K and V be one matrix? What the demo `projections` says: it runs, and couples the two."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from kernels.attention import softmax
from kernels.numerics import draw, max_error
from kernels.result import Block, Row
from kernels.show import check, table

DIFFERENT = 1e-9  # float64: far above rounding


def values(q: Tensor, k: Tensor, x: Tensor, seed: int) -> list[Block]:
    """Blocks values, values-differ, values-coupled. q and k [n, d_k] of the tokens x [n, d], in float64."""
    (n, d), d_k = x.shape, q.size(1)
    w_v, up_k, up_v = draw(seed + 1, (d, d_k), (d_k, d_k), (d_k, d_k), dtype=torch.float64, device="cpu")
    apart = _attend(q, k, x @ w_v)
    latent = k  # as wide as a key, so that it is cached in the room of V = K
    shared = _attend(q, k, k)
    expanded = _attend(q, *(latent @ up / math.sqrt(d_k) for up in (up_k, up_v)))
    rows: list[Row] = [
        {"way": way, "weights": weights, "cached": cached, "shape": f"{n} x {d_k}", "differs": differs}
        for way, weights, cached, differs in (
            ("W_K and W_V apart", 3 * d * d_k, 2 * d_k, 0.0),
            ("one matrix, V = K", 2 * d * d_k, d_k, max_error(shared, apart)),
            (
                "one latent, expanded into K and V (MLA)",
                2 * d * d_k + 2 * d_k**2,
                d_k,
                max_error(expanded, apart),
            ),
        )
    ]
    cols = {
        "way": "Keys and values",
        "weights": "Weights, with W_Q",
        "cached": "Cached for a token",
        "shape": "Output",
        "differs": "Differs from apart by",
    }
    look_for = (
        "V = K runs, and saves a third of these weights and half the cache. But it couples how a token is found with "
        "what it gives. MLA caches one latent as well, and keeps the two apart by a matrix for each."
    )
    claim = "The output is another one: what a token gives is no longer free of how it is found."
    coupled = (
        "With V = K a query reads what resembles it: q · o is the mean of its scores by weight, and never below their "
        "plain mean."
    )
    scores = q @ k.mT
    gain = (q * shared).sum(dim=-1) - scores.mean(dim=-1)
    return [
        table("values", cols, rows, title="Could K and V be one matrix?", look_for=look_for),
        check("values-differ", claim, max_error(shared, apart), ">", DIFFERENT),
        check("values-coupled", coupled, float(gain.min()), ">=", -DIFFERENT),
    ]


def _attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return softmax(q @ k.mT / math.sqrt(q.size(-1))) @ v

"""The demo `symmetry`: permuted tokens, with and without a causal mask; linear in the values, not in the tokens."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from kernels import show
from kernels.attention import Rules, attention, softmax
from kernels.job import Job
from kernels.linked import linked
from kernels.masks import causal_mask
from kernels.numerics import draw as draw_inputs
from kernels.numerics import max_error
from kernels.result import Block, Row

TOLERANCE = 1e-9  # float64


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: before, after, laws, equivariant, not-invariant, causal, set-of-keys, linear-in-v, not-linear-in-x,
    code."""
    n, d = job.whole("n", "d")
    x, w_q, w_k, w_v, other = draw_inputs(
        job.seed, (n, d), *[(d, d)] * 3, (n, d), dtype=torch.float64, device="cpu"
    )
    w_q, w_k, w_v = (w / math.sqrt(d) for w in (w_q, w_k, w_v))
    order = permutation(n, job.seed)

    def f(tokens: Tensor, rules: Rules | None = None) -> Tensor:
        q, k, v = (tokens @ w for w in (w_q, w_k, w_v))
        return attention(q[None], k[None], v[None], rules or Rules(1 / math.sqrt(d)))[0]

    causal = Rules(1 / math.sqrt(d), causal_mask(n, n))
    scores, moved = ((y @ w_q) @ (y @ w_k).mT / math.sqrt(d) for y in (x, x[order]))
    names = tuple(f"x{i}" for i in range(n))
    return (
        _weights("before", "Weights of the tokens in order", scores, names),
        _weights("after", "Weights of the permuted tokens", moved, tuple(names[i] for i in order.tolist())),
        *_laws(f, x, order, causal, softmax(scores), (x @ w_v, other)),
        show.code(_snippet(job, order)),
    )


def permutation(n: int, seed: int) -> Tensor:
    """A random order of n tokens that moves at least one; int64 [n]."""
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    return order.roll(1) if torch.equal(order, torch.arange(n)) else order


def _weights(block_id: str, title: str, scores: Tensor, names: tuple[str, ...]) -> Block:
    data = linked({"softmax": softmax(scores)}, names, names, scores=scores)
    look_for = (
        "Find the row of x0: its numbers are the same ones in both."
        if block_id == "after"
        else "Mind the row of x0: it comes again."
    )
    return Block(
        block_id, data, title, look_for, "score", f"{len(names)} rows, one a token: {', '.join(names)}."
    )


def _laws(
    f: Callable[..., Tensor],
    x: Tensor,
    order: Tensor,
    causal: Rules,
    weights: Tensor,
    values: tuple[Tensor, Tensor],
) -> list[Block]:
    out = f(x)
    v, other = values
    query = weights[:1]  # of a fixed query over keys and values that are permuted together
    errors = {
        "f(PX) = P f(X)": max_error(f(x[order]), out[order]),
        "f(PX) = f(X)": max_error(f(x[order]), out),
        "f(PX) = P f(X), causal": max_error(f(x[order], causal), f(x, causal)[order]),
        "keys and values permuted, query fixed": max_error(query[:, order] @ v[order], query @ v),
        "P(V + 2W) = PV + 2PW": max_error(weights @ (v + 2 * other), weights @ v + 2 * (weights @ other)),
        "f(2X) = 2 f(X)": max_error(f(2 * x), 2 * out),
    }
    rows: list[Row] = [{"law": name, "error": e, "true": e <= TOLERANCE} for name, e in errors.items()]
    cols = {"law": "Law", "error": "Largest difference", "true": "True"}
    moved, same, masked, keys, linear, twice = errors.values()
    return [
        show.table("laws", cols, rows, title="P permutes the tokens X; f is one head",
                   look_for="Which of the six hold, and which would need positions."),
        show.check("equivariant", "Permuted tokens give the same outputs in the new order.", moved, "=", 0, TOLERANCE),
        show.check("not-invariant", "They do not give the same outputs in the old order.", same, ">", TOLERANCE),
        show.check("causal", "A causal mask breaks this symmetry: order matters though no position is given.",
                   masked, ">", TOLERANCE),
        show.check("set-of-keys", "For a fixed query, keys and values are a set: their order changes nothing.",
                   keys, "=", 0, TOLERANCE),
        show.check("linear-in-v", "With the weights held fixed, attention is linear in V.", linear, "=", 0, TOLERANCE),
        show.check("not-linear-in-x", "In X it is not: the weights move with the tokens.", twice, ">", TOLERANCE),
    ]  # fmt: skip


def _snippet(job: Job, order: Tensor) -> str:
    n, d = job.whole("n", "d")
    return f"""import math
import torch

n, d = {n}, {d}
g = torch.Generator().manual_seed({job.seed})
x, *w = (torch.randn(shape, generator=g).double() for shape in ((n, d), (d, d), (d, d), (d, d)))
w_q, w_k, w_v = (m / math.sqrt(d) for m in w)
order = torch.tensor({order.tolist()})


def f(x, causal=False):
    scores = (x @ w_q) @ (x @ w_k).mT / math.sqrt(d)
    if causal:
        scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
    return scores.softmax(-1) @ (x @ w_v)


error = {{
    "equivariant": float((f(x[order]) - f(x)[order]).abs().max()),
    "invariant": float((f(x[order]) - f(x)).abs().max()),
    "causal": float((f(x[order], True) - f(x, True)[order]).abs().max()),
}}
print(error)
"""

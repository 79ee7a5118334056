"""The demo `rank`: what a head's narrow projections limit, and what the softmax gives back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from kernels import show
from kernels.job import Job
from kernels.masks import causal_mask
from kernels.numerics import DTYPES, draw
from kernels.result import Block, Row
from kernels.words import counted

TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-6, 1e-9, 1e-12)
COARSEST = 0.5
FLOOR = (
    1e-20  # singular values are drawn no lower: rounding left them, and an exact 0 has no place on a log axis
)


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: singular-values, ranks, by-tolerance, logits-rank, weights-rank (where d_k leaves room), output-rank,
    triangular (causal), code."""
    heads = {name: _head(job, dtype) for name, dtype in DTYPES.items()}
    exact = heads["fp64"]
    return (
        _singular_values(job, exact),
        _ranks(job, heads),
        _by_tolerance(job, exact),
        *_checks(job, exact),
        *_triangular(job, exact),
        show.code(_snippet(job)),
    )


@dataclass(frozen=True)
class Head:
    """Singular values, falling, of the logits q kᵀ [n], the weights [n] and the output [min(n, d_k)].

    tolerance is relative to the largest: n · eps of the dtype that all was computed in, as torch.linalg.matrix_rank
    has it, and COARSEST at most. In bf16 it would be 1 from 128 tokens on, and no matrix would have a rank.
    """

    logits: Tensor
    weights: Tensor
    output: Tensor
    diagonal: float
    tolerance: float

    def ranks(self, tolerance: float) -> dict[str, int]:
        """How many singular values lie above tolerance times the largest, as torch.linalg.matrix_rank counts."""
        parts = {"logits": self.logits, "weights": self.weights, "output": self.output}
        return {name: int((values > tolerance * values[0]).sum()) for name, values in parts.items()}


def _head(job: Job, dtype: torch.dtype) -> Head:
    """One head computed in `dtype`, its singular values in float64."""
    n, d_model, d_k = job.whole("n", "d_model", "d_k")
    shapes = (n, d_model), *((d_model, d_k),) * 3
    x, w_q, w_k, w_v = draw(job.seed, *shapes, dtype=dtype, device="cpu")
    q, k, v = (x @ (w / math.sqrt(d_model)) for w in (w_q, w_k, w_v))
    logits = q @ k.mT
    scores = logits / (math.sqrt(d_k) if job.word("scale") == "sqrt" else 1)
    if job.flag("causal"):
        scores = scores.masked_fill(~causal_mask(n, n), -math.inf)
    weights = torch.softmax(scores, dim=-1)
    of_logits, of_weights, of_output = (
        torch.linalg.svdvals(part.double()) for part in (logits, weights, weights @ v)
    )
    return Head(
        of_logits,
        of_weights,
        of_output,
        diagonal=float(weights.diagonal().min()),
        tolerance=min(n * torch.finfo(dtype).eps, COARSEST),
    )


def _limit(job: Job) -> int:
    return min(job.whole("n", "d_model", "d_k"))


def _singular_values(job: Job, head: Head) -> Block:
    (n,) = job.whole("n")
    lines = {
        name: (part / part[0]).clamp_min(FLOOR).tolist()
        for name, part in (("logits q kᵀ", head.logits), ("weights", head.weights))
    }
    after, limit = head.ranks(head.tolerance), _limit(job)
    look_for = (
        f"With {counted(n, 'token')}, no more than "
        f"{counted(limit, 'value of the logits is', 'values of the logits are')} more than rounding; "
        f"of the weights, {after['weights']}."
    )
    return show.curves(
        "singular-values",
        range(1, n + 1),
        lines,
        title="Singular values, in shares of the largest",
        x_label="number",
        log=True,
        look_for=look_for,
        alt=f"Falling singular values of two {n} x {n} matrices in float64, logits and weights.",
    )


def _ranks(job: Job, heads: Mapping[str, Head]) -> Block:
    rows: list[Row] = []
    for name, head in heads.items():
        squares = head.weights.square()
        kept = float(squares[: _limit(job)].sum() / squares.sum())
        rows.append(
            {"dtype": name, "tolerance": head.tolerance, **head.ranks(head.tolerance), "kept": 100 * kept}
        )
    cols = {
        "dtype": "Computed in",
        "tolerance": "Counted above, of the largest",
        "logits": "Rank of the logits",
        "weights": "Rank of the weights",
        "output": "Rank of the output",
        "kept": (f"Weights' energy in the first {_limit(job)}", "%"),
    }
    first, last = rows[0], rows[-1]
    look_for = (
        f"A numerical rank is a count above a tolerance: the same weights have {first['weights']} in fp64 "
        f"and {last['weights']} in bf16. The last column says how much the rest weighs."
    )
    return show.table("ranks", cols, rows, title="Rank by data type", look_for=look_for)


def _by_tolerance(job: Job, head: Head) -> Block:
    ranks = {tolerance: head.ranks(tolerance) for tolerance in TOLERANCES}
    cols = {"tolerance": "Counted above", "logits": "Logits", "weights": "Weights", "output": "Output"}
    first, last = (ranks[tolerance]["weights"] for tolerance in (TOLERANCES[0], TOLERANCES[-1]))
    look_for = (
        f"No tolerance finds a rank above {_limit(job)} in the logits. That of the weights is {first} above a tenth of "
        f"the largest value and {last} above {TOLERANCES[-1]:g} of it: a rank is told with its tolerance."
    )
    rows: list[Row] = [{"tolerance": tolerance, **counts} for tolerance, counts in ranks.items()]
    return show.table("by-tolerance", cols, rows, title="Rank by tolerance, in float64", look_for=look_for)


def _checks(job: Job, head: Head) -> list[Block]:
    ranks, limit = head.ranks(head.tolerance), _limit(job)
    n, d_model, d_k = job.whole("n", "d_model", "d_k")
    sizes = f"n={n}, d_model={d_model}, d_k={d_k}"
    claim = f"The logits X W_Q W_Kᵀ Xᵀ have rank {limit} at most: the smallest of {sizes}."
    blocks = [show.check("logits-rank", claim, ranks["logits"], "<=", limit)]
    if 2 * limit <= n:
        claim = "The softmax, taken entry by entry, raises the rank: that of the weights is higher."
        blocks.append(show.check("weights-rank", claim, ranks["weights"], ">", ranks["logits"]))
    wide = counted(d_k, "number")
    claim = f"The output mixes values of {wide}: its rank is {limit} at most, whatever that of the weights."
    return [*blocks, show.check("output-rank", claim, ranks["output"], "<=", limit)]


def _triangular(job: Job, head: Head) -> list[Block]:
    if not job.flag("causal"):
        return []
    claim = "Causal weights are triangular, and no weight on the diagonal is 0: they can be inverted."
    return [show.check("triangular", claim, head.diagonal, ">", 0.0)]


def _snippet(job: Job) -> str:
    n, d_model, d_k = job.whole("n", "d_model", "d_k")
    divided = f" * {d_k}**-0.5" if job.word("scale") == "sqrt" else ""
    mask = (
        f".masked_fill(torch.ones({n}, {n}, dtype=torch.bool).triu(1), -torch.inf)"
        if job.flag("causal")
        else ""
    )
    return f"""import torch

g = torch.Generator().manual_seed({job.seed})
shapes = ({n}, {d_model}), *(({d_model}, {d_k}),) * 3
x, w_q, w_k, w_v = (torch.randn(shape, generator=g).double() for shape in shapes)
q, k, v = (x @ (w / {d_model}**0.5) for w in (w_q, w_k, w_v))
logits = q @ k.T
weights = (logits{divided}){mask}.softmax(-1)
tolerance = {n} * torch.finfo(torch.float64).eps
ranks = [int(torch.linalg.matrix_rank(m, rtol=tolerance)) for m in (logits, weights, weights @ v)]
print(ranks)
"""

"""The demo `projections`: what a shared query and key projection forces, and whether a token scores itself highest."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from kernels import show
from kernels.attention import softmax
from kernels.demos.projections_values import values
from kernels.job import Job
from kernels.linked import linked
from kernels.numerics import draw as draw_inputs
from kernels.numerics import max_error
from kernels.result import Block, Row

SIZES = (2, 4, 8, 16, 32, 64, 128)
COUNTEREXAMPLE = torch.tensor([[1.0, 0.0], [3.0, 1.0]], dtype=torch.float64)
SYMMETRIC = 1e-9  # float64: far above rounding, far below any difference that is none


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: tied, separate, symmetry, tied-symmetric, tied-weights, separate-logits, values, values-differ,
    values-coupled, self, self-by-size, normed, counterexample, other-first, code."""
    n, d, d_k = job.whole("n", "d", "d_k")
    x, w, w_other = draw_inputs(job.seed, (n, d), (d, d_k), (d, d_k), dtype=torch.float64, device="cpu")
    x, root = x / math.sqrt(d), math.sqrt(d_k)
    q, k = x @ w, x @ w_other
    tied, separate = q @ q.mT / root, q @ k.mT / root
    job.progress(0.3, "Counting how often a token scores itself highest")
    return (
        _matrix("tied", tied, "One projection for queries and keys",
                "Cell (i, j) of the logits is cell (j, i). Of the weights it is not: each row has a sum of its own."),
        _matrix("separate", separate, "A projection for each",
                "Nothing ties cell (i, j) to cell (j, i), not even in the logits: to look for is not to be found."),
        *_symmetry({"tied": tied, "separate": separate}),
        *values(q, k, x, job.seed),
        *_self(job),
        *_counterexample(),
        show.code(_snippet(job)),
    )  # fmt: skip


def _matrix(block_id: str, logits: Tensor, title: str, look_for: str) -> Block:
    labels = [f"x{i}" for i in range(len(logits))]
    data = linked({"logits": logits, "softmax": softmax(logits)}, labels, labels, scores=logits)
    alt = f"Logits and weights of {len(labels)} tokens; compare cell (i, j) with cell (j, i)."
    return Block(block_id, data, title, look_for, "score", alt)


def _symmetry(logits: Mapping[str, Tensor]) -> list[Block]:
    apart = {name: (max_error(s, s.mT), max_error(softmax(s), softmax(s).mT)) for name, s in logits.items()}
    rows: list[Row] = [{"way": name, "logits": apart[name][0], "weights": apart[name][1]} for name in apart]
    cols = {
        "way": "Projections",
        "logits": "Logits: largest |S - Sᵀ|",
        "weights": "Weights: largest |P - Pᵀ|",
    }
    return [
        show.table("symmetry", cols, rows, title="Against the transpose",
                   look_for="But for rounding, one of the four is 0: the logits of the shared projection."),
        show.check("tied-symmetric", "Shared: how much i asks for j is how much j asks for i.",
                   apart["tied"][0], "=", 0, SYMMETRIC),
        show.check("tied-weights", "Yet the weights are not symmetric: each row is divided by a sum of its own.",
                   apart["tied"][1], ">", SYMMETRIC),
        show.check("separate-logits", "With two projections even the logits are free to differ.",
                   apart["separate"][0], ">", SYMMETRIC),
    ]  # fmt: skip


def _plain(x: Tensor) -> Tensor:
    return x


def _normed(x: Tensor) -> Tensor:
    """LayerNorm without gain: every token has mean 0 and the same length."""
    return torch.nn.functional.layer_norm(x, x.shape[-1:], eps=0.0)


def _uneven(x: Tensor) -> Tensor:
    """Lengths that differ: token i is (i + 1) times as long as drawn."""
    return x * torch.arange(1, x.size(-2) + 1, dtype=x.dtype)[:, None]


WAYS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "drawn from N(0, 1)": _plain,
    "layer-normed": _normed,
    "of uneven length": _uneven,
}


def share_of_self(x: Tensor) -> float:
    """x [trials, n, d]: the share of tokens whose own score x_i · x_i is the largest of their row of x xᵀ."""
    scores = x @ x.mT
    own = scores.diagonal(dim1=-2, dim2=-1)
    return float((own >= scores.amax(-1) * (1 - 1e-9)).double().mean())


def _self(job: Job) -> list[Block]:
    n, trials = job.whole("tokens", "trials")
    drawn = [draw_inputs(job.seed, (trials, n, d), dtype=torch.float64, device="cpu")[0] for d in SIZES]
    shares = {name: [share_of_self(change(x)) for x in drawn] for name, change in WAYS.items()}
    iid, normed, uneven = shares.values()
    rows = [
        {"d": d, "iid": a, "normed": b, "uneven": c}
        for d, a, b, c in zip(SIZES, iid, normed, uneven, strict=True)
    ]
    cols = {"d": "Token size", **dict(zip(("iid", "normed", "uneven"), WAYS, strict=True))}
    look_for = (
        f"Without projections, of {n} tokens drawn at random a share of {iid[0]:.3f} scores itself highest with "
        f"{SIZES[0]} numbers a token, and {iid[-1]:.3f} with {SIZES[-1]}."
    )
    claim = (
        "Tokens of equal length, as after LayerNorm without gain, always score themselves highest, or tie."
    )
    ties = (
        "Of equal length nobody outdoes a token itself. Layer-normed tokens of 2 numbers are (1, -1) or (-1, 1), so "
        "many of them tie, and a tie counts."
    )
    return [
        show.table("self", cols, rows, title="Share of tokens that score themselves highest, S = X Xᵀ", look_for=ties),
        show.curves("self-by-size", SIZES, shares, title="The same as curves", x_label="numbers in a token",
                    unit="share", look_for=look_for),
        show.check("normed", claim, min(normed), "=", 1.0),
    ]  # fmt: skip


def _counterexample() -> list[Block]:
    scores = COUNTEREXAMPLE @ COUNTEREXAMPLE.mT
    look_for = "Row x0: 1 for itself and 3 for x1, which is longer."
    block = _matrix("counterexample", scores, "Two tokens, (1, 0) and (3, 1)", look_for)
    claim = "The first token scores the second one higher than itself: a longer token wins."
    return [block, show.check("other-first", claim, float(scores[0, 1] - scores[0, 0]), ">", 0)]


def _snippet(job: Job) -> str:
    n, d, d_k, tokens, trials = job.whole("n", "d", "d_k", "tokens", "trials")
    return f"""import math
import torch

g = torch.Generator().manual_seed({job.seed})
x, w, w_other = (torch.randn(shape, generator=g).double() for shape in (({n}, {d}), ({d}, {d_k}), ({d}, {d_k})))
x = x / math.sqrt({d})
symmetry = {{}}
for name, keys in (("tied", w), ("separate", w_other)):
    logits = (x @ w) @ (x @ keys).mT / math.sqrt({d_k})
    weights = logits.softmax(-1)
    symmetry[name] = [float((m - m.mT).abs().max()) for m in (logits, weights)]


def share_of_self(x):  # of tokens whose own score is the largest of their row, ties included
    scores = x @ x.mT
    return float((scores.diagonal(dim1=-2, dim2=-1) >= scores.amax(-1) * (1 - 1e-9)).double().mean())


highest = {{}}
for size in {SIZES}:
    x = torch.randn({trials}, {tokens}, size, generator=torch.Generator().manual_seed({job.seed})).double()
    highest[size] = share_of_self(x), share_of_self(torch.nn.functional.layer_norm(x, (size,), eps=0.0))
print(symmetry, highest)
"""

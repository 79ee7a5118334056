"""What the demo `scaling` measures: sums of products, and a softmax at each head size with each divisor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from kernels import jacobian
from kernels.job import Job
from kernels.numerics import DTYPES, draw

PAIRS = 20_000
VARIANCE_AT = (2, 16, 64, 128, 256)
WIDTHS = (2, 8, 64, 128, 256, 512, 1024)
ALIGNMENT = 0.5  # correlation of a query's components with those of the key it leans towards
BEYOND = 10.0
SMALL = 1e-3
CASE_QUERIES = 2000
DIVISORS = ("nothing", "sqrt(d_k)", "d_k")


@dataclass(frozen=True)
class Sums:
    """q · k over PAIRS pairs at one width: mean, variance, and the share whose magnitude is beyond BEYOND."""

    mean: float
    variance: float
    beyond: float


def sums(job: Job) -> dict[int, Sums]:
    """Adds one product after another, all pairs at once, and measures at the widths that are shown."""
    (d_k,) = job.whole("d_k")
    wanted = {*VARIANCE_AT, d_k}
    generator = torch.Generator().manual_seed(job.seed)
    dots, found = torch.zeros(PAIRS), {}
    for d in range(1, max(wanted) + 1):
        x, y = _components(job.word("inputs"), generator)
        dots += x * y
        if d in wanted:
            beyond = float((dots.abs() > BEYOND).double().mean())
            found[d] = Sums(float(dots.double().mean()), float(dots.double().var()), beyond)
        if d % 128 == 0:
            job.progress(0.4 * d / max(wanted), f"Adding product {d}")
    return found


def _components(inputs: str, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """One component of q and of k for every pair, each with mean 0 and variance 1."""
    if inputs == "uniform":
        x, y = _uniform(generator, 2, PAIRS)
    else:
        x, y = torch.randn(2, PAIRS, generator=generator)
    return (_lean(x, y), y) if inputs == "aligned" else (x, y)


def _uniform(generator: torch.Generator, *shape: int) -> Tensor:
    """Between -sqrt(3) and sqrt(3), where the variance is 1."""
    return (2 * torch.rand(*shape, generator=generator) - 1) * math.sqrt(3)


def _lean(x: Tensor, towards: Tensor) -> Tensor:
    """x with the variance kept and a correlation of ALIGNMENT with `towards`."""
    return ALIGNMENT * towards + math.sqrt(1 - ALIGNMENT**2) * x


def inputs(job: Job) -> tuple[Tensor, Tensor, Tensor]:
    """q [queries, 1024], k [n_kv, 1024] and a gradient that reaches the weights [queries, n_kv], in float64.

    A smaller head is the first columns of a larger one, so that curves over d_k differ by d_k alone.
    """
    queries, n_kv = job.whole("queries", "n_kv")
    shapes = (queries, WIDTHS[-1]), (n_kv, WIDTHS[-1]), (queries, n_kv)
    generator = torch.Generator().manual_seed(job.seed)
    kinds = (_uniform, _uniform, _normal) if job.word("inputs") == "uniform" else (_normal,) * 3
    q, k, upstream = (kind(generator, *shape).double() for kind, shape in zip(kinds, shapes, strict=True))
    if job.word("inputs") == "aligned":
        q = _lean(q, k[torch.arange(queries) % n_kv])
    return q, k, upstream


def _normal(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=generator)


def scores_by_width(q: Tensor, k: Tensor, widths: Sequence[int]) -> list[tuple[int, Tensor]]:
    """q · k at each width, each grown from the one before."""
    scores, grown = q.new_zeros(q.size(0), k.size(0)), []
    for start, end in pairwise((0, *widths)):
        scores = scores + q[:, start:end] @ k[:, start:end].T
        grown.append((end, scores))
    return grown


def _factor(divisor: str, d: int) -> float:
    return {"nothing": 1.0, "sqrt(d_k)": 1 / math.sqrt(d), "d_k": 1 / d}[divisor]


@dataclass(frozen=True)
class Shape:
    """What a softmax looks like: entropy of each row in nats, largest weight and |J| as medians."""

    entropies: Tensor
    entropy: float
    largest: float
    jacobian: float


def by_divisor(raw: Tensor, d: int) -> dict[str, Shape]:
    """The softmax of raw scores [queries, n_kv] of heads of d, by divisor."""
    return {name: _shape(torch.softmax(raw * _factor(name, d), dim=-1)) for name in DIVISORS}


def _shape(p: Tensor) -> Shape:
    entropies = torch.special.entr(p).sum(dim=-1)
    largest, norm = p.amax(dim=-1).median(), jacobian.frobenius(p).median()
    return Shape(entropies, float(entropies.mean()), float(largest), float(norm))


@dataclass(frozen=True)
class Figures:
    """One divisor at one size: variance of the scores, mean entropy; medians of the largest weight, of |J| and of
    |dL/dq|; the share of rows with |J| below SMALL."""

    variance: float
    entropy: float
    largest: float
    jacobian: float
    small: float
    to_q: float


def figures(q: Tensor, k: Tensor, upstream: Tensor, d: int, divisor: str) -> Figures:
    """The first d columns of q and k, and the gradient that reaches q from `upstream` at the weights."""
    factor = _factor(divisor, d)
    scores = q[:, :d] @ k[:, :d].T * factor
    p = torch.softmax(scores, dim=-1)
    to_q = factor * jacobian.through(p, upstream) @ k[:, :d]
    norms, shape = jacobian.frobenius(p), _shape(p)
    small = float((norms < SMALL).double().mean())
    gradient = float(to_q.norm(dim=-1).median())
    return Figures(float(scores.var()), shape.entropy, shape.largest, shape.jacobian, small, gradient)


def case(seed: int, n_kv: int, d: int) -> tuple[Figures, Figures]:
    """Undivided and divided by the root, for inputs from N(0, 1)."""
    shapes = (CASE_QUERIES, d), (n_kv, d), (CASE_QUERIES, n_kv)
    q, k, upstream = draw(seed, *shapes, dtype=DTYPES["fp64"], device="cpu")
    return figures(q, k, upstream, d, "nothing"), figures(q, k, upstream, d, "sqrt(d_k)")

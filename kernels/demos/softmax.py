"""The demo `softmax`: as its formula reads, and with the maximum subtracted; its Jacobian; what temperature does."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from kernels import jacobian, show
from kernels.demos.softmax_sinks import sinks
from kernels.entries.softmax import SHIFTS_UP_TO
from kernels.job import Job
from kernels.linked import linked
from kernels.numerics import DTYPES, entropy, max_error
from kernels.numerics import draw as draw_inputs
from kernels.result import Block, Row
from kernels.stable_softmax import naive, overflows_above, stable

FP64 = torch.finfo(torch.float64).eps
TEMPERATURES = tuple(0.1 * 1.25**i for i in range(21))  # 0.1 to 8.7


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: scores, naive, stable, largest-exponent, shift-invariant, by-shift, limits, by-temperature, sink,
    sink-sum, sink-takes, sink-evicted, softmax1, jacobian, jacobian-autograd, jacobian-rows, jacobian-largest, code,
    known, fp16-11, fp16-12, known-naive, known-stable."""
    dtype = DTYPES[job.word("dtype")]
    base = _base(job)
    wanted = _scores(job, base, float(job.params["shift"]))
    held = wanted.to(dtype)
    return (
        _table(wanted, held),
        *_checks(wanted, held, float(job.params["shift"]) / float(job.params["temperature"])),
        _by_shift(job, base, dtype),
        _limits(),
        _by_temperature(job, base),
        *sinks(len(base)),
        *_jacobian(wanted),
        show.code(_snippet(job)),
        *_known(),
    )


def _base(job: Job) -> Tensor:
    """The scores before spread, shift and temperature: float64 [n]."""
    (n,) = job.whole("n")
    if job.word("scores") == "steps":
        return torch.arange(n, dtype=torch.float64)
    return draw_inputs(job.seed, (n,), dtype=torch.float64, device="cpu")[0]


def _scores(job: Job, base: Tensor, shift: float) -> Tensor:
    return (base * float(job.params["spread"]) + shift) / float(job.params["temperature"])


def rounding(p: Tensor) -> float:
    """What rounding to p's dtype may cost a weight: of the difference, of exp, of the sum, of the quotient."""
    return 4 * torch.finfo(p.dtype).eps


def _table(wanted: Tensor, held: Tensor) -> Block:
    columns = {
        "wanted": wanted,
        "held": held,
        "exp": held.exp(),
        "naive": naive(held),
        "stable": stable(held),
        "exact": stable(wanted),
    }
    cells = {name: x.double().tolist() for name, x in columns.items()}
    rows: list[Row] = [{"i": i, **{name: x[i] for name, x in cells.items()}} for i in range(len(wanted))]
    cols = {
        "i": "Score",
        "wanted": "Its value",
        "held": "As held",
        "exp": "exp of it",
        "naive": "Weight, by the formula",
        "stable": "Weight, maximum subtracted",
        "exact": "Weight, float64",
    }
    look_for = " ".join(filter(None, (_fate(held).words, _lost(wanted, held))))
    return show.table("scores", cols, rows, title="From scores to weights", look_for=look_for)


class Fate(NamedTuple):
    """What becomes of the formula as it reads: in words, as a claim, and as the figure that bears it out."""

    words: str
    claim: str
    got: float
    op: show.Op
    expected: float


def _fate(held: Tensor) -> Fate:
    e, weights = held.exp(), naive(held).double()
    error, limit = max_error(weights, stable(held.double())), rounding(held)
    if bool(e.isinf().any()):
        words = "exp overflows, and inf/inf is NaN; with the maximum subtracted no exponent is above 0."
        largest = float(weights[held.argmax()])
        return Fate(words, "By the formula, the largest score gives inf/inf.", largest, "=", math.nan)
    if float(e.sum()) == 0:
        words = "Every exp underflows to 0, and 0/0 is NaN; subtracted, the largest becomes exp(0) = 1."
        return Fate(words, "By the formula, every score gives 0/0.", float(weights[0]), "=", math.nan)
    if bool(e.sum().isinf()):
        words = "Each exp is finite, but their sum overflows: the weights come out as 0."
        return Fate(words, "By the formula, the weights are 0.", float(weights.sum()), "=", 0)
    if error <= limit:
        words = "No exp leaves the range of the type here, so the formula as it reads does as well."
        return Fate(words, "By the formula the weights are right, too.", error, "<=", limit)
    words = f"exp is near the edge of the type, and the formula as it reads is off by {error:.1e}."
    return Fate(words, "By the formula a weight is off by more than rounding.", error, ">", limit)


def _lost(wanted: Tensor, held: Tensor) -> str:
    """Whether different scores have become one number before any softmax saw them."""
    before, after = (len(set(x.tolist())) for x in (wanted, held))
    if after == before:
        return ""
    return (
        f"{before} different scores become {after} when they are rounded to this type, whatever comes next."
    )


def _checks(wanted: Tensor, held: Tensor, shift: float) -> list[Block]:
    fate, got = _fate(held), stable(held)
    moved = max_error(stable(wanted), stable(wanted - shift))
    limit = FP64 * (4 + 2 * float(wanted.abs().max()))
    return [
        show.check("naive", fate.claim, fate.got, fate.op, fate.expected),
        show.check("stable", "With the maximum subtracted the weights are right but for rounding.",
                   max_error(got, stable(held.double())), "=", 0, rounding(held)),
        show.check("largest-exponent", "With the maximum subtracted the largest exponential is exp(0) = 1.",
                   float((held - held.max()).exp().max()), "=", 1),
        show.check("shift-invariant", "In float64, taking the shift away changes no weight beyond rounding.",
                   moved, "=", 0, limit),
    ]  # fmt: skip


def _by_shift(job: Job, base: Tensor, dtype: torch.dtype) -> Block:
    """The weight of the largest score as the same scores are shifted, which should change nothing."""
    shifts = range(0, SHIFTS_UP_TO + 1, 16)
    held = [_scores(job, base, float(shift)).to(dtype) for shift in shifts]
    exact = float(stable(_scores(job, base, 0.0)).max())
    naives = [float(naive(z).max()) for z in held]
    stables = [float(stable(z).max()) for z in held]
    drift = max(abs(x - exact) for x in stables)
    ys = {"by the formula": naives, "max subtracted": stables, "float64": [exact] * len(naives)}
    look_for = f"{_ends(shifts, naives)} {_stays(drift, rounding(held[0]))}"
    return show.curves("by-shift", list(shifts), ys, title="The largest weight, shifted", x_label="shift",
                       look_for=look_for)  # fmt: skip


def _ends(shifts: range, weights: list[float]) -> str:
    """At how many shifts the formula gives NaN, and between which two that begins, where it stays so."""
    nan = [shift for shift, x in zip(shifts, weights, strict=True) if math.isnan(x)]
    if not nan:
        return "Within these shifts the formula gives no NaN."
    if nan == list(shifts)[-len(nan) :]:
        if nan[0] == shifts[0]:
            return "At each of these shifts the formula gives NaN."
        last = nan[0] - shifts.step
        return f"At a shift of {last:,} the formula gives a number, from {nan[0]:,} on NaN: it ends between the two."
    return f"At {len(nan)} of these {len(weights)} shifts the formula gives NaN."


def _stays(drift: float, limit: float) -> str:
    if drift <= limit:
        return "With the maximum subtracted the weight stays where it is."
    return (
        f"With the maximum subtracted it moves by up to {drift:.2g}: scores far from 0 have lost digits before the "
        "softmax sees them."
    )


def _limits() -> Block:
    rows: list[Row] = []
    for name in ("fp16", "bf16", "fp32", "fp64"):
        dtype = DTYPES[name]
        eleven, twelve = torch.tensor([11.0, 12.0], dtype=dtype).exp().double().tolist()
        smallest = math.log(float(torch.finfo(dtype).smallest_normal) * torch.finfo(dtype).eps)
        rows.append(
            {
                "dtype": name,
                "largest": float(torch.finfo(dtype).max),
                "above": overflows_above(dtype),
                "below": smallest - math.log(2),
                "e11": eleven,
                "e12": twelve,
            }
        )
    cols = {
        "dtype": "Type",
        "largest": "Largest number",
        "above": "exp is inf above",
        "below": "exp is 0 below",
        "e11": "exp(11)",
        "e12": "exp(12)",
    }
    look_for = "bf16 has about fp32's range and 8 bits of precision; fp16 has 11 bits, and exp leaves it above 11.09."
    return show.table("limits", cols, rows, title="Where exp leaves a type", look_for=look_for)


def _known() -> tuple[Block, ...]:
    z = torch.tensor([1000.0, 1001.0, 1002.0])
    eleven, twelve = torch.tensor([11.0, 12.0], dtype=torch.float16).exp().tolist()
    return show.known(
        show.check("fp16-11", "In fp16, exp(11) is 59,872.", eleven, "=", 59872),
        show.check("fp16-12", "In fp16, exp(12) is inf.", twelve, "=", math.inf),
        show.check("known-naive", "Scores 1000, 1001, 1002 by the formula in fp32 give NaN.",
                   float(naive(z)[2]), "=", math.nan),
        show.check("known-stable", "With the maximum subtracted the last weight is 0.665.",
                   float(stable(z)[2]), "=", 0.665, 5e-4),
    )  # fmt: skip


def _by_temperature(job: Job, base: Tensor) -> Block:
    spread = base * float(job.params["spread"])
    weights = [stable(spread / temperature) for temperature in TEMPERATURES]
    ys = {
        "largest weight": [float(p.max()) for p in weights],
        "entropy, of ln n": [entropy(p) / math.log(len(base)) for p in weights],
    }
    look_for = "Towards 0 the largest score takes all; towards infinity all weigh the same."
    return show.curves("by-temperature", TEMPERATURES, ys, title="What temperature does", x_label="temperature",
                       look_for=look_for)  # fmt: skip


def _jacobian(wanted: Tensor) -> list[Block]:
    p = stable(wanted)
    by_hand = jacobian.matrix(p)
    z = wanted.clone().requires_grad_()
    rows = z.softmax(dim=-1)
    auto = torch.stack([torch.autograd.grad(row, z, retain_graph=True)[0] for row in rows])
    names = [[f"{side}{i}" for i in range(len(p))] for side in "pz"]
    data = linked({"diag(p) - p pᵀ": by_hand}, *names)
    alt = "Row i, column j: how much weight i grows with score j; the diagonal is positive, all else negative or 0."
    look_for = "What one weight gains the others lose: each row sums to 0."
    return [
        Block("jacobian", data, "The Jacobian", look_for, "score", alt),
        show.check("jacobian-autograd", "It is what autograd finds, in float64.",
                   max_error(by_hand, auto), "=", 0, 1e-15),
        show.check("jacobian-rows", "Its rows sum to 0, so a shift of all scores changes nothing.",
                   float(by_hand.sum(dim=-1).abs().max()), "=", 0, 1e-15),
        show.check("jacobian-largest", "No entry is above 1/4: p(1 - p) is that at most.",
                   float(by_hand.max()), "<=", 0.25),
    ]  # fmt: skip


def _snippet(job: Job) -> str:
    (n,) = job.whole("n")
    shift, spread, temperature = (job.params[name] for name in ("shift", "spread", "temperature"))
    base = (
        f"torch.arange({n}).double()"
        if job.word("scores") == "steps"
        else f"torch.randn({n}, generator=torch.Generator().manual_seed({job.seed})).double()"
    )
    return f"""import torch

scores = {base}
scores = (scores * {spread} + {shift}) / {temperature}
p = scores.softmax(-1)
jacobian = p.diag() - p.outer(p)

scores = scores.to({DTYPES[job.word("dtype")]})
naive = scores.exp() / scores.exp().sum()
stable = (scores - scores.max()).exp()
stable = stable / stable.sum()
print(naive.tolist(), stable.tolist(), jacobian.sum(-1).tolist())
"""

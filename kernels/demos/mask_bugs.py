"""The demo `mask-bugs`: change the last tokens, and see which variant of a causal mask lets earlier rows know."""

from __future__ import annotations

import math
from collections.abc import Callable
from textwrap import indent

import torch
from torch import Tensor

from kernels import draw, show
from kernels.demos.attention_setting import BOOK_LABELS, BOOK_SCORES
from kernels.job import Job
from kernels.linked import linked
from kernels.mask_bugs import (
    ROUNDING,
    VARIANTS,
    Inputs,
    Variant,
    Verdict,
    every,
    judge,
    none,
    one,
    seen,
    stages,
)
from kernels.masks import causal_mask
from kernels.numerics import DTYPES, max_error
from kernels.numerics import draw as draw_inputs
from kernels.result import Block, Row
from kernels.words import counted


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: rows, mask, weights, early-rows, nan-rows, row-sums, first-row (where the variant holds),
    all-variants, book, book-sum, zero-over-zero, zero-over-zero-nan, fp16-fill, no-fp16-fill, code."""
    name = job.word("variant")
    before, after = inputs(job)
    (perturb,) = job.whole("perturb")
    verdicts = {each: judge(each, before, after, perturb) for each in VARIANTS}
    verdict = verdicts[name]
    return (
        _rows(verdict, perturb),
        _mask(name, len(verdict.change)),
        _weights(name, before, job.word("dtype")),
        *_checks(name, verdict, perturb, before[2]),
        _all(verdicts, perturb),
        *_book(),
        *_zero_over_zero(),
        *_fp16(),
        show.code(_snippet(job)),
    )


def inputs(job: Job) -> tuple[Inputs, Inputs]:
    """q, k, v [n, d_k] in float64, and the same with the last `perturb` tokens drawn anew."""
    n, perturb, d_k = job.whole("n", "perturb", "d_k")
    drawn = draw_inputs(
        job.seed, *[(n, d_k)] * 3, *[(perturb, d_k)] * 3, dtype=torch.float64, device=job.device
    )
    q, k, v = (torch.cat((old[:-perturb], new)) for old, new in zip(drawn[:3], drawn[3:], strict=True))
    return (drawn[0], drawn[1], drawn[2]), (q, k, v)


def _rows(verdict: Verdict, perturb: int) -> Block:
    n = len(verdict.change)
    sums = verdict.weights.sum(dim=-1).tolist()
    rows: list[Row] = [
        {"row": i, "before": i < n - perturb, "moved": change > ROUNDING, "change": change, "sum": sums[i]}
        for i, change in enumerate(verdict.change.tolist())
    ]
    cols = {
        "row": "Row",
        "before": "Comes before the change",
        "moved": "Moved",
        "change": "Largest change of its output",
        "sum": "Sum of its weights",
    }
    early = counted(n - perturb, "row")
    look_for = (
        f"Of {early} before the change {verdict.moved} moved, though what changed comes later."
        if verdict.moved
        else f"Of {early} before the change none moved."
    )
    title = "The last token changed" if perturb == 1 else f"The last {perturb} tokens changed"
    return show.table("rows", cols, rows, title=title, look_for=look_for)


def _mask(name: str, n: int) -> Block:
    look_for = {
        "triu-0": "The diagonal is hidden: the first row sees nothing.",
        "triu-2": "One diagonal too many is visible: each row but the last sees the token after it.",
        "inverted": "What should be hidden is visible, and the other way round.",
    }.get(name, "The mask itself is right: each row sees itself and what comes before it.")
    return draw.panel("mask", seen(name, n), title="What this way leaves visible", look_for=look_for)


def _weights(name: str, before: Inputs, dtype: str) -> Block:
    q, k, _ = (x.to(DTYPES[dtype]) for x in before)
    made = stages(name, q @ k.T / math.sqrt(q.size(-1)))
    n = len(q)
    labels = [[f"{side}{i}" for i in range(n)] for side in "qk"]
    scores = made.get("masked", made["scaled"]) if not name.startswith("after") else made["scaled"]
    data = linked(made, *labels, scores=scores, visible=causal_mask(n, n))
    look_for = VARIANTS[name].does
    if (name, dtype) == ("fill--1e9", "fp16"):
        look_for = "In fp16 masked_fill raises for -1e9; added to the scores, as here, it turns to -inf without a word."
    return Block("weights", data, "From scores to weights", look_for, "score", f"{' -> '.join(made)}.")


def _checks(name: str, verdict: Verdict, perturb: int, v: Tensor) -> list[Block]:
    """What this variant does, as figures that follow from the way it is written."""
    n, variant = len(v), VARIANTS[name]
    moved = variant.moved(n, perturb)
    blocks = [
        show.check("early-rows", _told(variant), verdict.moved, "=", moved),
        show.check("nan-rows", _nan_told(name), verdict.nan_rows, "=", variant.nan),
        _sums(name, verdict),
    ]
    if not moved and not variant.nan:
        claim = "The first row sees itself alone, so its output is exactly v[0]."
        blocks.append(show.check("first-row", claim, max_error(verdict.out[0], v[0]), "=", 0))
    return blocks


def _told(variant: Variant) -> str:
    return {
        none: "It keeps the future out: no row before the change moves.",
        one: "It leaks: the row right before the change moves, and no row before that.",
        every: "It leaks: every row before the change moves.",
    }[variant.moved]


def _nan_told(name: str) -> str:
    rows = {
        "triu-0": "The first row sees no key and is NaN",
        "inverted": "The last row sees no key and is NaN",
    }
    return f"{rows[name]}; no other row is." if name in rows else "No row is NaN."


def _sums(name: str, verdict: Verdict) -> Block:
    if name == "after-softmax":
        claim = (
            "The first row has lost the share of the keys that were hidden too late: it sums to less than 1."
        )
        return show.check("row-sums", claim, float(verdict.sums[0]), "<", 1)
    if name == "wrong-axis":
        columns = verdict.weights.sum(dim=0)
        return show.check(
            "row-sums", "The columns sum to 1, not the rows.", _worst(columns), "=", 1, ROUNDING
        )
    claim = "Every other row sums to 1." if VARIANTS[name].nan else "Every row sums to 1."
    return show.check("row-sums", claim, _worst(verdict.sums), "=", 1, ROUNDING)


def _worst(sums: Tensor) -> float:
    """The sum that is furthest from 1."""
    return float(sums[(sums - 1).abs().argmax()])


def _all(verdicts: dict[str, Verdict], perturb: int) -> Block:
    rows: list[Row] = [
        {
            "variant": name,
            "moved": verdict.moved,
            "hidden": verdict.hidden,
            "nan": verdict.nan_rows,
            "least": float(verdict.sums.min()),
            "most": float(verdict.sums.max()),
            "verdict": verdict.words,
            "why": VARIANTS[name].why,
        }
        for name, verdict in verdicts.items()
    ]
    early = len(verdicts["right"].change) - perturb
    cols = {
        "variant": "Way",
        "moved": f"Earlier rows that moved, of {early}",
        "hidden": "Largest weight of a later key",
        "nan": "NaN rows",
        "least": "Smallest row sum",
        "most": "Largest row sum",
        "verdict": "Verdict",
        "why": "Because",
    }
    look_for = "Rows that sum to 1 prove nothing: a fill of 0 gives perfect sums and reads the future."
    return show.table("all-variants", cols, rows, title="All ten on the same inputs", look_for=look_for)


def _book() -> list[Block]:
    """What the 4 x 4 sentence of the cards loses when the mask comes after the softmax."""
    scores = torch.tensor(BOOK_SCORES, dtype=torch.float64)
    sums = {when: _last(when, scores).sum(dim=-1).tolist() for when in ("right", "after-softmax")}
    rows: list[Row] = [
        {"row": word, "before": sums["right"][i], "after": sums["after-softmax"][i]}
        for i, word in enumerate(BOOK_LABELS)
    ]
    cols = {"row": "Row", "before": "Sum, masked before", "after": "Sum, masked after"}
    look_for = "The earlier the row, the more of its weight went to keys that it must not see."
    claim = "Masked after the softmax, the first row of the book's sentence keeps 0.568 of its weight."
    return [
        show.table("book", cols, rows, title="The 4 x 4 sentence", look_for=look_for),
        show.check("book-sum", claim, sums["after-softmax"][0], "=", 0.568, 5e-4),
    ]


def _last(name: str, scores: Tensor) -> Tensor:
    return list(stages(name, scores).values())[-1]


def _zero_over_zero() -> list[Block]:
    """Scores 0, 1, 120, the last one hidden: softmax first leaves two zeros to divide by their sum."""
    rows: list[Row] = []
    for way, dtype in (("before", "fp32"), ("after, renormalised", "fp32"), ("after, renormalised", "fp64")):
        scores = torch.tensor([0.0, 1.0, 120.0], dtype=DTYPES[dtype])
        hide = torch.tensor([False, False, True])
        if way == "before":
            weights = scores.masked_fill(hide, -math.inf).softmax(-1)
        else:
            left = scores.softmax(-1).masked_fill(hide, 0.0)
            weights = left / left.sum()
        rows.append({"masked": way, "dtype": dtype, **{f"w{i}": x for i, x in enumerate(weights.tolist())}})
    cols = {"masked": "Masked", "dtype": "Type", "w0": "Score 0", "w1": "Score 1", "w2": "Score 120, hidden"}
    look_for = "exp(-120) is 0 in fp32: the two keys that may be seen have no weight left to be made whole."
    claim = "Renormalised after the softmax in fp32, the scores 0, 1 and a hidden 120 give 0/0."
    got = rows[1]["w0"]
    assert isinstance(got, float)
    return [
        show.table("zero-over-zero", cols, rows, title="A hidden score that dominates", look_for=look_for),
        show.check("zero-over-zero-nan", claim, got, "=", math.nan),
    ]


def _fp16() -> list[Block]:
    """The ways to put -1e9 into fp16, whose largest number is 65,504."""

    def assign() -> Tensor:
        scores = torch.zeros(2).half()
        scores[0] = -1e9
        return scores

    scores, hide = torch.zeros(2).half(), torch.tensor([True, False])
    ways: dict[str, Callable[[], Tensor]] = {
        "scores.masked_fill(hide, -1e9)": lambda: scores.masked_fill(hide, -1e9),
        "torch.full((n, n), -1e9, dtype=torch.float16)": lambda: torch.full((2,), -1e9, dtype=torch.float16),
        "scores + hide.half() * -1e9": lambda: scores + hide.half() * -1e9,
        "scores[0] = -1e9": assign,
        "torch.tensor(-1e9).half()": lambda: torch.tensor([-1e9]).half(),
    }
    rows: list[Row] = [{"way": way, **_tried(call)} for way, call in ways.items()]
    cols = {"way": "Written as", "raises": "Raises an error", "value": "What stands there"}
    kept = sum(isinstance(value := row["value"], float) and math.isfinite(value) for row in rows)
    raised = sum(bool(row["raises"]) for row in rows)
    look_for = (
        f"{raised} of {len(rows)} raise an error; the others go on with another number than was written."
    )
    claim = "No way of writing it leaves -1e9 or any other finite number in fp16."
    return [
        show.table("fp16-fill", cols, rows, title="-1e9 in fp16", look_for=look_for),
        show.check("no-fp16-fill", claim, kept, "=", 0),
    ]


def _tried(call: Callable[[], Tensor]) -> Row:
    try:
        return {"raises": False, "value": float(call()[0])}
    except RuntimeError:
        return {"raises": True, "value": None}


def _snippet(job: Job) -> str:
    n, perturb, d_k = job.whole("n", "perturb", "d_k")
    variant = VARIANTS[job.word("variant")]
    return f"""import math
import torch

n, d_k, changed = {n}, {d_k}, {perturb}
g = torch.Generator().manual_seed({job.seed})
before = [torch.randn(n, d_k, generator=g).double() for _ in range(3)]  # q, k, v
after = [torch.cat((x[:-changed], torch.randn(changed, d_k, generator=g).double())) for x in before]


def attend(q, k, v):
    scores = q @ k.T / math.sqrt(d_k)
{indent(variant.code, "    ")}
    return weights @ v


change = (attend(*after) - attend(*before)).abs().amax(-1)
print([f"{{x:.1e}}" for x in change.tolist()])  # row by row: the first n - changed should be 0
"""

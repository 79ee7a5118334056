"""Ten ways to apply a causal mask, and how to tell by their output which of them let the future in.

The test is the one to name in an interview: change the last tokens, run again, and see which earlier rows move. It is
judged in float64, where rounding neither hides a leak nor looks like one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from kernels.masks import causal_mask

ROUNDING = 1e-12
"""What float64 may move an output that is the same in exact arithmetic; every leak is larger by far."""

Inputs = tuple[Tensor, Tensor, Tensor]
"""q, k, v, each [n, d_k]."""

HIDE = "hide = torch.ones_like(scores, dtype=torch.bool).triu({})\n"
BEFORE = HIDE.format(1) + "weights = scores.masked_fill(hide, {}).softmax(-1)"
AFTER = HIDE.format(1) + "weights = scores.softmax(-1).masked_fill(hide, 0.0)"
INF = 'float("-inf")'


class Variant(NamedTuple):
    """does says in a sentence what comes of it, why in a few words the reason, code is its lines of PyTorch.

    moved(n, p) is how many of the n - p earlier rows move when the last p tokens change; nan how many rows are NaN.
    unless says of a way that keeps the future out, and is not the right one, where it fails.
    """

    does: str
    why: str
    code: str
    moved: Callable[[int, int], int]
    nan: int = 0
    unless: str = ""


def none(_: int, __: int) -> int:
    """No earlier row moves."""
    return 0


def one(_: int, __: int) -> int:
    """The row right before the change moves."""
    return 1


def every(n: int, p: int) -> int:
    """All earlier rows move."""
    return n - p


VARIANTS: Mapping[str, Variant] = {
    "right": Variant(
        "Hidden scores become -inf, and exp(-inf) is exactly 0: no later token has a part in an earlier row.",
        "exp(-inf) = 0",
        BEFORE.format(INF),
        none,
    ),
    "fill-0": Variant(
        "Hidden scores become 0, and exp(0) is 1: a hidden key weighs as much as one with a score of 0.",
        "exp(0) = 1",
        BEFORE.format("0.0"),
        every,
    ),
    "fill--10": Variant(
        "Hidden scores become -10, and exp(-10) is 4.5e-5: small, but it is there.",
        "exp(-10) = 4.5e-5",
        BEFORE.format("-10.0"),
        every,
    ),
    "fill--1e9": Variant(
        "Hidden scores become -1e9, whose exp is 0 in every type that can hold the number; fp16 cannot.",
        "exp underflows to 0; fp16 cannot hold -1e9",
        BEFORE.format("-1e9"),
        none,
        unless="not in fp16",
    ),
    "after-softmax": Variant(
        "Hidden weights become 0 after the softmax: their scores still stand in the denominator.",
        "the denominator counts hidden keys",
        AFTER,
        every,
    ),
    "after-renormalised": Variant(
        "Dividing by what is left makes the rows whole again, until what is left is 0.",
        "the same algebra, but 0/0 where a hidden score dominates",
        AFTER + "\nweights = weights / weights.sum(-1, keepdim=True)",
        none,
        unless="not where a hidden score dominates",
    ),
    "wrong-axis": Variant(
        "The softmax runs over the queries: every column sums to 1, and later queries stand in its denominator.",
        "columns are normalised over later queries",
        BEFORE.format(INF).replace("softmax(-1)", "softmax(-2)"),
        every,
    ),
    "triu-0": Variant(
        "triu(0) hides the diagonal, too: no token sees itself, and the first one sees nothing at all.",
        "row 0 sees nothing: 0/0",
        BEFORE.format(INF).replace("triu(1)", "triu(0)"),
        none,
        1,
    ),
    "triu-2": Variant(
        "triu(2) starts one too late: every token sees the one after it, which it is trained to predict.",
        "each row sees one token ahead",
        BEFORE.format(INF).replace("triu(1)", "triu(2)"),
        one,
    ),
    "inverted": Variant(
        "The mask is read the other way round: every token sees only what comes after it, the last one nothing.",
        "each row sees the future alone; the last sees nothing: 0/0",
        BEFORE.format(INF).replace("(hide", "(~hide"),
        every,
        1,
    ),
}


def seen(name: str, n: int) -> Tensor:
    """What the variant leaves visible, rightly or not: bool [n, n]."""
    if name == "inverted":
        return ~causal_mask(n, n)
    if name in ("triu-0", "triu-2"):
        return ~torch.ones(n, n, dtype=torch.bool).triu(int(name[-1]))
    return causal_mask(n, n)


def stages(name: str, scores: Tensor) -> dict[str, Tensor]:
    """From scaled scores [n, n] to weights, as the variant computes them; the last stage is what multiplies v.

    fp16 has no -1e9 and masked_fill raises there, so it is added instead, and becomes -inf without a word.
    """
    hide = ~seen(name, scores.size(-1)).to(scores.device)
    if name.startswith("after"):
        weights = scores.softmax(-1)
        left = weights.masked_fill(hide, 0.0)
        made = {"scaled": scores, "softmax": weights, "masked": left}
        return made | ({"renormalised": left / left.sum(-1, keepdim=True)} if name.endswith("ed") else {})
    if name == "fill--1e9" and scores.dtype == torch.float16:
        masked = scores + hide.half() * -1e9
    else:
        masked = scores.masked_fill(hide, float(name[5:]) if name.startswith("fill") else -math.inf)
    axis, title = (-2, "softmax over queries") if name == "wrong-axis" else (-1, "softmax")
    return {"scaled": scores, "masked": masked, title: masked.softmax(axis)}


class Verdict(NamedTuple):
    """What a variant does to the output: change [n] by row, moved among the earlier rows, the weights [n, n].

    unless is the variant's.
    """

    change: Tensor
    moved: int
    weights: Tensor
    out: Tensor
    unless: str = ""

    @property
    def nan_rows(self) -> int:
        return int(self.weights.isnan().any(dim=-1).sum())

    @property
    def hidden(self) -> float:
        """The largest weight of a key that comes after its query."""
        return float(self.weights.nan_to_num(0.0).triu(1).max())

    @property
    def sums(self) -> Tensor:
        """Sums of the rows that are no NaN."""
        return self.weights[~self.weights.isnan().any(dim=-1)].sum(dim=-1)

    @property
    def words(self) -> str:
        """What is wrong in a few words; "holds" if nothing is, "holds here, not in fp16" if other inputs show it."""
        whole = bool(((self.sums - 1).abs() <= ROUNDING).all())
        faults = {"leaks": self.moved > 0, "rows do not sum to 1": not whole, "NaN": self.nan_rows > 0}
        found = ", ".join(name for name, there in faults.items() if there)
        return found or (f"holds here, {self.unless}" if self.unless else "holds")


def judge(name: str, before: Inputs, after: Inputs, changed: int) -> Verdict:
    """Runs the variant on both inputs, which differ in the last `changed` tokens, and compares. All in float64.

    A row that is NaN both times has not moved.
    """
    (weights, out), (_, other) = (_attend(name, inputs) for inputs in (before, after))
    same = (out == other) | (out.isnan() & other.isnan())
    change = torch.where(same, 0.0, (out - other).abs()).amax(dim=-1)
    early = change[: len(change) - changed]
    return Verdict(change, int((early > ROUNDING).sum()), weights, out, VARIANTS[name].unless)


def _attend(name: str, inputs: Inputs) -> tuple[Tensor, Tensor]:
    q, k, v = inputs
    weights = list(stages(name, q @ k.T / math.sqrt(q.size(-1))).values())[-1]
    return weights, weights @ v

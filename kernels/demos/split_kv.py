"""The demo `split-kv`: parts of a softmax merged by their log-sum-exps, in PyTorch and in our Triton kernels."""

from __future__ import annotations

import inspect
import re
from typing import NamedTuple

import torch
from torch import Tensor

from kernels import decode as kernel
from kernels.attention import Output
from kernels.entries.split_kv import rows, tile
from kernels.job import Job
from kernels.numerics import (
    DTYPES,
    draw,
    finite_max,
    lse_rounding,
    max_error,
    score_rounding,
    twice_rule,
)
from kernels.result import Block, Code, Dim, Row, Shapes, Step
from kernels.show import check, code, note, table
from kernels.split_kv import MOST_SPLITS, Plan, attend, choose_splits, merge, merge_weights, plan
from kernels.words import counted

ALWAYS = (1, 2, 4, 8)
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128)


class Inputs(NamedTuple):
    """q [h_kv, group, d], one new token whose heads of a group stand as rows; k, v [h_kv, n_kv, d]; all float32."""

    q: Tensor
    k: Tensor
    v: Tensor

    @property
    def scale(self) -> float:
        return float(self.q.size(-1) ** -0.5)

    def double(self) -> Inputs:
        return Inputs(*(x.double() for x in self))

    def parts(self, splits: int) -> Output:
        """Each split by itself: o [splits, h_kv, group, d], lse [splits, h_kv, group]."""
        n_kv, d = self.k.shape[1:]
        cuts = plan(1, n_kv, bn=tile(d), splits=splits).ranges(n_kv)
        found = [attend(self.q, self.k[:, a:b], self.v[:, a:b], self.scale) for a, b in cuts]
        return Output(torch.stack([part.o for part in found]), torch.stack([part.lse for part in found]))


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: shapes, parts, weights-sum, merge-exact, splits, bits, kernel, kernel-lse, load, why, merge-kernel,
    code."""
    n_kv, splits, h_q, h_kv, d = job.whole("n_kv", "splits", "h_q", "h_kv", "d")
    kv = (h_kv, n_kv, d)
    drawn = draw(job.seed, (h_q, 1, d), kv, kv, dtype=DTYPES["fp32"], device=job.device)
    x = Inputs(drawn[0].view(h_kv, h_q // h_kv, d), drawn[1], drawn[2])
    job.progress(0.2, "One pass in float64")
    double = x.double()
    wanted = attend(*double, double.scale)
    return (
        _shapes(job),
        *_parts(double, wanted, splits),
        *_splits(x, wanted, splits),
        *_kernel(job, x, wanted, splits),
        _load(n_kv, h_kv, d),
        _why(),
        _merge_kernel(),
        code(_snippet(job)),
    )


def _shapes(job: Job) -> Block:
    n_kv, splits, h_q, h_kv, d = job.whole("n_kv", "splits", "h_q", "h_kv", "d")
    chunk = Dim(plan(1, n_kv, bn=tile(d), splits=splits).chunk, "keys of a split")
    heads, cut, width = Dim(h_q, "h_q"), Dim(splits, "splits"), Dim(d, "d")
    shared = Dim(h_kv, "h_kv" if h_kv == h_q else f"{h_kv}->{h_q}")
    steps = (
        Step("q", (heads, Dim(1, "n_q"), width), "q", ""),
        Step("kᵢ", (cut, shared, chunk, width), "k", "cut"),
        Step("vᵢ", (cut, shared, chunk, width), "v", "cut"),
        Step("oᵢ", (cut, heads, Dim(1, "n_q"), width), "", "attention over split i"),
        Step("lseᵢ", (cut, heads, Dim(1, "n_q")), "score", "log sum exp of split i"),
        Step("o", (heads, Dim(1, "n_q"), width), "", "Σ exp(lseᵢ − LSE) · oᵢ"),
    )
    look_for = "Beside its output, a split hands on one number a head: that is all a softmax over a part must remember."
    data = Shapes(steps, tuple(i // (h_q // h_kv) for i in range(h_q)))
    return Block("shapes", data, title="Shapes", look_for=look_for)


def _parts(x: Inputs, wanted: Output, splits: int) -> list[Block]:
    """In float64: what each split found for head 0, what it counts for, and that the merge is exact."""
    n_kv, d = x.k.shape[1:]
    shared: Plan = plan(1, n_kv, bn=tile(d), splits=splits)
    parts = x.parts(splits)
    merged = merge(parts.o, parts.lse)
    weights = merge_weights(parts.lse, merged.lse)
    found: list[Row] = [
        {"split": i, "start": a, "end": b, "keys": b - a,
         "lse": float(parts.lse[i, 0, 0]), "weight": float(weights[i, 0, 0])}
        for i, (a, b) in enumerate(shared.ranges(n_kv))
    ]  # fmt: skip
    empty = sum(row["keys"] == 0 for row in found)
    look_for = f"LSE = {float(merged.lse[0, 0]):.6f}, and each weight is exp(lse - LSE)."
    if empty:
        look_for += f" {counted(empty, 'split has', 'splits have')} no key: lse -inf, weight 0."
    cols = {
        "split": "Split",
        "start": "From key",
        "end": "to before",
        "keys": "Keys",
        "lse": "log-sum-exp",
        "weight": "Weight",
    }
    total = max_error(weights.sum(dim=0), torch.ones_like(merged.lse))
    error = max(max_error(merged.o, wanted.o), max_error(merged.lse, wanted.lse))
    return [
        table("parts", cols, found, title="What each split found, head 0", look_for=look_for),
        check(
            "weights-sum", "The weights of the splits sum to 1 for every head.", 1 + total, "=", 1.0, 1e-12
        ),
        check(
            "merge-exact",
            "Merged, the splits are one pass over all keys (in float64).",
            error,
            "=",
            0.0,
            1e-12,
        ),
    ]


def _splits(x: Inputs, wanted: Output, splits: int) -> list[Block]:
    """In float32: how far the merged outputs are from one pass, and whether they have its bits."""
    one = x.parts(1).o[0]
    found: list[Row] = []
    for n in sorted({*ALWAYS, splits}):
        o = merge(*x.parts(n)).o
        found.append(
            {
                "splits": n,
                "apart": max_error(o, one),
                "same_bits": torch.equal(o, one),
                "error": max_error(o, wanted.o),
            }
        )
    others = [row for row in found if row["splits"] != 1]
    changed = sum(not row["same_bits"] for row in others)
    if changed == len(others):
        look_for = "Every split run differs from one pass in its last bits, and none is wrong."
    elif changed:
        differ = f"{changed} of {len(others)} split runs differ{'s' * (changed == 1)}"
        look_for = f"{differ} from one pass in the last bits, and none is wrong."
    else:
        look_for = "All have the bits of one pass here; with more keys the order of adding shows."
    cols = {
        "splits": "Splits",
        "apart": "Apart from one pass",
        "same_bits": "Same bits",
        "error": "Error against float64",
    }
    tol = score_rounding(x.q, x.k, x.scale) * finite_max(x.v)
    worst = max(float(row["error"] or 0) for row in found)
    claim = "However the keys are split, the error in float32 stays within what rounding explains."
    return [
        table(
            "splits", cols, found, title="The same query, split differently, in float32", look_for=look_for
        ),
        check("bits", claim, worst, "<=", tol),
    ]


def _kernel(job: Job, x: Inputs, wanted: Output, splits: int) -> list[Block]:
    """Our Triton kernels on the same inputs, against float64."""
    job.progress(0.4, "Interpreting the kernels" if job.interpreter else "Compiling and running the kernels")
    h_kv, group, d = x.q.shape
    setting = kernel.Tile(min(rows(job.params), kernel.ROWS_MAX), tile(d), 4, 1)
    q, k, v = x.q.reshape(1, h_kv * group, 1, d), x.k[None], x.v[None]
    got = kernel.decode(q, k, v, splits=splits, setting=setting)
    o, lse = got.o.view(h_kv, group, d), got.lse.view(h_kv, group)
    plain = x.parts(1).o[0]
    rule = twice_rule(o, plain, wanted.o, score_rounding(x.q, x.k, x.scale) * finite_max(x.v))
    claim = (
        f"Our Triton kernels with {counted(splits, 'split')} err at most twice as much as plain PyTorch, "
        "with room for rounding in float32."
    )
    tol = lse_rounding(x.q, x.k, x.scale, wanted.lse)
    return [
        check("kernel", claim, rule.error, "<=", rule.limit),
        check(
            "kernel-lse",
            "Their merged log-sum-exp is that of one pass.",
            max_error(lse, wanted.lse),
            "=",
            0.0,
            tol,
        ),
    ]


def _load(n_kv: int, h_kv: int, d: int) -> Block:
    """How many splits our heuristic chooses for this request in batches of different sizes."""
    sms, tiles = kernel.MULTIPROCESSORS, -(-n_kv // tile(d))
    found: list[Row] = []
    for batch in BATCHES:
        programs = batch * h_kv
        chosen = choose_splits(programs, tiles, sms)
        found.append(
            {"batch": batch, "programs": programs, "busy": min(programs / sms, 1.0), "splits": chosen,
             "busy_split": min(programs * chosen / sms, 1.0)}
        )  # fmt: skip
    cols = {
        "batch": "Requests in the batch",
        "programs": "Programs unsplit",
        "busy": f"Of {sms} multiprocessors",
        "splits": "Splits chosen",
        "busy_split": "Of them, split",
    }
    kinds = len({row["splits"] for row in found})
    look_for = (
        f"The same request is cut in {kinds} ways, depending on how many others are in its batch: so are its last bits."
        if kinds > 1
        else "This cache is cut alike in every batch."
    )
    look_for += (
        f" By the rules of the kernels here, which are FlashAttention's: no more splits than the "
        f"{counted(tiles, 'tile')} of keys, and at most {MOST_SPLITS}."
    )
    title = f"Splits that the kernels' own rules choose, on {sms} multiprocessors"
    return table("load", cols, found, title=title, look_for=look_for)


def _why() -> Block:
    return note(
        "why",
        "Why can two identical requests differ at temperature 0? Sums in floating point depend on their order, and the "
        "order on how many splits (or how large a batch, or which chunk) a kernel was given. Two logits that nearly "
        "tie are then enough for another token. Batch-invariant kernels fix the split size, at some cost in speed.",
        title="Two identical requests",
    )


def _merge_kernel() -> Block:
    text = re.sub(r"  # (type: ignore|fmt: ).*", "", inspect.getsource(kernel.combine.fn))
    look_for = "The splits are added in their order: the same splits give the same bits on every run."
    return Block(
        "merge-kernel", Code("python", text), title="The second kernel: the merge", look_for=look_for
    )


def _snippet(job: Job) -> str:
    n_kv, splits, h_q, h_kv, d = job.whole("n_kv", "splits", "h_q", "h_kv", "d")
    bn = tile(d)
    counts = sorted({*ALWAYS, splits})
    return f"""import torch

g = torch.Generator().manual_seed({job.seed})
q = torch.randn({h_q}, 1, {d}, generator=g)
k, v = (torch.randn({h_kv}, {n_kv}, {d}, generator=g) for _ in range(2))
q = q.view({h_kv}, {h_q // h_kv}, {d})  # the query heads of a group are rows of one tile


def split(n):
    chunk = -(-{n_kv} // ({bn} * n)) * {bn}  # whole tiles of {bn} keys
    parts = []
    for k_i, v_i in zip(k.split(chunk, 1), v.split(chunk, 1)):
        s = q @ k_i.mT * {d} ** -0.5
        lse_i = s.logsumexp(-1)
        parts.append(((s - lse_i[..., None]).exp() @ v_i, lse_i))
    o, lse = (torch.stack(x) for x in zip(*parts))
    whole = lse.logsumexp(0)
    return ((lse - whole).exp()[..., None] * o).sum(0), whole


one, _ = split(1)
apart = {{n: float((split(n)[0] - one).abs().max()) for n in {counts}}}
same_bits = {{n: torch.equal(split(n)[0], one) for n in {counts}}}
print(apart, same_bits)
"""

"""The demo `precision`: error against float64 by type and by way, what fp32 inside is worth, and fp16's overflow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from kernels import show
from kernels.attention import Rules, attention, reference
from kernels.job import Job
from kernels.masks import causal_mask
from kernels.numerics import DTYPES, finite_max, max_error, score_rounding, twice_rule
from kernels.numerics import draw as draw_inputs
from kernels.result import Block, Row
from kernels.sdpa import sdpa, sdpa_math

TYPES = ("fp32", "bf16", "fp16")
PLAIN, FUSED, MATH = "plain", "F.sdpa", "F.sdpa, MATH"
HEAD = 128
"""The head size of the overflow: that of the Llama models."""


class Setting(NamedTuple):
    """One head in one type, and its output in float64 for inputs as rounded to that type."""

    q: Tensor
    k: Tensor
    v: Tensor
    causal: bool

    @property
    def scale(self) -> float:
        return 1 / math.sqrt(self.q.size(-1))

    @property
    def visible(self) -> Tensor | None:
        n = len(self.q)
        return causal_mask(n, n, device=str(self.q.device)) if self.causal else None

    def wanted(self) -> Tensor:
        q, k, v = (x[None] for x in (self.q, self.k, self.v))
        return reference(q, k, v, self.scale, self.visible)[0][0]

    def plain(self) -> Tensor:
        q, k, v = (x[None] for x in (self.q, self.k, self.v))
        return attention(q, k, v, Rules(self.scale, self.visible))[0]

    def fused(self) -> Tensor:
        return sdpa(self.q, self.k, self.v, causal=self.causal)

    def math(self) -> Tensor:
        return sdpa_math(self.q, self.k, self.v, causal=self.causal)

    def first(self, n: int) -> Setting:
        """The same with the first n tokens alone."""
        return self._replace(q=self.q[:n], k=self.k[:n], v=self.v[:n])


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: errors, twice-fp32, twice-bf16, twice-fp16, atol-fp32, atol-bf16, atol-fp16, by-length, kept,
    fp32-softmax, fp32-inside, overflow, raw-fp16, prescaled-fp16, code."""
    settings = {dtype: _setting(job, dtype) for dtype in TYPES}
    return (
        *_errors(settings),
        _by_length(settings),
        *_kept(settings["bf16"]),
        *_overflow(float(job.params["entry"])),
        show.code(_snippet(job)),
    )


def _setting(job: Job, dtype: str) -> Setting:
    n, d_k = job.whole("n", "d_k")
    q, k, v = draw_inputs(job.seed, *[(n, d_k)] * 3, dtype=DTYPES[dtype], device=job.device)
    return Setting(q, k, v, job.flag("causal"))


def _errors(settings: Mapping[str, Setting]) -> list[Block]:
    rows: list[Row] = []
    checks: list[Block] = []
    for dtype, s in settings.items():
        wanted, plain = s.wanted(), s.plain()
        outputs = {PLAIN: plain, FUSED: s.fused(), MATH: s.math()}
        eps, of_plain = torch.finfo(s.q.dtype).eps, max_error(plain, wanted)
        for way, out in outputs.items():
            error = max_error(out, wanted)
            rows.append(
                {
                    "dtype": dtype,
                    "way": way,
                    "error": error,
                    "steps": error / eps,
                    "ratio": error / of_plain if of_plain else None,
                    "same_bits": None if way == PLAIN else torch.equal(out, plain),
                }
            )
        rounding = score_rounding(s.q, s.k, s.scale) * finite_max(s.v)
        rule = twice_rule(outputs[FUSED], plain, wanted, rounding)
        claim = (
            f"In {dtype}, F.sdpa is off by at most twice what plain attention is, with room for one rounding of the "
            "output and for float32 sums."
        )
        checks.append(show.check(f"twice-{dtype}", claim, rule.error, "<=", rule.limit))
    cols = {
        "dtype": "Type",
        "way": "Computed by",
        "error": "Largest error against float64",
        "steps": "in steps of the type at 1",
        "ratio": "of plain attention's",
        "same_bits": "Same bits as plain",
    }
    table = show.table("errors", cols, rows, title="Against float64", look_for=_bits(rows))
    return [table, *checks, *_tolerance(rows)]


def _bits(rows: list[Row]) -> str:
    same = sum(row["same_bits"] is True for row in rows)
    if same:
        return f"{same} of {len(rows) - len(TYPES)} outputs of F.sdpa happen to have plain attention's bits."
    return (
        "The same formula added up in another order: close to float64 by each way, and the same bits by none."
    )


def _tolerance(rows: list[Row]) -> list[Block]:
    """Whether a test with atol=1e-5 would pass for F.sdpa."""
    errors = {row["dtype"]: row["error"] for row in rows if row["way"] == FUSED}
    checks = []
    for dtype in TYPES:
        error = errors[dtype]
        assert isinstance(error, float)
        passes = dtype == "fp32"
        claim = (
            "atol=1e-5 holds in fp32."
            if passes
            else f"In {dtype} it does not, though nothing is wrong there."
        )
        checks.append(show.check(f"atol-{dtype}", claim, error, "<=" if passes else ">", 1e-5))
    return checks


def _by_length(settings: Mapping[str, Setting]) -> Block:
    n = len(settings["fp32"].q)
    lengths = [m for m in (2**i for i in range(4, 9)) if m < n] + [n]
    ys: dict[str, list[float]] = {}
    for dtype in ("fp32", "bf16"):
        parts = [settings[dtype].first(m) for m in lengths]
        wanted = [part.wanted() for part in parts]
        for way, call in ((PLAIN, Setting.plain), (FUSED, Setting.fused)):
            errors = [_rms(call(part), right) for part, right in zip(parts, wanted, strict=True)]
            ys[f"{dtype}, {way}"] = errors
    look_for = "Four curves in two bands: the type decides the error, far more than the way or the length."
    return show.curves("by-length", lengths, ys, title="Root mean square error by length", x_label="tokens", log=True,
                       look_for=look_for)  # fmt: skip


def _rms(got: Tensor, wanted: Tensor) -> float:
    return float((got.double() - wanted).square().mean().sqrt())


def _kept(s: Setting) -> list[Block]:
    """bf16 inputs, and more and more of what lies between them and the output kept in fp32."""
    hidden = None if s.visible is None else ~s.visible

    def weights(scores: Tensor) -> Tensor:
        return (scores if hidden is None else scores.masked_fill(hidden, -math.inf)).softmax(dim=-1)

    low = s.q @ s.k.T * s.scale
    high = s.q.float() @ s.k.T.float() * s.scale
    outputs = {
        "nothing": weights(low) @ s.v,
        "the softmax, of bf16 scores": weights(low.float()).bfloat16() @ s.v,
        "scores and softmax": weights(high).bfloat16() @ s.v,
        "scores, softmax and weights": (weights(high) @ s.v.float()).bfloat16(),
    }
    wanted = s.wanted()
    rows: list[Row] = [
        {"kept": kept, "error": max_error(out, wanted), "rms": _rms(out, wanted)}
        for kept, out in outputs.items()
    ]
    cols = {"kept": "Kept in fp32", "error": "Largest error", "rms": "Root mean square error"}
    none, softmax, scores, everything = (float(row["rms"] or 0) for row in rows)
    step = torch.finfo(torch.bfloat16).eps * finite_max(s.v)
    moved = max_error(outputs["the softmax, of bf16 scores"], outputs["nothing"])
    return [
        show.table("kept", cols, rows, title="bf16 inputs: what is kept in fp32", look_for=_worth(none, scores)),
        show.check("fp32-softmax",
                   "PyTorch's softmax is fp32 inside: to ask for it moves no output by more than a step.",
                   moved, "<=", step),
        show.check("fp32-inside", "With all of it in fp32 and the output alone rounded, bf16 is as close as it can be.",
                   everything, "<=", min(none, softmax, scores) * (1 + 1e-3)),
    ]  # fmt: skip


def _worth(none: float, scores: float) -> str:
    """Root mean square errors with nothing in fp32, and with scores and softmax in it."""
    if scores < none:
        return f"Scores kept in fp32 divide the error by {none / scores:.1f}: what costs digits is to round the scores."
    return "With so few numbers the rounding of scores and that of weights happen to cancel here."


def _overflow(entry: float) -> list[Block]:
    """128 entries of one size: q · k before the scale, and with q scaled first."""
    rows: list[Row] = []
    for name in ("fp16", "bf16", "fp32"):
        q = torch.full((1, HEAD), entry, dtype=DTYPES[name])
        product = q @ q.T
        exact = float(q[0, 0].double()) ** 2 * HEAD
        figures = (product, product / math.sqrt(HEAD), q * (1 / math.sqrt(HEAD)) @ q.T)
        before, late, first = (float(x[0, 0]) for x in figures)
        rows.append(
            {"dtype": name, "raw": before, "late": late, "early": first, "exact": exact / math.sqrt(HEAD)}
        )
    cols = {
        "dtype": "Type",
        "raw": "q · k",
        "late": "divided by sqrt(128) afterwards",
        "early": "q scaled first",
        "exact": "float64",
    }
    raw, early, exact = (float(rows[0][name] or 0) for name in ("raw", "early", "exact"))
    eps = torch.finfo(torch.float16).eps
    if math.isinf(raw):
        look_for = "fp16 ends at 65,504: the product is inf before the scale can help, so q is scaled first."
        check = show.check(
            "raw-fp16", "In fp16 the product overflows before it is scaled.", raw, "=", math.inf
        )
    else:
        look_for = (
            "This product still fits into fp16, which ends at 65,504; from an entry of 22.62 on it does not."
        )
        whole = exact * math.sqrt(HEAD)
        check = show.check("raw-fp16", "In fp16 this product still fits.", raw, "=", whole, 2 * eps * whole)
    return [
        show.table("overflow", cols, rows, title=f"128 entries of {entry:g}", look_for=look_for),
        check,
        show.check("prescaled-fp16", "With q scaled first, fp16 holds the score but for rounding.",
                   early, "=", exact, 2 * eps * exact),
    ]  # fmt: skip


def _snippet(job: Job) -> str:
    n, d_k = job.whole("n", "d_k")
    hide = f"torch.ones({n}, {n}, dtype=torch.bool).triu(1)" if job.flag("causal") else "torch.tensor(False)"
    return f"""import math
import torch
from torch.nn import functional as F

hide = {hide}
errors = {{}}
for dtype in (torch.float32, torch.bfloat16, torch.float16):
    g = torch.Generator().manual_seed({job.seed})
    q, k, v = (torch.randn(1, 1, {n}, {d_k}, generator=g).to(dtype) for _ in range(3))

    def plain(q, k, v):
        return (q @ k.mT * (1 / math.sqrt({d_k}))).masked_fill(hide, -math.inf).softmax(-1) @ v

    exact = plain(q.double(), k.double(), v.double())
    fused = F.scaled_dot_product_attention(q, k, v, is_causal={job.flag("causal")})
    errors[dtype] = [float((out.double() - exact).abs().max()) for out in (plain(q, k, v), fused)]

q = torch.full((1, 128), {job.params["entry"]}, dtype=torch.float16)
scores = float(q @ q.T), float(q * (1 / math.sqrt(128)) @ q.T)  # before the scale; q scaled first
print(errors, scores)
"""

"""The demo `blind-rows`: a query that may see no key, and a NaN in a value that no earlier query may see."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from kernels import draw, show
from kernels.attention import Rules, attention
from kernels.blind_rows import WAYS, Outcome, outcome
from kernels.job import Job
from kernels.masks import causal_mask
from kernels.numerics import DTYPES, finite_max
from kernels.numerics import draw as draw_inputs
from kernels.result import Block, Row
from kernels.sdpa import sdpa, sdpa_math
from kernels.words import counted

HEAD = 64
LENGTHS = (64, 128, 256, 512, 768, 1024, 1536)
DEFAULT, MATH = "F.sdpa, is_causal", "F.sdpa, is_causal, MATH"


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: mask, blind, hand-written-nan, finite-fill-mean, safe-zeros, added-gradient, clean-gradient, nan-value,
    all-rows-nan, cleaned, by-length, code."""
    (n_kv,) = job.whole("n_kv")
    dtype = DTYPES[job.word("dtype")]
    q, k, pull = draw_inputs(job.seed, (2, HEAD), (n_kv, HEAD), (2, HEAD), dtype=dtype, device=job.device)
    visible = torch.tensor([False, True], device=job.device)[:, None].expand(2, n_kv)
    outcomes = {name: _tried(name, q, k, visible, pull) for name in WAYS}
    return (
        _mask(visible),
        _blind(outcomes, n_kv),
        *_blind_checks(outcomes, n_kv, dtype),
        *_nan_value(job, dtype),
        _by_length(job),
        show.code(_snippet(job)),
    )


def _tried(name: str, q: Tensor, k: Tensor, visible: Tensor, pull: Tensor) -> Outcome | None:
    """None where PyTorch refuses the fill because the dtype cannot hold it."""
    try:
        return outcome(name, q, k, visible, pull)
    except RuntimeError as error:
        if "without overflow" not in str(error):
            raise
        return None


def _mask(visible: Tensor) -> Block:
    look_for = "The first query sees nothing: a row of padding, or a mask aligned to the wrong corner."
    return draw.panel("mask", visible, title="A row that sees nothing", look_for=look_for)


def _blind(outcomes: dict[str, Outcome | None], n_kv: int) -> Block:
    rows: list[Row] = []
    for way, made in outcomes.items():
        if made is None:
            rows.append({"way": way, "result": "RuntimeError", "least": None, "most": None, "gradient": None})
            continue
        bad = made.nan_gradients
        told = None if bad is None else ", ".join(bad) or "none"
        least, most = (float(x) for x in (made.weights.min(), made.weights.max()))
        rows.append({"way": way, "result": made.words, "least": least, "most": most, "gradient": told})
    cols = {
        "way": "Way",
        "result": "Its output is",
        "least": "Smallest weight",
        "most": "Largest weight",
        "gradient": "NaN in the gradient of",
    }
    look_for = (
        "A clean output is half of it: -inf added to the scores leaves NaN in the gradients of q and k, and an output "
        "cleaned at the end leaves it in that of v."
    )
    return show.table(
        "blind", cols, rows, title=f"The blind query over {counted(n_kv, 'key')}", look_for=look_for
    )


def _blind_checks(outcomes: dict[str, Outcome | None], n_kv: int, dtype: torch.dtype) -> list[Block]:
    def made(way: str) -> Outcome:
        found = outcomes[way]
        assert found is not None
        return found

    hand, mean = made("-inf, softmax"), made("finfo.min, softmax")
    added = made("-inf added, softmax, hidden weights set to 0")
    clean = made("finfo.min, softmax, hidden weights set to 0")
    off = finite_max(mean.weights.double() - 1 / n_kv)
    safe = made("kernels.attention.softmax")
    return [
        show.check("hand-written-nan", "By hand, softmax over nothing but -inf is 0/0.",
                   float(hand.weights[0]), "=", math.nan),
        show.check("finite-fill-mean", "With a finite fill the blind query reads the mean of all hidden values.",
                   off, "=", 0, torch.finfo(dtype).eps),
        show.check("safe-zeros", "A softmax that gives such a row zeros, as fused kernels do, lets it read nothing.",
                   finite_max(safe.weights), "=", 0),
        show.check("added-gradient", "-inf added, hidden weights set to 0: the gradients of q and k, two, hold NaN.",
                   len(added.nan_gradients or ()), "=", 2),
        show.check("clean-gradient", "A finite fill, hidden weights set to 0: no gradient holds NaN.",
                   len(clean.nan_gradients or ()), "=", 0),
    ]  # fmt: skip


def _nan_value(job: Job, dtype: torch.dtype) -> list[Block]:
    """How many rows of a causal sequence are NaN when its last value is."""
    (n,) = job.whole("n")
    q, k, v = _spoiled(job, n, dtype)
    visible = causal_mask(n, n, device=job.device)
    rules = Rules(1 / math.sqrt(HEAD), visible)
    outputs = {
        "plain": attention(q[None], k[None], v[None], rules)[0],
        DEFAULT: sdpa(q, k, v, causal=True),
        "F.sdpa, boolean mask": sdpa(q, k, v, visible),
        MATH: sdpa_math(q, k, v, causal=True),
        "plain, NaN in v set to 0 first": attention(q[None], k[None], v.nan_to_num(0.0)[None], rules)[0],
    }
    counts = {way: nan_rows(out) for way, out in outputs.items()}
    rows: list[Row] = [{"way": way, "nan": count, "share": count / n} for way, count in counts.items()]
    cols = {"way": "Way", "nan": f"NaN rows of {n:,}", "share": "Share"}
    claim = f"One of {n:,} rows may see the NaN; by hand all are NaN, since 0 times NaN is NaN."
    return [
        show.table("nan-value", cols, rows, title="A NaN in the last value", look_for=_spread(counts[DEFAULT], n)),
        show.check("all-rows-nan", claim, counts["plain"], "=", n),
        show.check("cleaned", "The values, not the weights, must be cleaned: then no row is NaN.",
                   counts["plain, NaN in v set to 0 first"], "=", 0),
    ]  # fmt: skip


def nan_rows(out: Tensor) -> int:
    return int(out.isnan().any(dim=-1).sum())


def _spread(default: int, n: int) -> str:
    if default == n:
        return "Masking is a product with 0: hidden or not, the NaN reaches every row."
    return (
        "With is_causal this kernel skips blocks of keys that are hidden, so "
        f"{default:,} of {n:,} rows {'is' if default == 1 else 'are'} NaN; do not count on it."
    )


def _spoiled(job: Job, n: int, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    q, k, v = draw_inputs(job.seed, *[(n, HEAD)] * 3, dtype=dtype, device=job.device)
    v[-1] = math.nan
    return q, k, v


def _by_length(job: Job) -> Block:
    skipping = [nan_rows(sdpa(*_spoiled(job, n, torch.float32), causal=True)) for n in LENGTHS]
    ys = {"by hand: all": list(LENGTHS), DEFAULT: skipping}
    spared = [n for n, count in zip(LENGTHS, skipping, strict=True) if count < n]
    return show.curves(
        "by-length",
        LENGTHS,
        ys,
        title="NaN rows by length, fp32",
        x_label="tokens",
        unit="rows",
        log=True,
        look_for=_spared(spared),
        alt=f"NaN rows with is_causal: {', '.join(map(str, skipping))}.",
    )


def _spared(lengths: list[int]) -> str:
    """lengths are those at which some rows are no NaN."""
    if not lengths:
        return "On this machine the fused kernel spares no row at any of these lengths."
    spares = f"On this machine the fused kernel spares early rows with {', '.join(f'{n:,}' for n in lengths)} tokens"
    if len(lengths) == len(LENGTHS):
        return f"{spares}: at each length tried here."
    return f"{spares} of the lengths tried: a test with few tokens and one with many disagree."


def _snippet(job: Job) -> str:
    n_kv, n = job.whole("n_kv", "n")
    dtype = str(DTYPES[job.word("dtype")])
    return f"""import math
import torch
from torch.nn import functional as F

dtype = {dtype}
g = torch.Generator().manual_seed({job.seed})
q, k = (torch.randn(rows, 64, generator=g).to(dtype) for rows in (2, {n_kv}))
v = torch.eye({n_kv}, 64, dtype=dtype)  # so that the output shows the weights
visible = torch.tensor([[False], [True]]).expand(2, {n_kv})
scores = q @ k.T / math.sqrt(64)
blind = {{
    "-inf": scores.masked_fill(~visible, -math.inf).softmax(-1) @ v,
    "finfo.min": scores.masked_fill(~visible, torch.finfo(dtype).min).softmax(-1) @ v,
    "F.sdpa": F.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], attn_mask=visible)[0, 0],
}}
blind = {{way: float(out[0, 0]) for way, out in blind.items()}}  # weight of key 0 in the row that sees nothing

g = torch.Generator().manual_seed({job.seed})
q, k, v = (torch.randn(1, 1, {n}, 64, generator=g).to(dtype) for _ in range(3))
v[..., -1, :] = math.nan
hide = torch.ones({n}, {n}, dtype=torch.bool).triu(1)
by_hand = (q @ k.mT / math.sqrt(64)).masked_fill(hide, -math.inf).softmax(-1) @ v
fused = F.scaled_dot_product_attention(q, k, v, is_causal=True)
nan_rows = {{"by hand": int(by_hand.isnan().any(-1).sum()), "F.sdpa": int(fused.isnan().any(-1).sum())}}
print(blind, nan_rows)
"""

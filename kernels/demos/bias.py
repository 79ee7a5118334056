"""The demo `bias`: what a bias on the query, key or value projection changes in the output, with and without RoPE."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from kernels import show
from kernels.attention import Rules, attention
from kernels.job import Job
from kernels.numerics import draw as draw_inputs
from kernels.numerics import max_error
from kernels.result import Block, Row
from kernels.rope import rotate

NOTHING = 1e-9  # float64: what rounding can do, and far below what a bias does that matters


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: biases, key, query, value, key-rope, constant, code."""
    n, d_k = job.whole("n", "d_k")
    shapes = [(1, n, d_k)] * 3 + [(d_k,)] * 3
    q, k, v, b_q, b_k, b_v = draw_inputs(job.seed, *shapes, dtype=torch.float64, device="cpu")
    b_q, b_k, b_v = (float(job.params["size"]) * b for b in (b_q, b_k, b_v))

    def out(q: Tensor, k: Tensor, v: Tensor, rope: bool = False) -> Tensor:
        if rope:
            q, k = (rotate(x, torch.arange(n)) for x in (q, k))
        return attention(q, k, v, Rules(1 / math.sqrt(d_k)))

    plain, turned = out(q, k, v), out(q, k, v, rope=True)
    changes = {
        "Q": (max_error(out(q + b_q, k, v), plain), max_error(out(q + b_q, k, v, rope=True), turned)),
        "K": (max_error(out(q, k + b_k, v), plain), max_error(out(q, k + b_k, v, rope=True), turned)),
        "V": (max_error(out(q, k, v + b_v), plain), max_error(out(q, k, v + b_v, rope=True), turned)),
    }
    shifted = max_error(out(q, k, v + b_v), plain + b_v)
    single = float32_change(q, k, v, b_k)
    return (
        _table(changes, single),
        show.check("key", "A bias on K adds q · b to every score of a row, which softmax does not see.",
                   changes["K"][0], "=", 0, NOTHING),
        show.check("query", "A bias on Q adds b · k, which differs from key to key.", changes["Q"][0], ">", NOTHING),
        show.check("value", "A bias on V moves every output by the bias itself, since weights sum to 1.",
                   shifted, "=", 0, NOTHING),
        show.check("key-rope", "With RoPE after the bias, each key's bias is turned by another angle, and matters.",
                   changes["K"][1], ">", NOTHING),
        show.check("constant", "q · b is one number for all keys of a query.", _spread(q, b_k, n), "=", 0, NOTHING),
        show.code(_snippet(job)),
    )  # fmt: skip


def float32_change(q: Tensor, k: Tensor, v: Tensor, b_k: Tensor) -> float:
    """What the K bias changes in float32, where q · (k + b) is rounded in another place."""
    q, k, v, b_k = (x.float() for x in (q, k, v, b_k))
    rules = Rules(1 / math.sqrt(q.size(-1)))
    return max_error(attention(q, k + b_k, v, rules), attention(q, k, v, rules))


def _spread(q: Tensor, b_k: Tensor, n: int) -> float:
    """How far what the bias adds to the scores of one row differs from key to key."""
    added = q @ b_k.expand(1, n, -1).mT
    return float((added.amax(-1) - added.amin(-1)).max())


def _table(changes: dict[str, tuple[float, float]], single: float) -> Block:
    rows: list[Row] = [
        {"bias": name, "plain": plain, "rope": rope} for name, (plain, rope) in changes.items()
    ]
    cols = {"bias": "Bias on", "plain": "Output changes by", "rope": "with RoPE"}
    look_for = f"In float32 the K bias moves the output by {single:.1g}: rounding, in another place."
    return show.table("biases", cols, rows, title="Largest change of the output, float64", look_for=look_for)


def _snippet(job: Job) -> str:
    n, d_k = job.whole("n", "d_k")
    size = float(job.params["size"])
    return f"""import math
import torch

n, d_k = {n}, {d_k}
g = torch.Generator().manual_seed({job.seed})
q, k, v = (torch.randn(1, n, d_k, generator=g).double() for _ in range(3))
b_q, b_k, b_v = ({size!r} * torch.randn(d_k, generator=g).double() for _ in range(3))


def attend(q, k, v):
    return (q @ k.mT / math.sqrt(d_k)).softmax(-1) @ v


plain = attend(q, k, v)
change = {{
    "Q": float((attend(q + b_q, k, v) - plain).abs().max()),
    "K": float((attend(q, k + b_k, v) - plain).abs().max()),
    "V": float((attend(q, k, v + b_v) - plain).abs().max()),
}}
print(change)
"""

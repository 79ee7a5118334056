"""The demo `heads`: products, exponentials and score memory of one width shared out among more and more heads."""

from __future__ import annotations

import torch
from torch.utils.flop_counter import FlopCounterMode

from kernels import draw, show
from kernels.job import Job
from kernels.result import Block
from kernels.words import counted

SIZES = {"fp32": 4, "bf16": 2}


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: shapes, heads, same-flops, counted, exponentials, memory, score-memory, code."""
    n, d_model, most = job.whole("n", "d_model", "h_most")
    size = SIZES[job.word("dtype")]
    heads = [2**i for i in range(most.bit_length())]
    flops = [attention_flops(n, d_model // h, h) for h in heads]
    found, exps = zip(*(counted_work(n, d_model // h, h) for h in heads), strict=True)
    scores = [size * e for e in exps]
    rows = [
        {"h": h, "d_k": d_model // h, "flops": f, "counted": c, "exps": e, "scores": s}
        for h, f, c, e, s in zip(heads, flops, found, exps, scores, strict=True)
    ]
    cols = {
        "h": "Heads",
        "d_k": "Head size",
        "flops": ("Products, 4 · h · n² · d_k", "FLOP"),
        "counted": ("Counted by PyTorch", "FLOP"),
        "exps": "Exponentials, h · n²",
        "scores": ("All score matrices", "bytes"),
    }
    look_for = (
        f"The products of scores and mixing cost {flops[0]:,} FLOP for any number of heads, projections "
        f"{8 * n * d_model**2:,}. A softmax takes an exponential for each score, so that work grows with the heads."
    )
    return (
        Block("shapes", draw.ribbon(h_q=most, h_kv=most, n_q=n, n_kv=n, d_k=d_model // most), title="Shapes",
              look_for="Each head has a score matrix of its own, however narrow it is."),
        show.table("heads", cols, rows, title="The same width, shared out", look_for=look_for),
        show.check("same-flops", "The matrix products of every number of heads cost the same FLOPs.",
                   max(flops) - min(flops), "=", 0),
        show.check("counted", "The formula is what PyTorch's own counter finds.",
                   max(abs(a - b) for a, b in zip(flops, found, strict=True)), "=", 0),
        show.check("exponentials", "The softmax does not: its exponentials grow with the number of heads.",
                   exps[-1] / exps[0], "=", most),
        show.amounts("memory", {counted(h, "head"): s for h, s in zip(heads, scores, strict=True)},
                     title="Score matrices of all heads, were they held at once",
                     look_for="Unfused attention holds them; a fused kernel never writes one out.",
                     alt=f"From {scores[0]:,} to {scores[-1]:,} bytes."),
        show.check("score-memory", "Score memory grows with the number of heads.",
                   scores[-1] / scores[0], "=", most),
        show.code(_snippet(n, d_model, heads)),
    )  # fmt: skip


def attention_flops(n: int, d_k: int, h: int) -> int:
    """FLOPs of q kᵀ and of P v over all heads, a multiply-add counted as two: 4 h n² d_k."""
    return 4 * h * n * n * d_k


def counted_work(n: int, d_k: int, h: int) -> tuple[int, int]:
    """The same by PyTorch's FlopCounterMode, on tensors that have shapes and no memory; and the softmax's exponentials,
    which it does not count: one for each score. Maximum, sum and division pass over as many."""
    q, k, v = (torch.empty(1, h, n, d_k, device="meta") for _ in range(3))
    with FlopCounterMode(display=False) as counter:
        weights = (q @ k.mT).softmax(-1)
        _ = weights @ v
    return int(counter.get_total_flops()), weights.numel()


def _snippet(n: int, d_model: int, heads: list[int]) -> str:
    return f"""import torch
from torch.utils.flop_counter import FlopCounterMode

flops = {{}}
for h in {heads}:
    q, k, v = (torch.empty(1, h, {n}, {d_model} // h, device="meta") for _ in range(3))  # shapes without memory
    with FlopCounterMode(display=False) as counter:
        (q @ k.mT).softmax(-1) @ v
    flops[h] = counter.get_total_flops()
print(flops)
"""

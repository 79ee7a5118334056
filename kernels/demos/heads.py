"""The demo `heads`: FLOPs and score memory of the same width shared out among more and more heads."""

from __future__ import annotations

import torch
from torch.utils.flop_counter import FlopCounterMode

from kernels import draw, show
from kernels.job import Job
from kernels.result import Block

SIZES = {"fp32": 4, "bf16": 2}


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: shapes, heads, same-flops, counted, memory, score-memory, code."""
    n, d_model, most = job.whole("n", "d_model", "h_most")
    size = SIZES[job.word("dtype")]
    heads = [2**i for i in range(most.bit_length())]
    flops = [attention_flops(n, d_model // h, h) for h in heads]
    counted = [counted_flops(n, d_model // h, h) for h in heads]
    scores = [h * n * n * size for h in heads]
    rows = [
        {"h": h, "d_k": d_model // h, "flops": f, "counted": c, "scores": s}
        for h, f, c, s in zip(heads, flops, counted, scores, strict=True)
    ]
    cols = {
        "h": "Heads",
        "d_k": "Head size",
        "flops": ("4 · h · n² · d_k", "FLOP"),
        "counted": ("Counted by PyTorch", "FLOP"),
        "scores": ("All score matrices", "bytes"),
    }
    look_for = f"Scores and mixing cost {flops[0]:,} FLOP for any number of heads; projections, {8 * n * d_model**2:,}."
    return (
        Block("shapes", draw.ribbon(h_q=most, h_kv=most, n_q=n, n_kv=n, d_k=d_model // most), title="Shapes"),
        show.table("heads", cols, rows, title="The same width, shared out", look_for=look_for),
        show.check("same-flops", "Every number of heads costs the same FLOPs.", max(flops) - min(flops), "=", 0),
        show.check("counted", "The formula is what PyTorch's own counter finds.",
                   max(abs(a - b) for a, b in zip(flops, counted, strict=True)), "=", 0),
        show.amounts("memory", {f"{h} head{'s' * (h > 1)}": s for h, s in zip(heads, scores, strict=True)},
                     title="Score matrices of all heads, were they held at once",
                     alt=f"From {scores[0]:,} to {scores[-1]:,} bytes."),
        show.check("score-memory", "Score memory grows with the number of heads.",
                   scores[-1] / scores[0], "=", most),
        show.code(_snippet(n, d_model, heads)),
    )  # fmt: skip


def attention_flops(n: int, d_k: int, h: int) -> int:
    """FLOPs of q kᵀ and of P v over all heads, a multiply-add counted as two: 4 h n² d_k."""
    return 4 * h * n * n * d_k


def counted_flops(n: int, d_k: int, h: int) -> int:
    """The same by PyTorch's FlopCounterMode, on tensors that have shapes and no memory."""
    q, k, v = (torch.empty(1, h, n, d_k, device="meta") for _ in range(3))
    with FlopCounterMode(display=False) as counter:
        _ = (q @ k.mT).softmax(-1) @ v
    return int(counter.get_total_flops())


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

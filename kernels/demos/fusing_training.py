"""What the backward pass of attention costs: scores that are stored, or computed once more. Counted, not run."""

from __future__ import annotations

import torch
from torch.utils.flop_counter import FlopCounterMode

from kernels.backward import backward
from kernels.result import Block, Row
from kernels.show import check, table
from kernels.traffic import Sizes

FORWARD, STORED, RECOMPUTED = 2, 4, 5
"""Matrix products: q kᵀ and P v; dP, dV, dQ and dK; these and q kᵀ once more."""


def training(s: Sizes) -> tuple[Block, ...]:
    """Blocks training, training-stored, training-recomputed: FLOP of all pairs and heads, hidden ones included."""
    product = 2 * s.batch * s.h_q * s.n_q * s.n_kv * s.d
    passes = {
        "forward": FORWARD,
        "backward, P stored": STORED,
        "backward, S computed again": RECOMPUTED,
        "both, P stored": FORWARD + STORED,
        "both, S computed again": FORWARD + RECOMPUTED,
    }
    rows: list[Row] = [
        {"pass": name, "products": n, "flop": n * product, "ratio": n / FORWARD} for name, n in passes.items()
    ]
    cols = {"pass": "Pass", "products": "Products", "flop": ("Work", "FLOP"), "ratio": "Of the forward"}
    more = (FORWARD + RECOMPUTED) / (FORWARD + STORED) - 1
    look_for = (
        f"Fused, the backward has no P to read, so it takes q kᵀ again: 7 products against 6, {100 * more:+.0f} % of "
        "work to spare an n x n matrix. It is faster all the same, since it moves fewer bytes. FlashAttention's first "
        "paper prints 66.6 and 75.2 GFLOP, +13 %."
    )
    forward, stored, recomputed = counted(s)
    return (
        table("training", cols, rows, title="What training costs", look_for=look_for),
        check(
            "training-stored",
            "PyTorch's counter finds 3 times the forward's work in both passes, where P is stored.",
            (forward + stored) / forward,
            "=",
            3,
        ),
        check(
            "training-recomputed",
            "It finds 3.5 times, 2.5 of them in the backward, where S is computed again.",
            (forward + recomputed) / forward,
            "=",
            3.5,
        ),
    )


def counted(s: Sizes) -> tuple[int, int, int]:
    """FLOP that PyTorch's counter sees in one head: forward, backward with P stored, and with S computed again."""
    q, d_out = (torch.empty(1, s.n_q, s.d, device="meta") for _ in range(2))
    k, v = (torch.empty(1, s.n_kv, s.d, device="meta") for _ in range(2))
    scale = s.d**-0.5
    with FlopCounterMode(display=False) as forward:
        weights = (q @ k.mT * scale).softmax(dim=-1)
        out = weights @ v
    with FlopCounterMode(display=False) as stored:
        backward(q, k, v, weights, out, d_out, scale)
    with FlopCounterMode(display=False) as again:
        weights = (q @ k.mT * scale).softmax(dim=-1)
        backward(q, k, v, weights, out, d_out, scale)
    return forward.get_total_flops(), stored.get_total_flops(), again.get_total_flops()

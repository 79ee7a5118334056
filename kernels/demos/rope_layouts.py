"""What the demo `rope` shows of the two ways to pair channels: neighbours, or the two halves of a head."""

from __future__ import annotations

import torch
from torch import Tensor

from kernels.result import Block, Row
from kernels.rope import halves_apart, rotate, rotate_halves
from kernels.show import check, table


def layouts(q: Tensor, k: Tensor, places: tuple[float, float], base: float, tol: float) -> list[Block]:
    """Blocks layouts, layouts-same. q and k [d] in float64, at these places; tol is what rounding may move a score."""
    at_q, at_k = (torch.tensor([place], dtype=torch.float64) for place in places)
    apart = halves_apart(q), halves_apart(k)
    neighbours = float(rotate(q[None], at_q, base) @ rotate(k[None], at_k, base).mT)
    permuted, mixed = (
        float(rotate_halves(x[None], at_q, base) @ rotate_halves(y[None], at_k, base).mT)
        for x, y in (apart, (q, k))
    )
    rows: list[Row] = [
        {"pairs": "neighbours, 2i and 2i + 1: as here", "channels": "as they are", "score": neighbours},
        {"pairs": "halves, i and i + d/2", "channels": "even ones first, then odd ones", "score": permuted},
        {"pairs": "halves, i and i + d/2", "channels": "as they are", "score": mixed},
    ]
    cols = {"pairs": "Paired", "channels": "Channels of q and k", "score": "Score"}
    look_for = (
        "Meta's own code for Llama pairs neighbours; Hugging Face's pairs halves, and permutes the rows of W_Q and W_K "
        "when it converts a checkpoint. "
    )
    if len(q) == 2:
        look_for += "With one pair both are the same."
    elif abs(mixed - neighbours) > tol:
        look_for += "Forget that, and every shape fits while scores are others: the last row."
    claim = "Pairing halves is pairing neighbours with the channels permuted: the score is the same."
    return [
        table("layouts", cols, rows, title="Which two channels are a pair", look_for=look_for.rstrip()),
        check("layouts-same", claim, permuted, "=", neighbours, tol),
    ]

"""What the demo `softmax` shows of rows with nothing to say: weights sum to 1 all the same, so a sink takes them."""

from __future__ import annotations

import torch
from torch import Tensor

from kernels.result import Block, Row
from kernels.show import check, table
from kernels.stable_softmax import stable, with_nothing

LOW = -20.0  # of a key that the query has no use for, beside a sink at 0
SINK = "a sink at 0 before them"


def sinks(n: int) -> list[Block]:
    """Blocks sink, sink-sum, sink-takes, sink-evicted, softmax1: one query over n keys that are of no use to it."""
    useless = torch.full((n,), LOW, dtype=torch.float64)
    rows = {
        "all 0": (useless * 0, None),
        f"all {LOW:g}": (useless, None),
        f"all {LOW:g}, {SINK}": (torch.cat((useless.new_zeros(1), useless)), 0),
        "the same, the sink evicted": (useless, None),
    }
    told: list[Row] = [_row(name, scores, sink) for name, (scores, sink) in rows.items()]
    cols = {
        "scores": f"Scores of {n} keys",
        "sum": "Sum of the weights",
        "sink": "Weight of the sink",
        "keys": "Weight of the keys together",
        "nothing": "With one more logit of 0",
    }
    _, low, held, evicted = told
    look_for = (
        "A softmax compares scores, so a row cannot say that none is good: low or not, its weights sum to 1. A sink, "
        "in practice the first tokens, takes what has nowhere to go; evict it from a cache, and the keys get it all. "
        "One more logit of 0 (softmax1) is a sink without a value: then a row may say nothing."
    )
    worst = max((float(row["sum"] or 0) for row in told), key=lambda x: abs(x - 1))
    return [
        table("sink", cols, told, title="A row must put its weight somewhere", look_for=look_for),
        check("sink-sum", "Whatever the scores, the weights of a row sum to 1.", worst, "=", 1.0, 1e-14),
        check("sink-takes", "A sink that scores higher than all the rest takes nearly all of it.",
              float(held["sink"] or 0), ">", 0.999),
        check("sink-evicted", "Evicted, it leaves its weight to keys that are of no use.",
              float(evicted["keys"] or 0) - float(held["keys"] or 0), ">", 0.999),
        check("softmax1", "With one more logit of 0, low scores together get nearly nothing.",
              float(low["nothing"] or 0), "<", 0.001),
    ]  # fmt: skip


def _row(name: str, scores: Tensor, sink: int | None) -> Row:
    p, bounded = stable(scores), with_nothing(scores)
    others = torch.arange(len(scores)) != (-1 if sink is None else sink)
    return {
        "scores": name,
        "sum": float(p.sum()),
        "sink": None if sink is None else float(p[sink]),
        "keys": float(p[others].sum()),
        "nothing": float(bounded[others].sum()),
    }

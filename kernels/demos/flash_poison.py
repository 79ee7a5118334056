"""Blocks of the demo `flash` about a NaN among the values: a mask hides a score, but 0 times NaN is NaN."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from kernels.demos.flash_plain import Run, plain
from kernels.flash import flash
from kernels.result import Block, Row
from kernels.show import check, note, table
from kernels.tiles import states


def poisoned(ran: Run) -> tuple[Block, ...]:
    """Blocks poison, poison-check and poison-note: both ways again, with NaN in the last row of v."""
    v = ran.v.clone()
    v[:, :, -1] = math.nan
    causal = ran.visible is not None
    spoilt = flash(ran.q, ran.k, v, causal=causal, window=ran.window, setting=ran.setting).o
    total = spoilt[..., 0].numel()
    sees, ours, theirs = _seeing(ran), _spoilt(spoilt), _spoilt(plain(ran, v))
    rows: tuple[Row, ...] = (
        {"way": "see the poisoned value", "rows": sees, "share": sees / total},
        {"way": "NaN from this kernel", "rows": ours, "share": ours / total},
        {"way": "NaN from plain PyTorch", "rows": theirs, "share": theirs / total},
    )
    cols = {"way": "Rows of all heads that", "rows": "Number", "share": "Share"}
    claim = (
        "NaN reaches each row whose tile of queries computes the tile of keys that holds it, and no other."
    )
    return (
        table("poison", cols, rows, title="The last value is NaN", look_for=_told(sees, ours)),
        check("poison-check", claim, ours, "=", _reached(ran)),
        note("poison-note", _why(sees, ours, theirs, total), title="0 · NaN = NaN"),
    )


def _spoilt(o: Tensor) -> int:
    return int(o.isnan().any(dim=-1).sum())


def _seeing(ran: Run) -> int:
    """Rows of all heads to which the last key is visible."""
    batch, h_q, n_q, _ = ran.q.shape
    return batch * h_q * (n_q if ran.visible is None else int(ran.visible[:, -1].sum()))


def _reached(ran: Run) -> int:
    """Rows that see something and lie in a tile of queries that computes the last tile of keys."""
    batch, h_q, n_q, _ = ran.q.shape
    bm, bn = ran.setting.bm, ran.setting.bn
    grid = states(n_q, ran.k.size(2), bm=bm, bn=bn, causal=ran.visible is not None, window=ran.window)
    last = torch.tensor([row[-1] != "skipped" for row in grid]).repeat_interleave(bm)[:n_q]
    sees = torch.ones(n_q, dtype=torch.bool) if ran.visible is None else ran.visible.any(dim=-1).cpu()
    return batch * h_q * int((last & sees).sum())


def _told(sees: int, ours: int) -> str:
    if ours == sees:
        return "In the kernel, NaN stays in the rows that see it."
    more = ours - sees
    rows = (
        "1 row that does not see the value is"
        if more == 1
        else f"{more:,} rows that do not see the value are"
    )
    return f"{rows} NaN all the same: a row of the same tile does see it."


def _why(sees: int, ours: int, theirs: int, total: int) -> str:
    if sees == total:
        return "Every row sees the poisoned value, so every row is NaN, and rightly so."
    spread = "A mask makes the weight of a hidden value exactly 0, and 0 · NaN is NaN. "
    kernel = (
        f"The kernel multiplies tile by tile, so {ours:,} of {total:,} rows are spoilt and the tiles it skips protect "
        f"the rest; plain PyTorch multiplies whole matrices, and {theirs:,} are. "
    )
    cure = "No mask of scores helps: fill a cache with zeros before its first use, since torch.empty may hold NaN."
    return spread + kernel + cure

"""Score matrices too large to draw, pooled: blocks of rows and columns become one number each.

No more than one block of rows is held at a time, so that 8,192 x 8,192 takes no more memory than its inputs.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional as F

Pooling: TypeAlias = Literal["mean", "max"]


class Size(NamedTuple):
    """Rows and columns that become one."""

    rows: int
    cols: int


def size_for(n_q: int, n_kv: int, most: int) -> Size:
    """The smallest blocks with which no more than `most` rows and columns are left."""
    return Size(-(-n_q // most), -(-n_kv // most))


def pool_rows(x: Tensor, cols: int, pooling: Pooling, counts: Tensor | None = None) -> Tensor:
    """All rows of x [r, n] as one, and each `cols` columns as one: float64 [ceil(n / cols)].

    Where `counts` [r, n] is true anywhere in a block, the mean leaves the other cells out: the mean of scores of which
    some are -inf says nothing, that of the visible ones does. A block without any has the largest of its cells.
    """
    largest = _columns(x.double().amax(dim=0), cols, -math.inf).amax(dim=1)
    if pooling == "max":
        return largest
    counted = torch.ones_like(x, dtype=torch.bool) if counts is None else counts
    n = _columns(counted.sum(dim=0).double(), cols, 0.0).sum(dim=1)
    total = _columns(x.double().masked_fill(~counted, 0.0).sum(dim=0), cols, 0.0).sum(dim=1)
    return torch.where(n > 0, total / n.clamp(min=1), largest)


def _columns(row: Tensor, cols: int, fill: float) -> Tensor:
    """A row [n] in blocks [ceil(n / cols), cols]; the last one is filled up."""
    return F.pad(row, (0, -row.numel() % cols), value=fill).view(-1, cols)

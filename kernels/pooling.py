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
    if pooling == "max":
        return _largest(x, cols)
    if counts is None:
        n = x.new_full((x.size(1),), x.size(0), dtype=torch.float64)
        return _sum(x, cols) / _columns(n, cols, 0.0).sum(dim=1)
    n = _columns(torch.count_nonzero(counts, dim=0).double(), cols, 0.0).sum(dim=1)
    mean = _sum(x.masked_fill(~counts, 0.0), cols) / n
    return torch.where(n > 0, mean, _largest(x, cols)) if bool((n == 0).any()) else mean


def _largest(x: Tensor, cols: int) -> Tensor:
    return _columns(x.amax(dim=0).double(), cols, -math.inf).amax(dim=1)


def _sum(x: Tensor, cols: int) -> Tensor:
    """Down the rows in float32 at least, since that needs no copy, then along the columns in float64."""
    down = x.sum(dim=0, dtype=None if x.dtype == torch.float64 else torch.float32)
    return _columns(down.double(), cols, 0.0).sum(dim=1)


def _columns(row: Tensor, cols: int, fill: float) -> Tensor:
    """A row [n] in blocks [ceil(n / cols), cols]; the last one is filled up."""
    return F.pad(row, (0, -row.numel() % cols), value=fill).view(-1, cols)

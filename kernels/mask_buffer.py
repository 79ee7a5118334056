"""What a mask that is kept as a matrix weighs, and what is needed in its place. Exact arithmetic, no torch."""

from __future__ import annotations

from kernels.units import ITEMSIZE

INDEX = 8  # bytes of a position in int64


def buffer_bytes(tokens: int, dtype: str, layers: int = 1) -> int:
    """layers · tokens² · bytes of a cell: a tokens x tokens matrix registered in each layer."""
    return layers * tokens**2 * ITEMSIZE[dtype]


def index_bytes(tokens: int) -> int:
    """The positions of all rows and all columns, from which `col <= row` gives any part of the mask."""
    return 2 * tokens * INDEX


def tensor_bytes(tokens: int, d_model: int, size: int = 2) -> int:
    """q, k, v and o of one layer with as many key/value heads as query heads, in a type of `size` bytes."""
    return 4 * tokens * d_model * size

"""Units of bytes, and of bytes and operations a second; bytes of data types. Imports no torch.

Memory is allocated by the binary ones and sold by the decimal ones: 40 GiB are 42.95 GB.
"""

from __future__ import annotations

from collections.abc import Mapping

KIB, MIB, GIB = 2**10, 2**20, 2**30
MB, GB, TERA = 10**6, 10**9, 10**12

ITEMSIZE: Mapping[str, int] = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "bool": 1}
"""Bytes of one element; PyTorch keeps a bool in a whole byte."""


def tflops(flop: float, ms: float) -> float:
    """TFLOP/s of so many operations in so many milliseconds."""
    return flop / ms / 1e9

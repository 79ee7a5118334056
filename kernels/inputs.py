"""What all Triton kernels here take, and refuse in the same words."""

from __future__ import annotations

import torch
from torch import Tensor

D_MIN, D_MAX = 16, 256


def check_tensors(q: Tensor, k: Tensor, v: Tensor) -> None:
    """q [batch, h_q, n_q, d], k and v [batch, h_kv, n_kv, d]. Raises ValueError, in a sentence, for anything else."""
    if q.ndim != 4 or k.ndim != 4 or k.shape != v.shape:
        raise ValueError("q, k and v must be [batch, heads, tokens, d], k and v of one shape.")
    if q.size(0) != k.size(0) or q.size(3) != k.size(3) or q.size(1) % k.size(1):
        raise ValueError("q and k must agree in batch and d, and h_q must be a multiple of h_kv.")
    if not D_MIN <= q.size(3) <= D_MAX:
        raise ValueError(f"d must be from {D_MIN} to {D_MAX}; it is {q.size(3)}.")
    if not (q.dtype == k.dtype == v.dtype) or q.dtype not in (torch.float16, torch.bfloat16, torch.float32):
        raise ValueError("q, k and v must share one dtype: float16, bfloat16 or float32.")
    if q.device.type == "cpu" and q.dtype == torch.bfloat16:
        raise ValueError("Triton's interpreter computes wrong products in bfloat16; use float16 or float32.")

"""The backward pass of attention, written out: Dao et al. 2022 (arXiv 2205.14135), appendix B.2."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


class Backward(NamedTuple):
    """Gradients of a loss: dv, dp (weights), delta (row sums [..., n_q]), ds (scaled scores), dq, dk."""

    dv: Tensor
    dp: Tensor
    delta: Tensor
    ds: Tensor
    dq: Tensor
    dk: Tensor


def backward(
    q: Tensor, k: Tensor, v: Tensor, weights: Tensor, out: Tensor, d_out: Tensor, scale: float
) -> Backward:
    """From the gradient d_out [..., n_q, d] of the output to those of everything before it.

    weights [..., n_q, n_kv] and out are the forward's. delta, the row sum of dP ∘ P, is taken as that of dO ∘ O:
    it needs d numbers of each row instead of n_kv, so a fused kernel never holds the weights for it. A masked weight
    is 0, and so its score's gradient is 0 without the mask being asked again.
    """
    dv = weights.mT @ d_out
    dp = d_out @ v.mT
    delta = (d_out * out).sum(dim=-1)
    ds = weights * (dp - delta[..., None])
    return Backward(dv, dp, delta, ds, ds @ k * scale, ds.mT @ q * scale)

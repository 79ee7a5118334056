"""The Jacobian of the softmax, J = diag(p) - p pᵀ: how much of a gradient the softmax lets through.

p [..., n] holds a distribution in each row (Vaswani et al. 2017 suspect that J becomes "extremely small" where scores
are large, section 3.2.1; how small is what these functions measure).
"""

from __future__ import annotations

import torch
from torch import Tensor

NEGLIGIBLE = 1e-20


def matrix(p: Tensor) -> Tensor:
    """J itself: ∂p_i/∂z_j = p_i (δ_ij - p_j). p [n] -> [n, n]."""
    return p.diag() - p.outer(p)


def through(p: Tensor, gradient: Tensor) -> Tensor:
    """J · gradient row by row, from the gradient to the weights to that of the scores: p ∘ (g - Σ p g). [..., n]."""
    return p * (gradient - (p * gradient).sum(dim=-1, keepdim=True))


def frobenius(p: Tensor) -> Tensor:
    """|J| of each row, [...]. At most 1/2 for two keys; 0 for a one-hot row.

    |J|² = Σ p_i² (1 - p_i)² + Σ_{i≠j} p_i² p_j². Near a one-hot row both sums are tiny differences of numbers near 1,
    so the largest weight is kept apart, 1 - p_max is added up from the others, and these are measured in units of
    the largest of them: the result is right down to the smallest number that p can hold. Of these, what is below
    NEGLIGIBLE is dropped: it adds nothing, and arithmetic with numbers near the smallest takes a hundred times longer.
    """
    top, at = p.max(dim=-1, keepdim=True)
    others = p.scatter(-1, at, 0.0)
    unit = others.amax(dim=-1, keepdim=True).clamp_min(
        torch.finfo(p.dtype).tiny
    )  # a one-hot row gives 0, not 0/0
    rest = torch.threshold(others / unit, NEGLIGIBLE, 0.0)
    squares = rest.square()
    total = squares.sum(dim=-1)
    top, unit = top.squeeze(-1), unit.squeeze(-1)
    diagonal = (top * rest.sum(dim=-1)).square() + (squares * (1 - others).square()).sum(dim=-1)
    beside = 2 * top.square() * total + unit.square() * (total.square() - squares.square().sum(dim=-1))
    return unit * (diagonal + beside).sqrt()

"""Ways to treat a query that may see no key: what comes out, and whether a NaN is left in a gradient.

Softmax over nothing but -inf is 0/0. How a library fills, what it sets to 0 afterwards and in which order decides
between NaN, zeros and the mean of values that must not be seen, and the backward pass may differ from the forward.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from kernels.attention import softmax
from kernels.sdpa import sdpa, sdpa_math

Way = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
"""q [n_q, d], k and v [n_kv, d], visible [n_q, n_kv] to the output [n_q, d]."""


def scores(q: Tensor, k: Tensor) -> Tensor:
    """q · kᵀ / sqrt(d), [n_q, n_kv]."""
    return q @ k.T / math.sqrt(q.size(-1))


def hand_written(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> Tensor:
    """As in a textbook: -inf, then a softmax, which is 0/0 for a row of -inf alone."""
    return scores(q, k).masked_fill(~visible, -math.inf).softmax(-1) @ v


def output_cleaned(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> Tensor:
    """NaN is taken out of the output, and comes back in the gradient: 0 · NaN is NaN on the way back, too."""
    return hand_written(q, k, v, visible).nan_to_num(0.0)


def added_cleaned(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> Tensor:
    """NaN is taken out of the weights, before the product: autograd meets it in the softmax all the same."""
    weights = (scores(q, k) + additive(visible, -math.inf, q.dtype)).softmax(-1)
    return weights.masked_fill(~visible, 0.0) @ v


def filled(q: Tensor, k: Tensor, v: Tensor, visible: Tensor, fill: float | None = None) -> Tensor:
    """A finite fill, the dtype's least unless given: a blind row's scores are all the same, so its weights are even."""
    fill = torch.finfo(q.dtype).min if fill is None else fill
    return scores(q, k).masked_fill(~visible, fill).softmax(-1) @ v


def filled_cleaned(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> Tensor:
    """A finite fill, and then hidden weights set to 0: nothing is NaN at any point, and a blind row is 0."""
    weights = scores(q, k).masked_fill(~visible, torch.finfo(q.dtype).min).softmax(-1)
    return weights.masked_fill(~visible, 0.0) @ v


def safe(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> Tensor:
    """Our softmax, which sets the weights of a row of -inf alone to 0."""
    return softmax(scores(q, k).masked_fill(~visible, -math.inf)) @ v


def sdpa_filled(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> Tensor:
    """PyTorch's fused attention with a float mask that is added: a finite fill, as transformers hands it over."""
    return sdpa(q, k, v, additive(visible, torch.finfo(q.dtype).min, q.dtype))


def additive(visible: Tensor, fill: float, dtype: torch.dtype) -> Tensor:
    """A mask to be added to scores: 0 where the query sees the key, `fill` elsewhere."""
    return torch.zeros(visible.shape, dtype=dtype, device=visible.device).masked_fill(~visible, fill)


WAYS: Mapping[str, Way] = {
    "-inf, softmax": hand_written,
    "-inf, softmax, output's NaN set to 0": output_cleaned,
    "-inf added, softmax, hidden weights set to 0": added_cleaned,
    "-1e9, softmax": lambda q, k, v, visible: filled(q, k, v, visible, -1e9),
    "finfo.min, softmax": filled,
    "finfo.min, softmax, hidden weights set to 0": filled_cleaned,
    "kernels.attention.softmax": safe,
    "F.sdpa, boolean mask": sdpa,
    "F.sdpa, boolean mask, MATH": sdpa_math,
    "F.sdpa, finfo.min added": sdpa_filled,
}
FORWARD_ONLY = "kernels.attention.softmax"  # it works in place, so autograd has no use for it


class Outcome(NamedTuple):
    """The weights [n_kv] of the blind query, and which of q, k, v got a NaN in its gradient (None: not asked)."""

    weights: Tensor
    nan_gradients: tuple[str, ...] | None

    @property
    def words(self) -> str:
        n, eps = len(self.weights), torch.finfo(self.weights.dtype).eps
        if bool(self.weights.isnan().any()):
            return "NaN"
        if not bool(self.weights.any()):
            return "zeros"
        even = bool(((self.weights.double() - 1 / n).abs() <= eps).all())
        return "mean of all values" if even else "as if nothing were hidden"


def outcome(name: str, q: Tensor, k: Tensor, visible: Tensor, pull: Tensor) -> Outcome:
    """Runs a way forwards and backwards. v is the identity, so that the output shows the weights.

    pull [n_q, d] is the gradient of the loss with respect to the output. Raises what PyTorch raises for a fill that
    the dtype cannot hold.
    """
    n_kv, d = k.shape
    v = torch.eye(n_kv, d, dtype=q.dtype, device=q.device)
    if name == FORWARD_ONLY:
        return Outcome(WAYS[name](q, k, v, visible)[0, :n_kv], None)
    leaves = {"q": q.clone(), "k": k.clone(), "v": v}
    for leaf in leaves.values():
        leaf.requires_grad_()
    out = WAYS[name](leaves["q"], leaves["k"], leaves["v"], visible)
    gradients = torch.autograd.grad(out, list(leaves.values()), pull)
    bad = (leaf for leaf, gradient in zip(leaves, gradients, strict=True) if bool(gradient.isnan().any()))
    return Outcome(out.detach()[0, :n_kv], tuple(bad))

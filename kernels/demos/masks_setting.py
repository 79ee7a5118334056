"""What a run of the demo `masks` works on: the reasons to hide keys, the inputs, and what is changed to see leaks."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from kernels.attention import Rules, attention
from kernels.entries.masks import D_K, HEADS, document_lengths
from kernels.job import Job
from kernels.masks import Align, causal_mask, packed_mask, padding_mask, window_mask
from kernels.numerics import DTYPES, draw


class Setting(NamedTuple):
    """q [HEADS, n_q, D_K], k and v [HEADS, n_kv, D_K] in float32; the masks [n_q, n_kv]; the keys that a leak is
    looked for by, [n_kv].

    reason is the chosen kind alone, before what somebody would be left with who forgot it: the causal mask where
    there is one besides, else no mask at all.
    """

    job: Job
    q: Tensor
    k: Tensor
    v: Tensor
    reason: Tensor
    before: Tensor
    changed: Tensor
    align: Align

    @property
    def visible(self) -> Tensor:
        """The mask of all reasons together."""
        return self.reason & self.before

    @property
    def kind(self) -> str:
        return self.job.word("kind")

    @property
    def combined(self) -> bool:
        """Whether the mask has a second reason: it is causal, too."""
        return self.kind != "causal" and self.job.flag("causal")

    @property
    def forgotten(self) -> str:
        """What `before` is, in words."""
        return "the causal mask alone" if self.combined else "no mask"

    def output(self, visible: Tensor, *, changed: bool = False) -> Tensor:
        """Attention in float64, with the looked-for keys and their values changed if asked."""
        k, v = self.k.double(), self.v.double()
        if changed:
            k, v = k + self.changed[:, None], v + self.changed[:, None]
        return attention(self.q.double(), k, v, Rules(D_K**-0.5, visible))

    def touched(self, visible: Tensor) -> Tensor:
        """Which rows of the output [n_q] change under this mask when the looked-for keys and values do."""
        before, after = self.output(visible), self.output(visible, changed=True)
        return (before != after).any(dim=-1).any(dim=0)

    @property
    def must_not(self) -> Tensor:
        """Which rows see none of the changed keys under the whole mask, [n_q]."""
        return ~(self.visible & self.changed).any(dim=-1)


def build(job: Job) -> Setting:
    """Draws the inputs and makes the masks that the parameters ask for."""
    n_q, n_kv = job.whole("n_q", "n_kv")
    align: Align = "top-left" if job.word("align") == "top-left" else "bottom-right"
    kv = (HEADS, n_kv, D_K)
    q, k, v = draw(job.seed, (HEADS, n_q, D_K), kv, kv, dtype=DTYPES["fp32"], device=job.device)
    reason = _reason(job, n_q, n_kv, align).to(job.device)
    before = torch.ones_like(reason)
    if job.word("kind") != "causal" and job.flag("causal"):
        before = causal_mask(n_q, n_kv, align, job.device)
    return Setting(job, q, k, v, reason, before, _changed(job, n_kv).to(job.device), align)


def _reason(job: Job, n_q: int, n_kv: int, align: Align) -> Tensor:
    """The mask of the chosen kind alone."""
    width, padding = job.whole("width", "padding")
    match job.word("kind"):
        case "causal":
            return causal_mask(n_q, n_kv, align)
        case "window":
            return window_mask(n_q, n_kv, width, align)
        case "packed":
            return packed_mask(document_lengths(job.params))
        case kind:
            side = "left" if kind == "left-padding" else "right"
            return padding_mask([n_kv - padding], n_kv, side)[0].expand(n_q, n_kv)  # type: ignore[arg-type]


def _changed(job: Job, n_kv: int) -> Tensor:
    """The keys by which a leak shows: the last one, padding, the first one, or the first document."""
    (padding,) = job.whole("padding")
    j = torch.arange(n_kv)
    match job.word("kind"):
        case "causal":
            return j == n_kv - 1
        case "padding":
            return j >= n_kv - padding
        case "left-padding":
            return j < padding
        case "window":
            return j == 0
        case _:
            return j < document_lengths(job.params)[0]

"""What a run of the demo `attention` works on: the inputs, the rules and the mask."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from kernels.attention import Rules
from kernels.job import Job
from kernels.masks import Align, causal_mask, keys_seen
from kernels.numerics import DTYPES, draw

BOOK_LABELS = ("The", "cat", "sat", "down")
BOOK_SCORES = (
    (2.1, 0.8, -0.4, 1.2),
    (0.9, 2.5, 1.1, 0.3),
    (0.2, 1.8, 2.0, -0.5),
    (0.1, 0.9, 1.7, 2.2),
)
"""The scaled scores of the worked example: k and v are the identity, so q is sqrt(d_k) times these."""


class Setting(NamedTuple):
    """Everything that the blocks are made from. visible is always given: all True without a causal mask."""

    job: Job
    q: Tensor
    k: Tensor
    v: Tensor
    rules: Rules
    visible: Tensor
    align: Align | None

    @property
    def labels(self) -> tuple[str, ...]:
        """Words for the rows and columns of the worked example; none for random inputs."""
        return BOOK_LABELS if self.job.word("example") == "book" else ()

    @property
    def sees(self) -> tuple[int, ...]:
        """How many keys each query sees."""
        return keys_seen(self.visible.size(0), self.visible.size(1), self.align)

    def only(self, head: int) -> Setting:
        """The same with one query head and the key/value head that it reads."""
        shared = head // (self.q.size(0) // self.k.size(0))
        return self._replace(q=self.q[head, None], k=self.k[shared, None], v=self.v[shared, None])

    @property
    def hides(self) -> bool:
        """Whether any key is hidden from any query."""
        return min(self.sees) < self.visible.size(-1)

    @property
    def plain(self) -> bool:
        """Whether this is attention as it should be, not one of the broken variants, which need something hidden."""
        return not self.hides or (self.rules.fill == -math.inf and not self.rules.mask_after)


def build(job: Job) -> Setting:
    """Draws or writes out q, k, v and settles the rules that the parameters ask for."""
    n_q, n_kv, d_k, h_q, h_kv = job.whole("n_q", "n_kv", "d_k", "h_q", "h_kv")
    dtype = DTYPES[job.word("dtype")]
    scale = {"sqrt": 1 / math.sqrt(d_k), "none": 1.0, "d_k": 1 / d_k}[job.word("scale")]
    align: Align | None = None
    if job.flag("causal"):
        align = "top-left" if job.word("align") == "top-left" else "bottom-right"
        visible = causal_mask(n_q, n_kv, align, job.device)
    else:
        visible = torch.ones(n_q, n_kv, dtype=torch.bool, device=job.device)
    if job.word("example") == "book":
        scores = torch.tensor(BOOK_SCORES, dtype=torch.float64, device=job.device)
        identity = torch.eye(d_k, dtype=dtype, device=job.device)[None]
        q, k, v = (scores * math.sqrt(d_k))[None].to(dtype), identity, identity
    else:
        kv = (h_kv, n_kv, d_k)
        q, k, v = draw(job.seed, (h_q, n_q, d_k), kv, kv, dtype=dtype, device=job.device)
    mask_after = job.word("mask_at") == "after"
    rules = Rules(scale, visible if align else None, float(job.word("fill")), mask_after)
    return Setting(job, q, k, v, rules, visible, align)

"""A run of the flash kernel, and plain PyTorch for the same inputs."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import torch
from torch import Tensor

from kernels.attention import Output, Rules, attention
from kernels.tuning import Config


class Run(NamedTuple):
    """Inputs and the kernel's output, with float64's beside it."""

    q: Tensor
    k: Tensor
    v: Tensor
    scale: float
    visible: Tensor | None
    window: int | None
    setting: Config
    got: Output
    wanted: Tensor
    wanted_lse: Tensor


def plain(ran: Run, v: Tensor) -> Tensor:
    """Unfused attention over the values v in the same dtype, a head at a time so that long sequences fit."""
    out = torch.empty_like(ran.got.o)
    group = ran.q.size(1) // ran.k.size(1)
    for b, h in itertools.product(range(ran.q.size(0)), range(ran.q.size(1))):
        kv = (b, slice(h // group, h // group + 1))
        out[b, h] = attention(ran.q[b, h, None], ran.k[kv], v[kv], Rules(ran.scale, ran.visible))[0]
    return out

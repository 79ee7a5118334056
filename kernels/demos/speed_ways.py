"""The ways to compute the same attention that the demo `speed` times, and why one of them may not run."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from os import environ
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional as F

from kernels import memory
from kernels.attention import Rules, attention
from kernels.job import Job
from kernels.masks import causal_mask
from kernels.numerics import DTYPES, draw
from kernels.result import Refused
from kernels.units import MB

UNFUSED, SDPA, OURS, FLEX = "unfused", "SDPA", "this Triton kernel", "FlexAttention"
COMPILERS = ("g++", "clang++", "c++")

Way: TypeAlias = Callable[[], Tensor]


@dataclass(frozen=True)
class Inputs:
    """q, k, v [heads, n, d]; visible [n, n] where the mask is causal."""

    job: Job
    q: Tensor
    k: Tensor
    v: Tensor
    visible: Tensor | None

    @property
    def n(self) -> int:
        return self.q.size(1)

    @property
    def scale(self) -> float:
        return float(self.q.size(2) ** -0.5)


def inputs(job: Job, n: int) -> Inputs:
    """Inputs of n tokens, the same whatever the other lengths are."""
    heads, d = job.whole("heads", "d")
    shape = (heads, n, d)
    q, k, v = draw(job.seed, shape, shape, shape, dtype=DTYPES[dtype(job)], device=job.device)
    return Inputs(job, q, k, v, causal_mask(n, n, device=job.device) if job.flag("causal") else None)


def dtype(job: Job) -> str:
    """The data type of the run: `auto` is what the device is made for."""
    chosen = job.word("dtype")
    return chosen if chosen != "auto" else "bf16" if job.device == "cuda" else "fp32"


class Tried(NamedTuple):
    """A way that runs, and what its first call returned: [heads, n, d]."""

    call: Way
    out: Tensor


def ways(at: Inputs) -> tuple[dict[str, Tried], dict[str, str]]:
    """What computes these inputs, and for what cannot, a sentence that says why.

    Each is called once: a way that runs out of memory must not be timed, and the first call compiles.
    """
    offered = {UNFUSED: unfused(at), SDPA: sdpa(at), OURS: ours(at)}
    if at.job.flag("flex"):
        offered[FLEX] = flex(at)
    run: dict[str, Tried] = {}
    left_out: dict[str, str] = {}
    for label, way in offered.items():
        tried = way if isinstance(way, str) else _try(way, at.n)
        if isinstance(tried, str):
            left_out[label] = f"{label[0].upper()}{label[1:]} was left out: {tried}"
        else:
            run[label] = tried
    return run, left_out


def unfused(at: Inputs) -> Way | str:
    """attention(), or why there is no room for it.

    On a CPU memory that is not there ends the process, so it is asked for first; a GPU only says so.
    """
    held = 2 * at.q.size(0) * at.n**2 * at.q.element_size()
    free = memory.available(at.job.device) if at.job.device == "cpu" else None
    if free is not None and held > free * 4 / 5:
        amount = f"{held / MB:,.0f} MB, and {free / MB:,.0f} MB are free"
        return f"at {at.n:,} tokens its two n x n matrices a head take {amount}."
    return lambda: attention(at.q, at.k, at.v, Rules(at.scale, at.visible))


def sdpa(at: Inputs) -> Way:
    """F.scaled_dot_product_attention, which picks its backend by itself."""

    def call() -> Tensor:
        return F.scaled_dot_product_attention(
            at.q[None], at.k[None], at.v[None], is_causal=at.visible is not None, scale=at.scale
        )[0]

    return call


def ours(at: Inputs) -> Way | str:
    """flash(), only where it is compiled: what Triton's interpreter takes says nothing about a kernel."""
    if at.job.interpreter:
        return "without a GPU Triton only interprets it, and an interpreter's time is no kernel's speed."
    if find_spec("triton") is None:
        return "Triton is not installed on this worker."
    from kernels.flash import flash

    q, k, v = at.q[None], at.k[None], at.v[None]
    return lambda: flash(q, k, v, causal=at.visible is not None, scale=at.scale).o[0]


def require_compiler() -> None:
    """Raises Refused where PyTorch could not compile FlexAttention."""
    if not any(map(shutil.which, (environ.get("CXX", ""), *COMPILERS))):
        raise Refused(
            "FlexAttention is compiled on its first call, and this worker has no C++ compiler; install g++ there, "
            "or set flex=false."
        )


def flex(at: Inputs) -> Way:
    """FlexAttention, compiled for these shapes before it is returned."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's compiler deprecates parts of PyTorch
        compiled = torch.compile(flex_attention)
        block = None
        if at.visible is not None:
            block = create_block_mask(lambda b, h, i, j: i >= j, None, None, at.n, at.n, device=at.job.device)
        q, k, v = at.q[None], at.k[None], at.v[None]

        def call() -> Tensor:
            out: Tensor = compiled(q, k, v, block_mask=block, scale=at.scale)
            return out[0]

        call()
    return call


def _try(way: Way, n: int) -> Tried | str:
    """The way with its first output, or why the call does not end well."""
    try:
        return Tried(way, way())
    except torch.OutOfMemoryError:
        torch.cuda.empty_cache()
        return f"at {n:,} tokens it does not fit into the memory of this device."

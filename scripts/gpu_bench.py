"""What `make gpu-check` times: our kernels beside every way that PyTorch has, and flash-attn where it is installed.

Forward as the FlashAttention papers do it: total tokens and total width are fixed, so that every length does the same
work but for the pairs: 16,384 tokens, heads of 64 or 128 that make up 2,048, bf16. A decode step is one query against a
long cache, judged by the bytes of the cache that it reads a second.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, astuple, dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from kernels.decode import decode
from kernels.flash import flash
from kernels.numerics import max_error
from kernels.tiles import visible_pairs
from kernels.timing import race

OURS = "ours"
BACKENDS = {
    "SDPA flash": SDPBackend.FLASH_ATTENTION,
    "SDPA efficient": SDPBackend.EFFICIENT_ATTENTION,
    "SDPA cuDNN": SDPBackend.CUDNN_ATTENTION,
    "SDPA math": SDPBackend.MATH,
}
PACKAGES = {"flash-attn": "flash_attn", "flash-attn 3": "flash_attn_interface"}
WRONG = "it differs from the first way"
SAME = 0.05  # the largest difference of two right kernels in bf16, of values up to about 5

Way = Callable[[], Tensor]


class Shape(NamedTuple):
    """One problem. n_q = n_kv for a forward pass; n_q = 1 for a decode step, which sees every key."""

    kernel: str
    batch: int
    h_q: int
    h_kv: int
    n_q: int
    n_kv: int
    d: int
    causal: bool

    @property
    def flop(self) -> float:
        """4 · d for each visible pair, and nothing else."""
        return 4.0 * self.batch * self.h_q * self.d * visible_pairs(self.n_q, self.n_kv, self.causal)

    @property
    def cache(self) -> int:
        """Bytes of k and v in 16 bits."""
        return 2 * 2 * self.batch * self.h_kv * self.n_kv * self.d


@dataclass(frozen=True)
class Row:
    """One way at one shape: milliseconds (median, 10th and 90th percentile of `calls`), or why there are none.

    ratio is the time of the fastest SDPA backend by this one: above 1 this way is faster.
    """

    kernel: str
    batch: int
    h_q: int
    h_kv: int
    n_q: int
    n_kv: int
    d: int
    causal: bool
    way: str
    ms: float | None = None
    p10: float | None = None
    p90: float | None = None
    calls: int = 0
    tflops: float | None = None
    gbs: float | None = None
    ratio: float | None = None
    wide: bool = False
    why: str = ""

    def to_json(self, figures: bool = True) -> dict[str, object]:
        """All fields; without figures, what ran and what did not."""
        if figures:
            return asdict(self)
        return {**dict(zip(Shape._fields, astuple(self), strict=False)), "way": self.way, "why": self.why}


def forward_shapes(rehearse: bool) -> list[Shape]:
    if rehearse:
        return [Shape("forward", 1, 1, 1, n, n, 16, causal) for causal in (False, True) for n in (32, 64)]
    return [
        Shape("forward", 16384 // n, 2048 // d, 2048 // d, n, n, d, causal)
        for d in (128, 64)
        for causal in (False, True)
        for n in (1024, 2048, 4096, 8192, 16384)
    ]


def decode_shapes(rehearse: bool) -> list[Shape]:
    if rehearse:
        return [Shape("decode", 1, 2, 1, 1, 64, 16, False)]
    sizes = ((1, 16384), (1, 131072), (16, 8192), (64, 4096))
    return [Shape("decode", b, 32, h_kv, 1, n, d, False) for d, h_kv in ((128, 8), (64, 8)) for b, n in sizes]


def rows(shape: Shape, device: str) -> list[Row]:
    """Every way at one shape, timed in turn. What cannot run there is a row with the reason."""
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    q = torch.randn(shape.batch, shape.h_q, shape.n_q, shape.d, device=device, dtype=dtype)
    k, v = (
        torch.randn(shape.batch, shape.h_kv, shape.n_kv, shape.d, device=device, dtype=dtype) for _ in "kv"
    )
    found: dict[str, Way] = {}
    missing: dict[str, str] = {}
    wanted: Tensor | None = None
    for label, way in _offered(shape, q, k, v):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore"
                )  # PyTorch tells at length why a backend does not do this shape
                out = way()
        except Exception as error:
            if _fatal(error):
                raise
            missing[label] = _reason(error)
            continue
        wanted = out if wanted is None else wanted
        if (apart := max_error(out, wanted)) <= SAME:
            found[label] = way
        else:
            missing[label] = f"{WRONG} by up to {apart:.2g}"
        del out
    del wanted
    times = race(found, device, budget_s=0.25 * len(found), least=5) if found else {}
    best = min((t.median for label, t in times.items() if label in BACKENDS), default=None)
    timed = [
        Row(
            *shape,
            label,
            t.median,
            t.p10,
            t.p90,
            t.n,
            shape.flop / t.median / 1e9,
            shape.cache / t.median / 1e6,
            best / t.median if best else None,
            t.wide,
        )
        for label, t in times.items()
    ]
    if device == "cuda":
        torch.cuda.empty_cache()  # what comes next may be another process
    return timed + [Row(*shape, label, why=why) for label, why in missing.items()]


def _offered(shape: Shape, q: Tensor, k: Tensor, v: Tensor) -> Iterator[tuple[str, Way]]:
    """PyTorch's own ways come first: all others are compared with the first that runs."""
    for label, backend in BACKENDS.items():
        yield label, _sdpa(shape, backend, q, k, v)
    if shape.kernel == "forward":
        yield OURS, lambda: flash(q, k, v, causal=shape.causal).o
    else:
        yield OURS, lambda: decode(q, k, v).o
    for label, module in PACKAGES.items():
        if find_spec(module) is not None:
            yield label, _package(shape, module, q, k, v)


def _sdpa(shape: Shape, backend: SDPBackend, q: Tensor, k: Tensor, v: Tensor) -> Way:
    shared = shape.h_q != shape.h_kv

    def call() -> Tensor:
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, is_causal=shape.causal, enable_gqa=shared)

    return call


def _package(shape: Shape, module: str, q: Tensor, k: Tensor, v: Tensor) -> Way:
    """flash-attn takes [batch, tokens, heads, d]."""
    turned = tuple(x.transpose(1, 2).contiguous() for x in (q, k, v))

    def call() -> Tensor:
        library = import_module(module)
        if shape.kernel == "decode":
            out = library.flash_attn_with_kvcache(*turned, causal=False)
        else:
            out = library.flash_attn_func(*turned, causal=shape.causal)
        whole: Tensor = out[0] if isinstance(out, tuple) else out
        return whole.transpose(1, 2)

    return call


def _fatal(error: Exception) -> bool:
    """After a fault on the device nothing that follows can be trusted; too little memory is no such fault."""
    return "CUDA error" in str(error) or "AcceleratorError" in type(error).__name__


def _reason(error: Exception) -> str:
    if isinstance(error, torch.OutOfMemoryError):
        torch.cuda.empty_cache()
        return "out of memory"
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    unavailable = any(told in text for told in ("No available kernel", "No viable backend"))
    return "not offered for this shape here" if unavailable else f"{type(error).__name__}: {text[:100]}"

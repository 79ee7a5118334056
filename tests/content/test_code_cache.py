"""The code that the deck on the KV cache teaches, against attention over the whole sequence in float64."""

import math

import pytest
import torch
from torch import Tensor

from tests.content.taught import taught

H_Q, H_KV, D, N = 4, 2, 8, 11


def whole(q: Tensor, k: Tensor, v: Tensor, window: int | None = None) -> Tensor:
    """Causal attention over all positions at once, each query over the last `window` keys."""
    n, share = q.size(-2), q.size(-3) // k.size(-3)
    k, v = k.repeat_interleave(share, -3), v.repeat_interleave(share, -3)
    back = torch.arange(n)[:, None] - torch.arange(n)
    seen = (back >= 0) & (back < (window or n))
    scores = (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~seen, -math.inf)
    return scores.softmax(-1) @ v


@pytest.fixture
def qkv() -> tuple[Tensor, Tensor, Tensor]:
    made = torch.Generator().manual_seed(0)
    shapes = [(2, heads, N, D) for heads in (H_Q, H_KV, H_KV)]
    q, k, v = (torch.randn(shape, generator=made, dtype=torch.float64) for shape in shapes)
    return q, k, v


@pytest.mark.parametrize("cuts", [(N,), (1,) * N, (5, 1, 1, 4), (7, 4)])
def test_prefill_chunks_and_steps_are_one_function(
    qkv: tuple[Tensor, Tensor, Tensor], cuts: tuple[int, ...]
) -> None:
    names = taught("cache-step-code")
    cache = names["Cache"]()
    pieces = zip(*(x.split(cuts, -2) for x in qkv), strict=True)
    out = torch.cat([names["attend"](q, k, v, cache) for q, k, v in pieces], -2)
    torch.testing.assert_close(out, whole(*qkv), rtol=0, atol=1e-12)
    assert cache.k.shape == (2, H_KV, N, D), "the cache keeps key/value heads, not a copy for each query head"


def test_a_cache_allocated_once_writes_in_place(qkv: tuple[Tensor, Tensor, Tensor]) -> None:
    cache = taught("cache-in-place")["Cache"](2, H_KV, N + 3, D, dtype=torch.float64)
    where = cache.k.data_ptr()
    for k, v in zip(qkv[1].split((4, 1, 1, 5), -2), qkv[2].split((4, 1, 1, 5), -2), strict=True):
        seen_k, seen_v = cache.add(k, v)
    assert torch.equal(seen_k, qkv[1])
    assert torch.equal(seen_v, qkv[2])
    assert seen_k.data_ptr() == where, "a view of the memory that was allocated at first"


@pytest.mark.parametrize("width", [1, 3, N, N + 5])
def test_a_rolling_buffer_is_a_sliding_window(qkv: tuple[Tensor, Tensor, Tensor], width: int) -> None:
    q, k, v = (x.float() for x in qkv)
    window = taught("window-rolling")["Window"](2, H_KV, width, D)
    out = torch.cat([window.step(*(x[..., i : i + 1, :] for x in (q, k, v))) for i in range(N)], -2)
    torch.testing.assert_close(out, whole(q, k, v, width), rtol=0, atol=1e-5)

"""What the cards on kernels teach as code, run, and what they say of PyTorch that no demo shows."""

import math
import warnings

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from tests.content.taught import taught

SHAPES = [(1, 6), (3, 6), (6, 6), (17, 33)]


def drawn(n_q: int, n_kv: int) -> tuple[Tensor, Tensor, Tensor]:
    g = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, 2, n, 16, generator=g) for n in (n_q, n_kv, n_kv))
    return q, k, v


def last_rows(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Row by row in float64: the queries are the last positions, and each reads up to its own."""
    before = k.size(-2) - q.size(-2)
    q, k, v = (x.double() for x in (q, k, v))
    rows = []
    for i in range(q.size(-2)):
        seen = slice(0, before + i + 1)
        weights = (q[..., i : i + 1, :] @ k[..., seen, :].mT / math.sqrt(q.size(-1))).softmax(-1)
        rows.append(weights @ v[..., seen, :])
    return torch.cat(rows, dim=-2)


@pytest.mark.parametrize(("n_q", "n_kv"), SHAPES)
def test_the_fused_call_takes_the_lower_right_corner(n_q: int, n_kv: int) -> None:
    q, k, v = drawn(n_q, n_kv)
    out = taught("lower-right-code")["decode_attention"](q, k, v)
    torch.testing.assert_close(out.double(), last_rows(q, k, v), rtol=0, atol=1e-5)


@pytest.mark.parametrize(("n_q", "n_kv"), SHAPES)
def test_the_same_mask_by_hand(n_q: int, n_kv: int) -> None:
    q, k, v = drawn(n_q, n_kv)
    mask = torch.ones(n_q, n_kv, dtype=torch.bool).tril(n_kv - n_q)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    torch.testing.assert_close(out.double(), last_rows(q, k, v), rtol=0, atol=1e-5)


@pytest.mark.parametrize(("n_q", "n_kv"), SHAPES)
def test_flex_attention_with_the_offset(n_q: int, n_kv: int) -> None:
    q, k, v = drawn(n_q, n_kv)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="flex_attention called without torch.compile")
        out = taught("flex-causal-offset")["flex_causal"](q, k, v)
    torch.testing.assert_close(out.double(), last_rows(q, k, v), rtol=0, atol=1e-5)


def test_the_module_takes_is_causal_for_a_hint() -> None:
    layer, x = nn.MultiheadAttention(16, 2, batch_first=True), torch.zeros(1, 5, 16)
    with pytest.raises(RuntimeError, match="Need attn_mask"):
        layer(x, x, x, is_causal=True)


def test_a_backend_that_cannot_run_is_refused() -> None:
    q, k, v = drawn(3, 6)
    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION), pytest.raises(RuntimeError, match="No viable backend"):
        F.scaled_dot_product_attention(q, k, v)


def test_heads_in_the_place_of_tokens_let_no_token_read_another() -> None:
    x = torch.randn(2, 6, 4, 16, generator=torch.Generator().manual_seed(0))  # [batch, n, heads, d]
    y = x.clone()
    y[:, 0] = 0
    was, now = (F.scaled_dot_product_attention(z, z, z) for z in (x, y))
    assert was.shape == x.shape
    assert torch.equal(was[:, 1:], now[:, 1:])
    swapped = [F.scaled_dot_product_attention(*3 * (z.transpose(1, 2),)).transpose(1, 2) for z in (x, y)]
    assert not torch.allclose(swapped[0][:, 1:], swapped[1][:, 1:], atol=1e-3)

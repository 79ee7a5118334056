"""The code of the cards on shared keys and values, run as it is taught, against loops over heads in float64."""

import math

import pytest
import torch
from torch import Tensor

from tests.content.taught import taught

SIZES = [(8, 2), (6, 3), (4, 4), (5, 1)]
"""Query heads on key/value heads: grouped twice, as many, and one."""


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def head_by_head(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    """Attention of q (B, h, n_q, d) over k and v (B, g, n, d), query head i on key/value head i // (h / g)."""
    r = q.size(1) // k.size(1)
    hidden = torch.ones(q.size(2), k.size(2), dtype=torch.bool).triu(1)
    outputs = []
    for i in range(q.size(1)):
        scores = q[:, i] @ k[:, i // r].mT / math.sqrt(q.size(-1))
        if causal:
            scores = scores.masked_fill(hidden, float("-inf"))
        outputs.append(scores.softmax(-1) @ v[:, i // r])
    return torch.stack(outputs, dim=1)


@pytest.mark.parametrize(("h", "g"), SIZES)
def test_gqa_reads_the_key_value_head_of_its_group(h: int, g: int) -> None:
    q, k, v = drawn(2, h, 7, 4), drawn(2, g, 7, 4, seed=1), drawn(2, g, 7, 4, seed=2)
    want = head_by_head(q, k, v, causal=True)
    torch.testing.assert_close(taught("gqa-code")["gqa"](q, k, v), want, rtol=1e-10, atol=1e-12)


def test_the_repeat_that_the_cards_warn_of_puts_heads_1_3_4_and_6_on_the_other_group() -> None:
    k = torch.arange(2.0).view(1, 2, 1, 1)
    apart = k.repeat(1, 4, 1, 1) != k.repeat_interleave(4, dim=1)
    assert apart.flatten().nonzero().flatten().tolist() == [1, 3, 4, 6]


@pytest.mark.parametrize(("h", "g"), SIZES)
def test_a_step_without_copies_is_that_of_every_head_alone(h: int, g: int) -> None:
    q, k, v = drawn(2, h, 1, 4), drawn(2, g, 9, 4, seed=1), drawn(2, g, 9, 4, seed=2)
    want = head_by_head(q, k, v, causal=False)
    torch.testing.assert_close(taught("gqa-decode-code")["gqa_step"](q, k, v), want, rtol=1e-10, atol=1e-12)


def test_pooled_projections_give_the_mean_key_of_each_group() -> None:
    h_q, h_kv, d, d_model = 6, 2, 4, 10
    w, x = drawn(h_q * d, d_model), drawn(7, d_model, seed=1)
    keys = (x @ w.T).view(7, h_q, d)
    pooled = (x @ taught("gqa-convert")["pool_heads"](w, h_q, h_kv).T).view(7, h_kv, d)
    for group in range(h_kv):
        torch.testing.assert_close(pooled[:, group], keys[:, 3 * group : 3 * group + 3].mean(1))


def test_pooling_to_as_many_heads_changes_nothing() -> None:
    w = drawn(12, 5)
    assert torch.equal(taught("gqa-convert")["pool_heads"](w, 3, 3), w)


def test_absorbed_latent_attention_is_the_expanded_one() -> None:
    h, d, latent, n = 3, 4, 6, 11
    q, c, up_k, up_v = (
        drawn(h, 1, d),
        drawn(n, latent, seed=1),
        drawn(h, latent, d, seed=2),
        drawn(h, latent, d, seed=3),
    )
    card = taught("mla-code")
    got = card["absorbed"](q, c, up_k, up_v)
    assert got.shape == (h, 1, d)
    torch.testing.assert_close(got, card["expanded"](q, c, up_k, up_v), rtol=1e-10, atol=1e-12)


def test_expanded_latent_attention_is_attention_of_each_head() -> None:
    h, d, latent, n = 3, 4, 6, 11
    q, c, up_k, up_v = (
        drawn(h, 1, d),
        drawn(n, latent, seed=1),
        drawn(h, latent, d, seed=2),
        drawn(h, latent, d, seed=3),
    )
    k, v = (torch.stack([c @ up[i] for i in range(h)])[None] for up in (up_k, up_v))
    want = head_by_head(q[None], k, v, causal=False)[0]
    torch.testing.assert_close(taught("mla-code")["expanded"](q, c, up_k, up_v), want, rtol=1e-10, atol=1e-12)

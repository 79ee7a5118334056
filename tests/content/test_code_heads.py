"""The code of the cards on heads, run as it is taught, against attention done head by head in float64."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from tests.content.taught import taught


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def head_by_head(x: Tensor, qkv: Tensor, out: Tensor, h: int) -> Tensor:
    """Causal attention of one sequence x (n, d_model) in a loop over h heads; weights as nn.Linear keeps them."""
    n, d_model = x.shape
    d_k = d_model // h
    hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
    outputs = []
    for i in range(h):
        rows = slice(i * d_k, (i + 1) * d_k)
        q, k, v = (x @ w[rows].T for w in qkv.chunk(3))
        scores = (q @ k.T / d_k**0.5).masked_fill(hidden, float("-inf"))
        outputs.append(scores.softmax(-1) @ v)
    return torch.cat(outputs, dim=-1) @ out.T


@pytest.mark.parametrize(
    ("batch", "n", "d_model", "h"), [(2, 7, 24, 3), (1, 1, 16, 4), (3, 33, 32, 1), (1, 5, 8, 8)]
)
def test_the_module_is_attention_head_by_head(batch: int, n: int, d_model: int, h: int) -> None:
    layer = taught("mha-code")["MultiHeadAttention"](d_model, h).double()
    x = drawn(batch, n, d_model)
    want = torch.stack([head_by_head(one, layer.qkv.weight, layer.out.weight, h) for one in x])
    torch.testing.assert_close(layer(x), want, rtol=1e-10, atol=1e-12)


def test_the_module_has_four_d_squared_weights_and_no_buffer() -> None:
    layer = taught("mha-code")["MultiHeadAttention"](64, 8)
    assert sum(p.numel() for p in layer.parameters()) == 4 * 64**2
    assert list(layer.buffers()) == []


def test_the_module_refuses_heads_that_do_not_divide_the_width() -> None:
    with pytest.raises(AssertionError):
        taught("mha-code")["MultiHeadAttention"](64, 6)


def test_split_gives_a_head_the_channels_of_every_token() -> None:
    card = taught("head-split")
    x = drawn(2, 6, 20)
    heads = card["split"](x, 4)
    assert heads.shape == (2, 4, 6, 5)
    for i in range(4):
        assert torch.equal(heads[:, i], x[..., 5 * i : 5 * (i + 1)])


def test_merge_undoes_split() -> None:
    card = taught("head-split")
    x = drawn(2, 6, 20)
    assert torch.equal(card["merge"](card["split"](x, 4)), x)


def test_the_view_that_the_card_warns_of_has_the_right_shape_and_other_contents() -> None:
    card = taught("head-split")
    x = drawn(2, 6, 16)
    assert x.view(2, 4, 6, 4).shape == card["split"](x, 4).shape
    assert not torch.equal(x.view(2, 4, 6, 4), card["split"](x, 4))


def test_joined_heads_are_added_heads() -> None:
    card = taught("heads-add")
    o, w_o = drawn(2, 3, 5, 4), drawn(12, 10, seed=1)
    torch.testing.assert_close(card["added"](o, w_o), card["joined"](o, w_o), rtol=1e-12, atol=1e-12)


def test_a_pruned_head_drops_one_term() -> None:
    card = taught("heads-add")
    o, w_o = drawn(1, 3, 5, 4), drawn(12, 10, seed=1)
    pruned = o.clone()
    pruned[:, 1] = 0
    lost = card["joined"](o, w_o) - card["joined"](pruned, w_o)
    torch.testing.assert_close(lost, o[:, 1] @ w_o[4:8], rtol=1e-12, atol=1e-12)


def test_the_module_is_what_sdpa_gives_with_the_same_heads() -> None:
    layer = taught("mha-code")["MultiHeadAttention"](24, 3).double()
    split, merge = (taught("head-split")[name] for name in ("split", "merge"))
    x = drawn(2, 9, 24)
    q, k, v = (split(t, 3) for t in layer.qkv(x).chunk(3, dim=-1))
    want = layer.out(merge(F.scaled_dot_product_attention(q, k, v, is_causal=True)))
    torch.testing.assert_close(layer(x), want, rtol=1e-10, atol=1e-12)

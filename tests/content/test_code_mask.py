"""What the cards on masks teach as code, run: who reads whom, and what they say of PyTorch that no demo shows."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from tests.content.taught import taught

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]


def scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.mT / math.sqrt(q.size(-1))


def future(n: int, diagonal: int = 1) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).triu(diagonal)


def right(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scores(q, k).masked_fill(future(q.size(-2)), -math.inf).softmax(-1) @ v


def filled_with_zero(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scores(q, k).masked_fill(future(q.size(-2)), 0.0).softmax(-1) @ v


def masked_after(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scores(q, k).softmax(-1).masked_fill(future(q.size(-2)), 0.0) @ v


def one_ahead(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scores(q, k).masked_fill(future(q.size(-2), 2), -math.inf).softmax(-1) @ v


def without_diagonal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scores(q, k).masked_fill(future(q.size(-2), 0), -math.inf).softmax(-1) @ v


def over_queries(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scores(q, k).masked_fill(future(q.size(-2)), -math.inf).softmax(-2) @ v


def unmasked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scores(q, k).softmax(-1) @ v


def of_one(attend: Attend) -> Callable[[Tensor], Tensor]:
    """Self-attention with three projections of one input, as the card's test takes it."""
    g = torch.Generator().manual_seed(1)
    projections = [torch.randn(8, 8, generator=g, dtype=torch.float64) for _ in range(3)]

    def attend_to_itself(x: Tensor) -> Tensor:
        q, k, v = (x @ w for w in projections)
        return attend(q, k, v)

    return attend_to_itself


def pattern(attend: Attend, n: int = 6) -> Tensor:
    x = torch.randn(n, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    seen: Tensor = taught("mask-by-gradient")["reads"](of_one(attend), x)
    return seen


@pytest.mark.parametrize("n", [1, 6, 17])
def test_the_gradients_of_a_causal_layer_are_the_lower_triangle(n: int) -> None:
    assert torch.equal(pattern(right, n), ~future(n))


@pytest.mark.parametrize("attend", [filled_with_zero, masked_after, one_ahead, over_queries, unmasked])
def test_the_gradients_show_each_leak(attend: Attend) -> None:
    assert pattern(attend).triu(1).any()


def test_the_gradients_show_how_far_a_late_mask_reads() -> None:
    assert torch.equal(pattern(one_ahead), ~future(6, 2))


def test_nan_counts_as_a_leak() -> None:
    assert pattern(without_diagonal)[0, 1:].all()


def test_the_gradients_of_pytorchs_function_are_the_lower_triangle() -> None:
    sdpa = torch.nn.functional.scaled_dot_product_attention
    assert torch.equal(
        pattern(lambda q, k, v: sdpa(q[None], k[None], v[None], is_causal=True)[0]), ~future(6)
    )


def test_triu_is_the_future_and_tril_its_complement() -> None:
    assert torch.equal(future(5), ~torch.ones(5, 5, dtype=torch.bool).tril())
    assert future(5).nonzero().tolist() == [[i, j] for i in range(5) for j in range(i + 1, 5)]


def test_a_buffer_is_saved_and_cast_unless_it_is_told_not_to_be() -> None:
    layer = nn.Module()
    layer.register_buffer("mask", torch.tril(torch.ones(8, 8)))
    layer.register_buffer("kept", torch.tril(torch.ones(8, 8)), persistent=False)
    assert list(layer.state_dict()) == ["mask"]
    mask = layer.half().get_buffer("mask")
    assert mask.dtype == torch.float16
    with pytest.raises(RuntimeError, match="must match"):
        torch.zeros(9, 9).masked_fill(mask[:9, :9] == 0, -math.inf)


@pytest.mark.parametrize(
    ("added", "cleaned", "spoilt"),
    [(True, "weights", "qk"), (True, "output", "qkv"), (False, "weights", ""), (False, "output", "v")],
)
def test_a_blind_row_that_looks_clean_may_spoil_gradients(added: bool, cleaned: str, spoilt: str) -> None:
    """What blind-row-gradient says of minus infinity added or filled in, and of cleaning the weights or the output."""
    g = torch.Generator().manual_seed(2)
    q, k, v = (torch.randn(n, 4, generator=g).requires_grad_() for n in (2, 3, 3))
    hide = torch.tensor([[True] * 3, [False] * 3])
    s = scores(q, k)
    s = s + torch.zeros(2, 3).masked_fill(hide, -math.inf) if added else s.masked_fill(hide, -math.inf)
    weights = s.softmax(-1)
    out = weights.masked_fill(hide, 0) @ v if cleaned == "weights" else torch.nan_to_num(weights @ v)
    assert not out[0].any()
    gradients = torch.autograd.grad(out.sum(), (q, k, v))
    assert "".join(name for name, of in zip("qkv", gradients, strict=True) if of.isnan().any()) == spoilt

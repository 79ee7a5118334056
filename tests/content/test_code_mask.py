"""What the cards on masks teach as code, run: the leak test, and what they say of PyTorch that no demo shows."""

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


@pytest.mark.parametrize(("n", "changed"), [(6, 2), (2, 1), (33, 7)])
def test_the_leak_test_passes_what_is_right(n: int, changed: int) -> None:
    assert not taught("mask-leak-test")["leaks"](right, n=n, changed=changed)


@pytest.mark.parametrize("attend", [filled_with_zero, masked_after, one_ahead, over_queries, unmasked])
def test_the_leak_test_finds_each_leak(attend: Attend) -> None:
    assert taught("mask-leak-test")["leaks"](attend)


def test_the_leak_test_takes_nan_for_a_failure() -> None:
    assert taught("mask-leak-test")["leaks"](without_diagonal)


def test_the_leak_test_passes_pytorchs_function() -> None:
    sdpa = torch.nn.functional.scaled_dot_product_attention
    assert not taught("mask-leak-test")["leaks"](lambda q, k, v: sdpa(q, k, v, is_causal=True))


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

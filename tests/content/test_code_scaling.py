"""What the cards of the scale teach as code: the entropy that saturation leaves, and the backward pass by hand."""

import math
from collections.abc import Callable

import pytest
import torch

from tests.content.taught import taught


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize(("d_k", "undivided"), [(2, 0.82), (64, 0.14), (512, 0.044)])
def test_the_taught_measure_finds_saturation_and_only_where_nothing_divides(
    d_k: int, undivided: float
) -> None:
    torch.manual_seed(0)
    raw, scaled = taught("measure-saturation")["entropy_shares"](d_k)
    assert raw == pytest.approx(undivided, abs=0.04)
    assert scaled == pytest.approx(0.9, abs=0.03)


def test_the_taught_measure_survives_weights_that_underflow() -> None:
    torch.manual_seed(0)
    raw, _ = taught("measure-saturation")["entropy_shares"](4096)
    assert 0 <= raw < 0.05


@pytest.fixture(scope="module")
def backward() -> Callable[..., tuple[torch.Tensor, ...]]:
    function: Callable[..., tuple[torch.Tensor, ...]] = taught("attention-backward")["attention_backward"]
    return function


@pytest.mark.parametrize(("n_q", "n_kv", "d", "d_v"), [(10, 10, 8, 8), (3, 7, 4, 6), (1, 5, 2, 2)])
def test_the_taught_backward_pass_is_autograd_s(
    backward: Callable[..., tuple[torch.Tensor, ...]], n_q: int, n_kv: int, d: int, d_v: int
) -> None:
    shapes = (2, n_q, d), (2, n_kv, d), (2, n_kv, d_v)
    q, k, v = (draw(*shape, seed=seed).requires_grad_() for seed, shape in enumerate(shapes))
    o = (q @ k.mT / math.sqrt(d)).softmax(-1) @ v
    d_o = draw(2, n_q, d_v, seed=9)
    wanted = torch.autograd.grad(o, (q, k, v), d_o)
    with torch.no_grad():
        found = backward(q, k, v, o, d_o)
    for by_hand, exact in zip(found, wanted, strict=True):
        torch.testing.assert_close(by_hand, exact, rtol=0, atol=1e-12)


def test_without_the_row_sum_or_the_scale_it_would_be_another_gradient(
    backward: Callable[..., tuple[torch.Tensor, ...]],
) -> None:
    """The two wrong answers that the card warns of."""
    q, k, v, d_o = (draw(4, 8, seed=seed) for seed in range(4))
    p = (q @ k.mT / math.sqrt(8)).softmax(-1)
    d_q, *_ = backward(q, k, v, p @ v, d_o)
    d_p = d_o @ v.mT
    assert not torch.allclose((p * d_p) @ k / math.sqrt(8), d_q)
    assert not torch.allclose((p * (d_p - (d_p * p).sum(-1, keepdim=True))) @ k, d_q)


@pytest.mark.parametrize("n", [64, 128, 256])
def test_a_flat_row_has_a_jacobian_of_the_norm_that_the_card_estimates(n: int) -> None:
    p = torch.full((n,), 1 / n, dtype=torch.float64)
    assert float((p.diag() - p.outer(p)).norm()) == pytest.approx(math.sqrt(n - 1) / n, rel=1e-12)

"""The softmax's Jacobian without the matrix: equal to autograd, and right where a row is nearly one-hot."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import torch

from kernels.jacobian import frobenius, matrix, through


def drawn(*shape: int, spread: float = 2.0) -> torch.Tensor:
    return spread * torch.randn(*shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_all_agree_with_autograd(n: int) -> None:
    scores, gradient = drawn(n), drawn(n, spread=1.0)
    found = torch.autograd.functional.jacobian(lambda z: z.softmax(-1), scores)  # type: ignore[no-untyped-call]
    torch.testing.assert_close(matrix(scores.softmax(-1)), found)
    torch.testing.assert_close(frobenius(scores.softmax(-1)), found.norm())
    torch.testing.assert_close(through(scores.softmax(-1), gradient), found.T @ gradient)


def test_two_equal_keys_have_the_largest_norm() -> None:
    assert frobenius(torch.tensor([0.5, 0.5])) == 0.5
    assert float(frobenius(drawn(1000, 7).softmax(-1)).max()) < 0.5


@pytest.mark.parametrize("gap", [5, 40, 90, 300, 600])
def test_a_nearly_one_hot_row_keeps_its_digits(gap: int) -> None:
    """For [1 - e, e, e²] the norm is 2e to the leading order; in whole fractions here, without any cancelling."""
    e = Fraction(math.exp(-gap))
    p = (1 - e - e * e, e, e * e)
    square = sum(((i == j) * p[i] - p[i] * p[j]) ** 2 for i in range(3) for j in range(3))
    exact = float(e) * math.sqrt(square / (e * e))
    assert float(frobenius(torch.tensor([float(x) for x in p], dtype=torch.float64))) == pytest.approx(
        exact, rel=1e-14
    )


def test_a_one_hot_row_lets_nothing_through() -> None:
    assert float(frobenius(torch.tensor([0.0, 1.0, 0.0]))) == 0
    assert float(frobenius(torch.tensor([1.0]))) == 0

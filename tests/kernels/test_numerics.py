"""The rules by which errors are judged."""

from __future__ import annotations

import math

import pytest
import torch

from kernels.numerics import (
    draw,
    entropy,
    finite_max,
    max_error,
    score_rounding,
    twice_rule,
)


def test_an_error_of_infinities_is_none_and_nan_is_never_small() -> None:
    a = torch.tensor([-math.inf, 1.0])
    assert max_error(a, a.clone()) == 0
    assert math.isnan(max_error(torch.tensor([math.nan]), torch.tensor([0.0])))
    assert max_error(torch.tensor([math.inf]), torch.tensor([0.0])) == math.inf
    assert max_error(torch.empty(0), torch.empty(0)) == 0


def test_twice_the_error_of_plain_pytorch_is_the_limit() -> None:
    wanted = torch.zeros(3, dtype=torch.float64)
    plain = torch.full((3,), 1e-3)
    assert twice_rule(torch.full((3,), 1.9e-3), plain, wanted, 0).holds
    assert not twice_rule(torch.full((3,), 2.1e-3), plain, wanted, 0).holds
    assert twice_rule(torch.full((3,), 2.1e-3), plain, wanted, 1.1e-4).holds
    assert not twice_rule(torch.full((3,), math.nan), plain, wanted, 0).holds


def test_a_lucky_baseline_leaves_room_for_one_rounding() -> None:
    wanted = torch.ones(3, dtype=torch.float64)
    eps = torch.finfo(torch.float32).eps
    got = torch.ones(3) + 2 * eps
    assert twice_rule(got, torch.ones(3), wanted, eps).holds
    assert not twice_rule(got + 1e-6, torch.ones(3), wanted, eps).holds


@pytest.mark.parametrize("d", [1, 64, 256, 1024])
def test_a_product_added_one_by_one_stays_within_the_rounding_of_a_score(d: int) -> None:
    """In the order of the loop, in float32: the worst order that a kernel takes."""
    q, k = draw(d, (500, d), (500, d), dtype=torch.float32, device="cpu")
    total = torch.zeros(500)
    for i in range(d):
        total += q[:, i] * k[:, i]
    scale = d**-0.5
    exact = (q.double() * k.double()).sum(dim=-1)
    assert max_error(total * scale, exact * scale) <= score_rounding(q, k, scale)


def test_inputs_depend_on_the_seed_alone() -> None:
    (a, b), (c, _) = (draw(4, (3, 2), (1,), dtype=torch.float32, device="cpu") for _ in range(2))
    assert torch.equal(a, c)
    assert b.shape == (1,)
    assert not torch.equal(a, draw(5, (3, 2), dtype=torch.float32, device="cpu")[0])


@pytest.mark.parametrize("n", [1, 2, 128])
def test_entropy_runs_from_zero_to_the_logarithm(n: int) -> None:
    assert entropy(torch.full((4, n), 1 / n)) == pytest.approx(math.log(n), abs=1e-6)
    assert entropy(torch.eye(n)) == 0


def test_the_largest_number_is_a_finite_one() -> None:
    assert finite_max(torch.tensor([math.inf, -3.0, math.nan])) == 3
    assert finite_max(torch.tensor([math.inf])) == 0

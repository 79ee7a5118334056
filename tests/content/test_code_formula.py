"""The code on the cards of the formula, against attention written as sums over single numbers, in float64."""

import math

import pytest
import torch
from torch.nn import functional as F

from tests.content.taught import taught


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def by_hand(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, causal: bool) -> torch.Tensor:
    """One head, query by query: scores, exponentials and a mean, with no matrix product and no softmax."""
    rows = []
    for at, query in enumerate(q):
        last = len(k) - len(q) + at if causal else len(k) - 1
        seen = range(last + 1)
        exps = [math.exp(float((query * k[j]).sum()) / math.sqrt(len(query))) for j in seen]
        rows.append(sum(e / sum(exps) * v[j] for e, j in zip(exps, seen, strict=True)))
    return torch.stack(rows)


@pytest.mark.parametrize(("n_q", "n_kv"), [(1, 1), (1, 7), (3, 7), (7, 7), (5, 6)])
def test_attention_code_is_the_formula_for_any_cache(n_q: int, n_kv: int) -> None:
    q, k, v = drawn(n_q, 5, seed=1), drawn(n_kv, 5, seed=2), drawn(n_kv, 3, seed=3)
    got = taught("attention-code")["attention"](q, k, v)
    torch.testing.assert_close(got, by_hand(q, k, v, causal=True), rtol=0, atol=1e-12)


def test_attention_code_carries_leading_axes_along() -> None:
    attention = taught("attention-code")["attention"]
    q, k, v = drawn(2, 3, 4, 5, seed=1), drawn(2, 3, 6, 5, seed=2), drawn(2, 3, 6, 7, seed=3)
    got = attention(q, k, v)
    assert got.shape == (2, 3, 4, 7)
    torch.testing.assert_close(got[1, 2], attention(q[1, 2], k[1, 2], v[1, 2]), rtol=0, atol=1e-12)


def test_attention_code_has_no_answer_for_a_row_that_sees_nothing() -> None:
    got = taught("attention-code")["attention"](drawn(5, 4), drawn(2, 4, seed=1), drawn(2, 4, seed=2))
    assert got[:3].isnan().all()
    assert got[3:].isfinite().all()


def test_the_einsum_is_attention_without_a_mask() -> None:
    q, k, v = drawn(2, 3, 4, 5, seed=1), drawn(2, 3, 6, 5, seed=2), drawn(2, 3, 6, 7, seed=3)
    got = taught("attention-einsum")["attention"](q, k, v)
    torch.testing.assert_close(
        got[1, 2], by_hand(q[1, 2], k[1, 2], v[1, 2], causal=False), rtol=0, atol=1e-12
    )
    torch.testing.assert_close(got, F.scaled_dot_product_attention(q, k, v), rtol=0, atol=1e-12)


def test_a_change_of_basis_leaves_the_scores_alone() -> None:
    """What qk-gauge says of W_Q A and W_K A^-T."""
    x, w_q, w_k = drawn(6, 16, seed=1), drawn(16, 4, seed=2), drawn(16, 4, seed=3)
    a = drawn(4, 4, seed=4) + 4 * torch.eye(4, dtype=torch.float64)
    moved = (x @ w_q @ a) @ (x @ w_k @ torch.linalg.inv(a).mT).mT
    torch.testing.assert_close(moved, (x @ w_q) @ (x @ w_k).mT, rtol=0, atol=1e-10)

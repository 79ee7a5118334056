"""Latent attention: the absorbed form is the explicit one, and both are attention over keys and values written out."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from torch import Tensor

from kernels.mla import (
    Setup,
    absorbed,
    explicit,
    latent,
    queries,
    setup,
    turned_keys,
    turned_keys_absorbed,
)
from kernels.numerics import max_error

SIZES = tuple(itertools.product((1, 3), (0, 4), (1, 5)))  # heads, d_rope, new tokens


def small(h: int = 3, d_rope: int = 4, n_q: int = 2, n_kv: int = 7) -> Setup:
    return setup(
        h=h, d_head=6, latent=5, d_rope=d_rope, n_q=n_q, n_kv=n_kv, seed=2, dtype=torch.float64, device="cpu"
    )


def by_hand(s: Setup) -> Tensor:
    """Head by head and query by query, from what is cached."""
    c, turned = latent(s)
    q, q_rope = queries(s)
    w, n_kv = s.weights, len(s.x)
    out = torch.zeros(s.n_q, w.out.size(-1), dtype=torch.float64)
    for head, row in itertools.product(range(len(q)), range(s.n_q)):
        last = n_kv - s.n_q + row
        k, v = c @ w.up_k[head], c @ w.up_v[head]
        scores = [
            float(q[head, row] @ k[j] + q_rope[head, row] @ turned[j])
            / math.sqrt(q.size(-1) + turned.size(-1))
            for j in range(last + 1)
        ]
        total = sum(map(math.exp, scores))
        mixed = sum(
            (math.exp(score) / total * v[j] for j, score in enumerate(scores)), torch.zeros(v.size(-1))
        )
        out[row] += mixed @ w.out[head]
    return out


@pytest.mark.parametrize(("h", "d_rope", "n_q"), SIZES)
def test_both_forms_are_the_definition(h: int, d_rope: int, n_q: int) -> None:
    s = small(h, d_rope, n_q)
    wanted = by_hand(s)
    assert max_error(explicit(s), wanted) < 1e-12
    assert max_error(absorbed(s), wanted) < 1e-12


def test_what_is_cached_is_a_latent_and_a_key_that_heads_share() -> None:
    c, turned = latent(small(h=3, d_rope=4))
    assert (c.shape, turned.shape) == ((7, 5), (7, 4))


def test_turning_the_expanded_keys_leaves_nothing_to_absorb() -> None:
    s = small()
    assert max_error(turned_keys_absorbed(s), turned_keys(s)) > 1e-2


def test_a_later_token_changes_no_earlier_row() -> None:
    s = small(n_q=4)
    changed = s._replace(x=torch.cat((s.x[:-1], s.x[-1:] + 1)))
    moved = (absorbed(s) != absorbed(changed)).any(dim=-1)
    assert moved.tolist() == [False, False, False, True]

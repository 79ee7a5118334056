"""The reference attention against a definition written out by hand, and its rules for masks and empty rows."""

from __future__ import annotations

import itertools
import math
from typing import Literal

import pytest
import torch

from kernels.attention import Rules, attention, reference, shape_trace, share_heads, steps
from kernels.masks import Align, causal_mask, keys_seen, padding_mask
from kernels.numerics import draw, max_error

SHAPES = [(1, 1), (1, 6), (5, 5), (3, 7), (7, 3)]
HEADS = [(1, 1), (4, 4), (4, 2), (4, 1)]


def by_hand(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, shift: int | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention as loops over scalars: head i reads head i // group, query r sees keys up to r + shift."""
    (h_q, n_q, d), (h_kv, n_kv, _) = q.shape, k.shape
    out, lse = (
        torch.zeros(h_q, n_q, d, dtype=torch.float64),
        torch.full((h_q, n_q), -math.inf, dtype=torch.float64),
    )
    for head, row in itertools.product(range(h_q), range(n_q)):
        kv = head // (h_q // h_kv)
        keys = range(n_kv) if shift is None else range(max(0, min(n_kv, row + shift + 1)))
        scores = [scale * sum(float(q[head, row, c]) * float(k[kv, j, c]) for c in range(d)) for j in keys]
        total = sum(math.exp(s) for s in scores)
        for j, s in zip(keys, scores, strict=True):
            out[head, row] += math.exp(s) / total * v[kv, j].double()
        if total:
            lse[head, row] = math.log(total)
    return out, lse


def shift_of(align: str | None, n_q: int, n_kv: int) -> int | None:
    return {None: None, "top-left": 0, "bottom-right": n_kv - n_q}[align]


@pytest.mark.parametrize("align", [None, "top-left", "bottom-right"])
@pytest.mark.parametrize(("h_q", "h_kv"), HEADS)
@pytest.mark.parametrize(("n_q", "n_kv"), SHAPES)
def test_every_version_is_the_definition(n_q: int, n_kv: int, h_q: int, h_kv: int, align: str | None) -> None:
    q, k, v = draw(3, (h_q, n_q, 5), (h_kv, n_kv, 5), (h_kv, n_kv, 5), dtype=torch.float32, device="cpu")
    out, lse = by_hand(q, k, v, 0.4, shift_of(align, n_q, n_kv))
    visible = None if align is None else causal_mask(n_q, n_kv, align)  # type: ignore[arg-type]
    traced = steps(q.double(), k.double(), v.double(), Rules(0.4, visible))
    assert max_error(traced.out, out) < 1e-13
    assert max_error(traced.lse, lse) < 1e-13
    exact, exact_lse = reference(q, k, v, 0.4, visible, rows=2)
    assert max_error(exact, out) < 1e-13
    assert max_error(exact_lse, lse) < 1e-13
    assert max_error(attention(q, k, v, Rules(0.4, visible)), out) < 2e-6


def test_the_reference_takes_batches() -> None:
    q, k, v = draw(0, (2, 4, 3, 8), (2, 2, 5, 8), (2, 2, 5, 8), dtype=torch.float32, device="cpu")
    whole, lse = reference(q, k, v, 0.3)
    for b in range(2):
        part, part_lse = reference(q[b], k[b], v[b], 0.3)
        assert torch.equal(whole[b], part)
        assert torch.equal(lse[b], part_lse)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_batch_of_padded_sequences_is_each_sequence_alone(side: Literal["left", "right"]) -> None:
    lengths, n = (5, 2, 1), 5
    q, k, v = draw(2, (3, 4, n, 8), (3, 2, n, 8), (3, 2, n, 6), dtype=torch.float64, device="cpu")
    visible = (causal_mask(n, n) & padding_mask(lengths, n, side))[:, None]
    rules = Rules(0.3, visible)
    exact, lse = reference(q, k, v, 0.3, visible, rows=2)
    traced = steps(q, k, v, rules)
    assert max_error(traced.out, exact) < 1e-14
    assert max_error(traced.lse, lse) < 1e-14
    assert max_error(attention(q, k, v, rules), exact) < 1e-14
    for b, length in enumerate(lengths):
        real = slice(n - length, n) if side == "left" else slice(0, length)
        alone, _ = reference(q[b, :, real], k[b, :, real], v[b, :, real], 0.3, causal_mask(length, length))
        assert max_error(exact[b, :, real], alone) < 1e-14


@pytest.mark.parametrize(("h_q", "h_kv"), HEADS)
def test_the_shape_trace_names_the_shapes_of_the_tensors(h_q: int, h_kv: int) -> None:
    sizes = {"h_q": h_q, "h_kv": h_kv, "n_q": 3, "n_kv": 7, "d_k": 5, "d_v": 2}
    q, k, v = draw(0, (h_q, 3, 5), (h_kv, 7, 5), (h_kv, 7, 2), dtype=torch.float64, device="cpu")
    traced = steps(q, k, v, Rules(1.0))
    tensors = {"q": q, "kᵀ": k.mT, "S": traced.raw, "P": traced.weights, "v": v, "o": traced.out}
    told = shape_trace(**sizes)
    assert {shape.name: tuple(n for _, n in shape.axes) for shape in told} == {
        name: tuple(tensor.shape) for name, tensor in tensors.items()
    }
    assert all(sizes[axis] == n for shape in told for axis, n in shape.axes)


def test_a_row_that_sees_nothing_is_zero_with_lse_minus_infinity() -> None:
    q, k, v = draw(0, (1, 4, 8), (1, 2, 8), (1, 2, 8), dtype=torch.float32, device="cpu")
    rules = Rules(1.0, causal_mask(4, 2))
    traced = steps(q, k, v, rules)
    assert torch.equal(traced.out[:, :2], torch.zeros(1, 2, 8))
    assert torch.equal(attention(q, k, v, rules)[:, :2], torch.zeros(1, 2, 8))
    assert traced.lse[0, :2].tolist() == [-math.inf, -math.inf]


def test_nan_in_a_hidden_value_leaks_as_documented() -> None:
    q, k, v = draw(0, (1, 3, 4), (1, 3, 4), (1, 3, 4), dtype=torch.float32, device="cpu")
    v[0, -1] = math.nan
    assert attention(q, k, v, Rules(1.0, causal_mask(3, 3)))[0, 0].isnan().all()


@pytest.mark.parametrize("align", ["top-left", "bottom-right"])
@pytest.mark.parametrize(("n_q", "n_kv"), SHAPES)
def test_keys_seen_are_the_row_sums_of_the_mask(n_q: int, n_kv: int, align: Align) -> None:
    mask = causal_mask(n_q, n_kv, align)
    shift = shift_of(align, n_q, n_kv)
    assert shift is not None
    assert torch.equal(mask, torch.ones(n_q, n_kv, dtype=torch.bool).tril(shift))
    assert keys_seen(n_q, n_kv, align) == tuple(mask.sum(dim=-1).tolist())
    assert keys_seen(n_q, n_kv, None) == (n_kv,) * n_q


def test_heads_that_are_not_shared_are_not_copied() -> None:
    x = torch.zeros(3, 2, 2)
    assert share_heads(x, 3) is x


def test_heads_are_repeated_next_to_each_other() -> None:
    x = torch.arange(2.0)[:, None, None]
    assert share_heads(x, 6).flatten().tolist() == [0, 0, 0, 1, 1, 1]

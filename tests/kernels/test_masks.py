"""Masks against loops over their definitions, and what a fused kernel makes of them tile by tile."""

from __future__ import annotations

import itertools

import pytest
import torch
from torch import Tensor

from kernels.masks import (
    Align,
    causal_mask,
    packed_mask,
    padding_mask,
    reach,
    tile_states,
    window_mask,
)
from kernels.tiles import states

SIZES = [(1, 1), (1, 7), (5, 5), (3, 8), (8, 3)]
ALIGNS: tuple[Align, ...] = ("bottom-right", "top-left")


def position(row: int, n_q: int, n_kv: int, align: Align) -> int:
    return row + n_kv - n_q if align == "bottom-right" else row


def cells(mask: Tensor) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in mask.nonzero()]


@pytest.mark.parametrize("align", ALIGNS)
@pytest.mark.parametrize(("n_q", "n_kv"), SIZES)
def test_causal_is_keys_up_to_the_querys_own_position(n_q: int, n_kv: int, align: Align) -> None:
    mask = causal_mask(n_q, n_kv, align)
    assert mask.shape == (n_q, n_kv)
    assert cells(mask) == [
        (i, j) for i, j in itertools.product(range(n_q), range(n_kv)) if j <= position(i, n_q, n_kv, align)
    ]


@pytest.mark.parametrize("width", [1, 2, 3, 100])
@pytest.mark.parametrize("align", ALIGNS)
@pytest.mark.parametrize(("n_q", "n_kv"), SIZES)
def test_a_window_is_the_last_keys_before_the_query(n_q: int, n_kv: int, align: Align, width: int) -> None:
    mask = causal_mask(n_q, n_kv, align) & window_mask(n_q, n_kv, width, align)
    assert cells(mask) == [
        (i, j)
        for i, j in itertools.product(range(n_q), range(n_kv))
        if 0 <= position(i, n_q, n_kv, align) - j < width
    ]


def test_padding_hides_what_is_no_token_on_either_side() -> None:
    assert padding_mask([3, 1, 0], 4).int().tolist() == [[[1, 1, 1, 0]], [[1, 0, 0, 0]], [[0, 0, 0, 0]]]
    assert padding_mask([3, 4], 4, "left").int().tolist() == [[[0, 1, 1, 1]], [[1, 1, 1, 1]]]


def test_left_padding_blinds_the_first_rows_of_a_causal_decoder_and_right_padding_none() -> None:
    causal = causal_mask(5, 5)
    blind = {side: (~(causal & padding_mask([2], 5, side)[0]).any(-1)).tolist() for side in ("left", "right")}
    assert blind == {"left": [True, True, True, False, False], "right": [False] * 5}


@pytest.mark.parametrize("lengths", [[3, 3], [1], [2, 1, 4], [1, 1, 1]])
def test_packed_documents_see_themselves_alone(lengths: list[int]) -> None:
    documents = [number for number, length in enumerate(lengths) for _ in range(length)]
    n = len(documents)
    assert cells(packed_mask(lengths)) == [
        (i, j) for i, j in itertools.product(range(n), range(n)) if documents[i] == documents[j]
    ]


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("layers", [1, 2, 5])
def test_through_layers_a_window_reaches_back_by_one_window_less_one_each(width: int, layers: int) -> None:
    n = 24
    mask = causal_mask(n, n) & window_mask(n, n, width)
    far = layers * (width - 1) + 1
    assert torch.equal(reach(mask, layers), causal_mask(n, n) & window_mask(n, n, far))


@pytest.mark.parametrize(("bm", "bn"), [(1, 1), (2, 3), (4, 4), (16, 8)])
@pytest.mark.parametrize(("n_q", "n_kv"), [*SIZES, (16, 16), (13, 29), (29, 13)])
def test_tiles_of_a_causal_mask_are_those_that_the_kernel_plans(
    n_q: int, n_kv: int, bm: int, bn: int
) -> None:
    assert tile_states(causal_mask(n_q, n_kv), bm, bn) == states(n_q, n_kv, bm=bm, bn=bn, causal=True)
    everything = torch.ones(n_q, n_kv, dtype=torch.bool)
    assert tile_states(everything, bm, bn) == states(n_q, n_kv, bm=bm, bn=bn, causal=False)


@pytest.mark.parametrize("width", [1, 2, 4, 9, 40])
@pytest.mark.parametrize(("bm", "bn"), [(1, 1), (2, 3), (4, 4), (16, 8)])
@pytest.mark.parametrize(("n_q", "n_kv"), [*SIZES, (16, 16), (13, 29), (29, 13)])
def test_and_so_are_those_of_a_window(n_q: int, n_kv: int, bm: int, bn: int, width: int) -> None:
    visible = causal_mask(n_q, n_kv) & window_mask(n_q, n_kv, width)
    assert tile_states(visible, bm, bn) == states(n_q, n_kv, bm=bm, bn=bn, causal=True, window=width)


def test_tiles_of_any_mask_are_told_by_their_cells() -> None:
    documents = packed_mask([4, 2, 3]) & causal_mask(9, 9)
    f, d, s = "full", "diagonal", "skipped"
    assert tile_states(documents, 2, 2) == (
        (d, s, s, s, s),
        (f, d, s, s, s),
        (s, s, d, s, s),
        (s, s, s, d, s),
        (s, s, s, f, d),
    )

"""Masks and the tiles of a fused kernel, seen from above and in words."""

import re
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.demos.drawing import mask
from kernels.result import Mask, Tiles


def causal(n_q: int, n_kv: int, corner: Literal["top-left", "bottom-right"]) -> Mask:
    shift = n_kv - n_q if corner == "bottom-right" else 0
    cells = tuple(tuple(int(j <= i + shift) for j in range(n_kv)) for i in range(n_q))
    return Mask(n_q, n_kv, corner, cells, None)


def test_a_small_mask_is_a_table_with_words() -> None:
    (run,) = (variant for variant in mask.draw(causal(1, 3, "top-left")).variants if variant.as_run)
    assert run.lines[0].words == "Query 0 sees key 0."
    assert run.share == "1 of 3 pairs seen (33 %)"
    assert run.keys == ("0", "1", "2")
    assert run.rule == "Query i sees key j where j ≤ i; the last query sees 1 of 3 keys."


def test_both_corners_are_drawn_whichever_was_run() -> None:
    for corner in mask.CORNERS:
        left, right = mask.draw(causal(3, 5, corner)).variants
        assert [left.as_run, right.as_run] == [corner == "top-left", corner == "bottom-right"]
        assert [line.cells for line in left.lines] == [
            (True, False, False, False, False),
            (True, True, False, False, False),
            (True, True, True, False, False),
        ]
        assert [sum(line.cells) for line in right.lines] == [3, 4, 5]
        assert right.rule == "Query i sees key j where j ≤ i + 2; the last query sees every key."


def test_fewer_keys_than_queries_blind_the_first() -> None:
    _, right = mask.draw(causal(3, 2, "bottom-right")).variants
    assert right.rule.startswith("Query i sees key j where j ≤ i − 1;")
    assert right.lines[0].words == "Query 0 sees no key."


@pytest.mark.parametrize(
    "given",
    [
        causal(4, 4, "top-left"),  # both corners are one
        Mask(2, 3, "cells", ((1, 0, 1), (0, 1, 1)), None),
        Mask(2, 3, "none", ((1, 1, 1), (1, 1, 1)), None),
        Mask(2, 3, "bottom-right", ((1, 1, 1), (1, 1, 1)), None),  # broken: not what its corner says
        Mask(9, 9, "bottom-right", ((1, 1, 0),), None),  # a part of it
    ],
)
def test_there_is_no_other_corner_to_switch_to(given: Mask) -> None:
    (variant,) = mask.draw(given).variants
    assert variant.as_run
    assert [sum(line.cells) for line in variant.lines] == [sum(row) for row in given.cells or ()]
    assert bool(variant.rule) == (given.n_q == given.n_kv == 4)


def test_a_mask_without_cells_has_its_tiles_only() -> None:
    view = mask.draw(Mask(512, 512, "bottom-right", None, None))
    assert (view.variants, view.tiles, view.kind) == ((), None, "causal, aligned bottom-right")


def test_a_row_that_sees_nothing_says_so() -> None:
    (variant,) = mask.draw(Mask(1, 2, "none", ((0, 0),), None)).variants
    assert variant.lines[0].words == "Query 0 sees no key."


def test_a_large_mask_needs_one_rectangle_a_run() -> None:
    n = 128
    (variant,) = mask.draw(causal(n, n, "bottom-right")).variants
    assert variant.keys == ()
    assert len(variant.plan.rects) == n
    assert sum(r.width for r in variant.plan.rects) == n * (n + 1) // 2


@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from(mask.CORNERS))
def test_a_rule_says_what_its_cells_show(
    n_q: int, n_kv: int, corner: Literal["top-left", "bottom-right"]
) -> None:
    for variant in mask.draw(causal(n_q, n_kv, corner)).variants:
        found = re.fullmatch(
            r"Query i sees key j where j ≤ i(?: ([+−]) (\d+))?; the last query sees (.*)\.", variant.rule
        )
        assert found is not None
        shift = int(found[2] or 0) * (-1 if found[1] == "−" else 1)
        for i, line in enumerate(variant.lines):
            assert line.cells == tuple(j <= i + shift for j in range(n_kv))
        last = sum(variant.lines[-1].cells)
        assert found[3] == ("every key" if last == n_kv else f"{last} of {n_kv} keys")


def test_tiles_say_what_share_is_computed() -> None:
    tiles = Tiles(64, 64, (("diagonal", "skipped"), ("full", "diagonal")))
    view = mask.draw(Mask(128, 128, "bottom-right", None, tiles))
    assert view.tile_words == "Tiles of 64 × 64: 1 seen whole, 2 in part, 1 skipped; 75 % of 4 are computed."
    assert view.tiles is not None
    assert sum(r.width * r.height for r in view.tiles.rects) == 3 * 64 * 64


def test_a_plan_keeps_its_proportions() -> None:
    wide = mask.plan((("full",) * 16,) * 4)
    assert (wide.width, wide.height) == (312, 78)
    assert mask.plan((("full",) * 3,)).width == 3 * mask.CELL  # and few cells stay small


def test_cells_and_their_tiles_stand_at_one_scale() -> None:
    """The tiles were drawn larger than the cells, so that nobody saw which cells a tile holds."""
    given = replace(causal(5, 9, "bottom-right"), tiles=Tiles(2, 2, (("full",) * 5,) * 3))
    view = mask.draw(given)
    assert view.tiles is not None
    for variant in view.variants:
        for measure in ("width", "height", "left", "top", "n_rows", "n_cols", "x_ticks", "y_ticks"):
            assert getattr(view.tiles, measure) == getattr(variant.plan, measure)
    assert [tick.text for tick in view.tiles.x_ticks] == [str(j) for j in range(9)]
    odd = mask.draw(replace(given, n_q=50)).tiles  # not the lengths of this grid
    assert odd is not None
    assert (odd.n_rows, odd.n_cols) == (6, 9)


def test_numbers_beside_a_plan_do_not_touch_each_other() -> None:
    for n in (1, 9, 16, 17, 100, 512, 40_000):
        made = mask.plan((("seen",) * 64,) * 64, n, n, -(-n // 64), -(-n // 64))
        for ticks, size in ((made.x_ticks, mask.LETTER * len(str(n))), (made.y_ticks, mask.LINE)):
            assert all(b.at - a.at >= size for a, b in pairwise(ticks))


def test_a_title_that_names_a_corner_has_no_switch_to_the_other() -> None:
    """decode-alignment: the panel "Aligned top-left" could be switched to bottom-right, and said so still."""
    given = causal(3, 5, "top-left")
    assert len(mask.draw(given, "Who sees whom").variants) == 2
    (variant,) = mask.draw(given, "Aligned top-left").variants
    assert variant.as_run

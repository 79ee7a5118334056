"""The map of shared heads."""

import re
from itertools import pairwise

import pytest

from app.demos.drawing import heads, words
from kernels.result import Dim, Shapes, Step


def test_head_groups_are_read_from_the_map() -> None:
    step = Step("kT", (Dim(2, "2->8"), Dim(64, "d_k")), "k", "")
    view = words.shapes(Shapes((step,), (0, 0, 0, 0, 1, 1, 1, 1)))
    assert [(g.kv, g.queries) for g in view.groups] == [(0, "0–3"), (1, "4–7")]
    assert view.head_words == "8 query heads read 2 key/value heads."
    assert [(dim.size, dim.label) for dim in view.steps[0].dims] == [("2", "2→8"), ("64", "d_k")]


@pytest.mark.parametrize(
    "shared",
    [(0,) * 8, (0, 1), tuple(i // 8 for i in range(64)), tuple(i % 4 for i in range(12)), tuple(range(128))],
)
def test_each_query_head_has_a_wire_to_the_head_that_it_reads(shared: tuple[int, ...]) -> None:
    drawn = heads.draw(shared)
    assert drawn is not None
    for (q, kv), wire in zip(enumerate(shared), drawn.wires, strict=True):
        numbers = [float(n) for n in re.findall(r"[\d.]+", wire.path)]
        assert numbers[0] == pytest.approx(drawn.queries[q].x + drawn.q_side / 2, abs=0.01)
        assert numbers[-2] == pytest.approx(drawn.keys[kv].x + drawn.k_side / 2, abs=0.01)
    lefts = [square.x for square in drawn.queries]
    assert all(b - a >= drawn.q_side for a, b in pairwise(lefts))
    assert lefts[0] >= 0
    assert lefts[-1] + drawn.q_side <= drawn.width <= heads.WIDTH
    assert bool(drawn.queries[0].text) == (len(shared) <= 16)


@pytest.mark.parametrize("shared", [(), (0,), (0,) * 513])
def test_one_head_is_no_map(shared: tuple[int, ...]) -> None:
    assert heads.draw(shared) is None

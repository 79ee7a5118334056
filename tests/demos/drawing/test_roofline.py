"""The roof, its ridge, and points that are named where nothing else stands."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.demos.drawing import roofline
from kernels.result import Line, Roofline, RooflinePoint


def curve(label: str, *y: float) -> Line:
    return Line(label, y, None, None)


POINTS = (RooflinePoint("decode", 1.0, 3e12), RooflinePoint("prefill", 1024.0, 6e14))
H100 = Roofline(295.0, POINTS, peak=989e12, bandwidth=3.35e12, device="H100")


def test_a_roofline_puts_decode_left_of_the_ridge() -> None:
    drawn = roofline.roofline(Roofline(206.0, POINTS))
    assert drawn.ridge is not None
    assert drawn.curves[0].dots[0][0] < drawn.ridge.at < drawn.curves[1].dots[0][0]
    assert drawn.unit == "TFLOP/s"
    assert drawn.roof == ""
    assert [row.texts[-1] for row in drawn.rows] == ["memory", "arithmetic"]


def test_the_roof_has_its_corner_at_the_ridge_and_points_stay_below() -> None:
    drawn = roofline.roofline(H100)
    assert drawn.ridge is not None
    (x0, y0), (x1, y1), (x2, y2) = (map(float, point.split()) for point in drawn.roof[1:].split("L"))
    assert (x0, x2) == (drawn.left, drawn.right)
    assert x1 == pytest.approx(drawn.ridge.at, abs=0.6)
    assert drawn.top < y1 == y2 < y0 <= drawn.bottom
    (decode,), (prefill,) = (made.dots for made in drawn.curves)
    assert decode[1] > y0 + (y1 - y0) * (decode[0] - x0) / (x1 - x0)
    assert prefill[1] > y1
    assert {note.text for note in drawn.notes} == {"ridge 295", "989 TFLOP/s", "3.35 TB/s"}
    assert "H100" in drawn.words
    assert [row.texts[-3:] for row in drawn.rows] == [
        ("memory", "3.35", "90 %"),
        ("arithmetic", "989", "61 %"),
    ]


@pytest.mark.parametrize("known", [{"peak": 989e12}, {"bandwidth": 989e12 / 295}])
def test_ridge_and_one_of_peak_and_bandwidth_give_the_roof(known: dict[str, float]) -> None:
    whole = roofline.roofline(Roofline(295.0, POINTS, peak=989e12, bandwidth=989e12 / 295))
    assert roofline.roofline(Roofline(295.0, POINTS, **known)).roof == whole.roof


def test_every_point_is_named_where_nothing_else_stands() -> None:
    drawn = roofline.roofline(H100)
    assert drawn.labelled
    boxes = [roofline.box(label) for label in (*drawn.labels, *drawn.notes)]
    assert not any(a.touches(b) for i, a in enumerate(boxes) for b in boxes[:i])
    crowd = roofline.roofline(
        replace(H100, points=tuple(RooflinePoint(f"way {i}", 50.0, 1e14) for i in range(12)))
    )
    assert not crowd.labelled


positive = st.floats(1e-90, 1e90)


@given(positive, st.lists(st.tuples(st.floats(), st.floats()), max_size=5), st.floats(), st.floats())
def test_any_roofline_can_be_drawn(
    ridge: float, points: list[tuple[float, float]], peak: float, bandwidth: float
) -> None:
    made = tuple(RooflinePoint(str(i), a, b) for i, (a, b) in enumerate(points))
    drawn = roofline.roofline(Roofline(ridge, made, peak, bandwidth))
    assert all(math.isfinite(v) for curve in drawn.curves for dot in curve.dots for v in dot)
    assert "nan" not in drawn.roof
    assert "inf" not in drawn.roof


def test_points_have_numbers_that_do_not_hide_each_other() -> None:
    """On a phone seven points had no name beside them, and their shapes were too small to tell apart."""
    many = tuple(RooflinePoint(f"way {i}", 2.0**i, 1e12 * 2.0**i) for i in range(8))
    drawn = roofline.roofline(replace(H100, points=many))
    assert [label.text for label in drawn.numbers] == [str(i) for i in range(1, 9)]
    boxes = [roofline.box(label, roofline.BIG) for label in drawn.numbers]
    assert not any(a.touches(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_the_words_below_a_roofline_hold_the_figures_of_its_roof() -> None:
    words_below = roofline.roofline(H100).words
    assert words_below.startswith(
        "Roof of H100: 989 TFLOP/s, and 3.35 TB/s from its memory. The ridge stands at 295"
    )

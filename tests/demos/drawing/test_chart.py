"""Curves and their axes."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.demos.drawing import axis, chart
from kernels.result import Line, Series


def curve(label: str, *y: float) -> Line:
    return Line(label, y, None, None)


def test_a_curve_stays_inside_its_axes() -> None:
    line = Line("naive", (46, 180), (44, 170), (50, 195))
    drawn = chart.series(Series((1024, 2048), (line,), "ms", True, "tokens"))
    for x, y in drawn.curves[0].dots:
        assert drawn.left <= x <= drawn.right
        assert drawn.top <= y <= drawn.bottom
    assert [t.text for t in drawn.x_ticks] == ["1,024", "2,048"]
    assert [row.texts for row in drawn.rows] == [("1,024", "46"), ("2,048", "180")]
    assert [row.at for row in drawn.rows] == [x for x, _ in drawn.curves[0].dots]
    assert (drawn.head, drawn.x_label) == (("tokens", "naive"), "tokens")
    assert len(drawn.curves[0].band.split()) == 4


def test_a_logarithm_of_zero_falls_back_to_a_plain_axis() -> None:
    drawn = chart.series(Series((0, 1), (curve("x", 0, 5),), "", True))
    assert drawn.y_ticks[0].text == "0"


def test_a_linear_axis_begins_at_zero_and_has_round_marks() -> None:
    drawn = chart.series(Series((0, 1, 2), (curve("x", 0.2, 0.5, 0.9),), "share", False))
    assert [t.text for t in drawn.y_ticks] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]


def test_lengths_double_from_mark_to_mark_and_times_do_not() -> None:
    drawn = chart.series(Series((512, 4096), (curve("x", 3, 170),), "ms", True))
    assert [t.text for t in drawn.x_ticks] == ["512", "1,024", "2,048", "4,096"]
    assert [t.text for t in drawn.y_ticks] == ["5", "10", "20", "50", "100"]


@given(st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=6), st.booleans())
def test_marks_do_not_touch_each_other(values: list[float], log: bool) -> None:
    made = (axis.logarithmic if log else axis.linear)(values, 64, 462)
    for one, other in pairwise(made.ticks):
        assert other.at - one.at >= axis.LETTER * (len(one.text) + len(other.text)) / 2
    assert 1 <= len(made.ticks) <= axis.MOST


def test_a_plain_axis_along_the_page_ends_with_its_last_value() -> None:
    drawn = chart.series(Series((0, 1024), (curve("x", 0, 1024),), "", False))
    assert drawn.curves[0].dots[-1][0] == drawn.right
    assert [t.text for t in drawn.x_ticks] == ["0", "500", "1,000"]
    assert drawn.y_ticks[-1].text == "1,500"
    assert drawn.y_ticks[-1].at == drawn.top


def test_marks_beside_a_chart_are_not_cut() -> None:
    """On a phone, where letters are largest, 0.003906 read 03906."""
    for low in (2.0**-8, 1.5e-3, 1e-12):
        for log in (True, False):
            drawn = chart.series(Series((1, 2), (curve("x", low, low * 64),), "GiB", log))
            longest = max(len(t.text) for t in drawn.y_ticks)
            assert drawn.left >= axis.LETTER * longest + chart.ASIDE
    assert [t.text for t in chart.series(Series((1, 2), (curve("x", 2**-8, 1),), "GiB", True)).y_ticks][
        :2
    ] == [
        "1/256",
        "1/64",
    ]


def test_small_marks_are_short() -> None:
    drawn = chart.series(Series((1, 2), (curve("x", 1e-17, 0.5),), "", True))
    assert drawn.y_ticks[0].text == "1e−17"
    assert max(len(t.text) for t in drawn.y_ticks) <= 5


def test_what_has_no_place_leaves_a_gap() -> None:
    drawn = chart.series(Series((0, 1, 2, 3), (curve("x", 1, math.nan, 2, 3),), "", False))
    assert [step[0] for step in drawn.curves[0].path.split() if step[0].isalpha()] == ["M", "M", "L"]


def test_curves_are_named_at_their_ends_unless_they_would_hide_each_other() -> None:
    apart = chart.series(Series((0, 1), (curve("naive", 0, 9), curve("SDPA", 0, 3)), "ms", False))
    assert apart.labelled
    assert [(label.text, label.x) for label in apart.labels] == [
        ("naive", apart.right + 9),
        ("SDPA", apart.right + 9),
    ]
    ys = [label.y for label in apart.labels]
    assert abs(ys[0] - ys[1]) >= chart.LINE
    close = chart.series(Series((0, 1), (curve("naive", 0, 9), curve("SDPA", 0, 8.9)), "ms", False))
    assert close.labelled  # moved apart
    assert close.labels[1].y - close.labels[0].y >= chart.LINE
    crowd = chart.series(Series((0, 1), tuple(curve(f"way {i}", 0, 9) for i in range(5)), "ms", False))
    assert not crowd.labelled
    assert crowd.right == chart.WIDTH - chart.RIGHT  # no room is kept for labels that are not there
    early = chart.series(Series((0, 1), (curve("naive", 0, 9), curve("SDPA", 0)), "ms", False))
    assert not early.labelled
    long = chart.series(
        Series((0, 1), (curve("x", 0, 9), curve("F.scaled_dot_product_attention", 0, 8)), "ms", False)
    )
    assert not long.labelled
    assert long.right == chart.WIDTH - chart.RIGHT


def test_many_points_are_a_line_without_dots() -> None:
    drawn = chart.series(Series(tuple(range(100)), (curve("x", *range(100)),), "", False))
    assert not drawn.curves[0].dotted
    assert len(drawn.curves[0].dots) == 100


finite = st.floats(allow_nan=True, allow_infinity=True)


@given(st.lists(finite, max_size=6), st.lists(finite, max_size=6), st.booleans())
def test_any_series_can_be_drawn(x: list[float], y: list[float], log: bool) -> None:
    drawn = chart.series(Series(tuple(x), (Line("a", tuple(y), None, None),), "", log))
    assert all(math.isfinite(v) for curve in drawn.curves for dot in curve.dots for v in dot)

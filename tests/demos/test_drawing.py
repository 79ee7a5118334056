"""From blocks to what is drawn: the right words, levels and coordinates, and never an exception."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.demos import drawing
from app.demos.drawing import bars, chart, mask, matrix, words
from app.demos.drawing.numbers import byte_words, cell, fixed, percent, runs, short
from kernels.result import (
    TYPES,
    Bar,
    Block,
    Bytes,
    Check,
    Code,
    Dim,
    Grid,
    Line,
    Mask,
    Matrix,
    Result,
    Roofline,
    RooflinePoint,
    Series,
    Shapes,
    Stage,
    Step,
    Table,
    Tiles,
    Timing,
    TimingRow,
)

RESULTS = Path(__file__).resolve().parents[1] / "fixtures" / "results"
EVERY = json.loads((RESULTS / "every-block.json").read_text(encoding="utf-8"))
EMPTY = replace(Result.from_json(EVERY), blocks=())
INF = math.inf


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.168, "0.168"),
        (-INF, "−∞"),
        (math.nan, "NaN"),
        (-0.0001, "0.000"),
        (-1e9, "−1.0e9"),
        (-2.5, "−2.500"),
    ],
)
def test_a_matrix_cell_has_three_decimals(x: float, text: str) -> None:
    assert fixed(x) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (327680, "327,680"),
        (0.16842, "0.1684"),
        (2.1e-7, "2.10e−7"),
        (46.1, "46.1"),
        (1e16, "1.00e16"),
        (0, "0"),
        (-0.5, "−0.5"),
        (INF, "∞"),
    ],
)
def test_other_numbers_have_four_digits(x: float, text: str) -> None:
    assert short(x) == text


def test_bytes_are_given_in_both_countings() -> None:
    assert byte_words(40 * 2**30) == "40 GiB = 42.95 GB"
    assert byte_words(512) == "512 B"


def test_cells_of_tables_read_as_words() -> None:
    assert [cell(v) for v in (True, None, "bf16", 3, "-inf")] == ["yes", "–", "bf16", "3", "−∞"]


def test_shares_and_runs() -> None:
    assert percent(1, 3) == "33 %"
    assert percent(0, 0) == "0 %"
    assert runs((0, 1, 2, 5)) == "0–2, 5"


def linked(*stages: tuple[str, Grid], hidden: Grid | None = None) -> matrix.MatrixView:
    n = len(stages[0][1])
    data = Matrix((), (), (n, n), None, None, None, tuple(Stage(*s) for s in stages), hidden, (), ())
    return matrix.draw(data)


def test_the_mask_is_hatched_from_the_stage_it_enters() -> None:
    raw, cut, soft = ((1.0, 2.0), (3.0, 4.0)), ((1.0, -INF), (3.0, 4.0)), ((1.0, 0.0), (0.27, 0.73))
    view = linked(("raw", raw), ("masked", cut), ("softmax", soft), hidden=((1.0, 0.0), (1.0, 1.0)))
    assert [[stage.rows[0].cells[1].masked] for stage in view.stages] == [[False], [True], [True]]
    assert view.stages[1].rows[0].cells[1].text == "−∞"


def test_a_softmax_before_the_mask_is_not_hatched() -> None:
    soft, cut = ((0.5, 0.5), (0.5, 0.5)), ((0.5, 0.0), (0.5, 0.5))
    view = linked(("softmax", soft), ("masked", cut), hidden=((1.0, 0.0), (1.0, 1.0)))
    assert not view.stages[0].rows[0].cells[1].masked
    assert view.stages[1].rows[0].cells[1].masked


def test_levels_run_from_lightest_to_darkest_and_a_fill_flattens_none() -> None:
    view = linked(("masked", ((-1e9, 1.0), (2.0, 4.0))))
    assert [c.level for row in view.stages[0].rows for c in row.cells] == [0, 3, 5, 10]


def test_rows_show_their_largest_and_their_sum() -> None:
    row = linked(("softmax", ((0.168, 0.832), (0.0, 0.0)))).stages[0].rows[0]
    assert (row.top, row.total) == ("0.832", "1.000")


def test_beyond_sixteen_a_heat_map_takes_over_and_shows_small_weights() -> None:
    grid = tuple(tuple(1 / 64 if j else 1.0 for j in range(64)) for _ in range(64))
    view = linked(("softmax", grid))
    assert not view.as_table
    assert len(view.stages[0].heat) == 64 * 64
    assert view.stages[0].heat[:2] == "a2"  # 1/64 is level 2 of 10 by its root, it would be 1 of 10 linearly
    assert len(view.stages[0].rows) == 16


def test_a_window_says_what_part_of_what_it_is() -> None:
    grid = ((0.0, 1.0), (1.0, 0.0))
    data = Matrix((), (), (512, 512), (10, 12, 20, 22), None, 3, (Stage("raw", grid),), None, (), ())
    view = matrix.draw(data)
    assert view.extent == "head 3, rows 10–11 and columns 20–21, of 512 × 512 in all"
    assert view.stages[0].rows[0].label == "10"
    assert view.col_labels == ("20", "21")


def test_a_small_mask_is_a_table_with_words() -> None:
    view = mask.draw(Mask(1, 3, "top-left", ((1, 0, 0),), None))
    assert view.as_table
    assert view.lines[0].words == "Query 0 sees key 0."
    assert view.share == "1 of 3 pairs seen (33 %)"
    assert view.plan is None


def test_a_row_that_sees_nothing_says_so() -> None:
    assert mask.draw(Mask(1, 2, "none", ((0, 0),), None)).lines[0].words == "Query 0 sees no key."


def test_a_large_mask_needs_one_rectangle_a_run() -> None:
    n = 128
    cells = tuple(tuple(int(j <= i) for j in range(n)) for i in range(n))
    plan = mask.draw(Mask(n, n, "bottom-right", cells, None)).plan
    assert plan is not None
    assert len(plan.rects) == n
    assert sum(r.width for r in plan.rects) == n * (n + 1) // 2


def test_tiles_say_what_share_is_computed() -> None:
    tiles = Tiles(64, 64, (("diagonal", "skipped"), ("full", "diagonal")))
    view = mask.draw(Mask(128, 128, "bottom-right", None, tiles))
    assert (
        view.tile_words == "Tiles of 64 × 64: 1 full, 2 cut by the mask, 1 skipped; 75 % of 4 are computed."
    )
    assert view.tiles is not None
    assert sum(r.width for r in view.tiles.rects) == 3


def test_a_curve_stays_inside_its_axes() -> None:
    drawn = chart.series(Series((1024, 2048), (Line("naive", (46, 180), (44, 170), (50, 195)),), "ms", True))
    for x, y in drawn.curves[0].dots:
        assert drawn.left <= x <= drawn.right
        assert drawn.top <= y <= drawn.bottom
    assert [t.text for t in drawn.x_ticks] == ["1,024", "2,048"]
    assert drawn.rows == (("1,024", "46"), ("2,048", "180"))


def test_a_logarithm_of_zero_falls_back_to_a_plain_axis() -> None:
    drawn = chart.series(Series((0, 1), (Line("x", (0, 5), None, None),), "", True))
    assert drawn.y_ticks[0].text == "0"


def test_a_linear_axis_begins_at_zero_and_has_round_marks() -> None:
    drawn = chart.series(Series((0, 1, 2), (Line("x", (0.2, 0.5, 0.9), None, None),), "share", False))
    assert [t.text for t in drawn.y_ticks] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]


def test_a_roofline_puts_decode_left_of_the_ridge() -> None:
    points = (RooflinePoint("decode", 1.0, 4.6e12), RooflinePoint("prefill", 1024.0, 6e14))
    drawn = chart.roofline(Roofline(206.0, points))
    assert drawn.ridge is not None
    assert drawn.curves[0].dots[0][0] < drawn.ridge.at < drawn.curves[1].dots[0][0]
    assert drawn.unit == "TFLOP/s"


def test_byte_bars_share_one_scale() -> None:
    drawn = bars.amounts(Bytes((Bar("naive", 1000), Bar("SDPA", 250))))
    assert [b.width for b in drawn] == [100.0, 25.0]


def test_timing_turns_flop_into_speed() -> None:
    row = TimingRow("flash", 50, 2.0, 1.9, 2.5, 8e12, "128x64")
    view = bars.timing(Timing("ms", (row,)))
    assert view.rows[0].speed == "4,000 TFLOP/s"
    assert (view.rows[0].start, view.rows[0].mark) == (76.0, 80.0)


def test_head_groups_are_read_from_the_map() -> None:
    step = Step("kT", (Dim(2, "2->8"), Dim(64, "d_k")), "k", "")
    view = words.shapes(Shapes((step,), (0, 0, 0, 0, 1, 1, 1, 1)))
    assert [(g.kv, g.queries) for g in view.heads] == [(0, "0–3"), (1, "4–7")]
    assert view.head_words == "8 query heads read 2 key/value heads."
    assert view.steps[0].axes == "2->8, d_k"


def test_a_check_says_what_was_expected_and_got() -> None:
    view = words.check(Check("holds", "<=", 4.2e-7, 2.1e-7, 0.0, True))
    assert (view.expected, view.got, view.tolerance) == ("≤ 4.20e−7", "2.10e−7", "")


def test_code_is_escaped() -> None:
    assert "<script>" not in words.code(Code("python", "a = '<script>'")).html
    assert words.code(Code("no-such-language", "<b>")).html.strip() == "&lt;b&gt;"


def test_numbers_stand_right_and_text_left() -> None:
    parsed = drawing.result(EVERY)
    table = next(b for b in parsed.blocks if b.id == "models").body
    assert isinstance(table, words.TableView)
    assert [c.numeric for c in table.cols] == [False, True, False]
    assert isinstance(words.table(Table((), ())), words.TableView)


def test_every_type_of_the_schema_has_a_template_and_an_unknown_one_is_a_table() -> None:
    view = drawing.result(EVERY)
    folder = Path(__file__).resolve().parents[2] / "templates" / "partials" / "blocks"
    assert {b.template for b in view.blocks} == set(TYPES)
    assert all((folder / f"{b.template}.html").is_file() for b in view.blocks)
    assert next(b for b in view.blocks if b.id == "later").template == "table"


def test_the_badge_names_origin_device_and_mode() -> None:
    badge = drawing.result({**EVERY, "origin": "recorded", "mode": "interpreter"}).badge
    assert badge is not None
    assert (badge.origin, badge.when) == ("recorded", "29 Nov 2026")
    assert (badge.device, badge.mode) == ("AMD EPYC", "Triton interpreter, not a speed")


def test_a_result_of_another_schema_gives_a_note_instead_of_an_error() -> None:
    view = drawing.result({"schema": 9})
    assert view.badge is None
    assert view.blocks[0].template == "note"


finite = st.floats(allow_nan=True, allow_infinity=True)
grids = st.integers(1, 20).flatmap(
    lambda n: st.lists(st.lists(finite, min_size=n, max_size=n).map(tuple), min_size=1, max_size=20).map(
        tuple
    )
)


@given(grids, st.booleans())
def test_any_matrix_can_be_drawn(grid: Grid, hide: bool) -> None:
    hidden = tuple(tuple(0.0 for _ in row) for row in grid) if hide else None
    data = Matrix((), (), (), None, None, None, (Stage("softmax", grid),), hidden, (), ())
    (block,) = drawing.result(replace(EMPTY, blocks=(Block("m", data),)).to_json()).blocks
    view = block.body
    assert isinstance(view, matrix.MatrixView)
    assert len(view.stages[0].heat) == view.n_rows * view.n_cols


@given(st.lists(finite, max_size=6), st.lists(finite, max_size=6), st.booleans())
def test_any_series_can_be_drawn(x: list[float], y: list[float], log: bool) -> None:
    drawn = chart.series(Series(tuple(x), (Line("a", tuple(y), None, None),), "", log))
    assert all(math.isfinite(v) for curve in drawn.curves for dot in curve.dots for v in dot)


@given(finite)
def test_any_number_can_be_written(x: float) -> None:
    assert all(write(x) for write in (fixed, short, byte_words, cell))

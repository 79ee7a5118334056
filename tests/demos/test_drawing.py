"""From blocks to what is drawn: the right words, levels and coordinates, and never an exception."""

import base64
import json
import math
import re
import struct
import zlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.demos import drawing
from app.demos.drawing import axis, bars, chart, heads, mask, matrix, packed, player, roofline, room, words
from app.demos.drawing.numbers import byte_words, cell, column, fixed, percent, runs, short
from kernels.result import (
    TYPES,
    Bar,
    Block,
    Bytes,
    Check,
    Code,
    Column,
    Dim,
    Grid,
    HeadView,
    Line,
    Mask,
    Matrix,
    Player,
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
    assert [cell(v) for v in (True, None, "bf16", 3, "-inf", "8192 x 64")] == [
        "yes",
        "–",
        "bf16",
        "3",
        "−∞",
        "8,192 × 64",
    ]


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


def test_below_zero_a_shade_is_striped_and_zero_is_white() -> None:
    """A one-ended scale made the gradient of a score look like a weight: its 0 was grey, its least value white."""
    view = linked(("dS", ((-2.0, 0.0), (1.0, 4.0))))
    (stage,) = view.stages
    assert stage.signed
    assert [(c.level, c.minus) for row in stage.rows for c in row.cells] == [
        (5, True),
        (0, False),
        (3, False),
        (10, False),
    ]


def test_the_same_value_is_as_dark_in_each_matrix_of_its_kind() -> None:
    def block(name: str, top: float) -> Block:
        return Block(
            name, Matrix((), (), (1, 2), None, None, None, (Stage("numbers", ((1.0, top),)),), None, (), ())
        )

    other = Matrix((), (), (1, 2), None, None, None, (Stage("P", ((1.0, 100.0),)),), None, (), ())
    blocks = (block("one", 2.0), block("two", 10.0), Block("three", other))
    drawn = drawing.result(replace(EMPTY, blocks=blocks).to_json()).blocks
    levels = [[c.level for c in b.body.stages[0].rows[0].cells] for b in drawn]  # type: ignore[union-attr]
    assert levels == [[1, 2], [1, 10], [1, 10]]


def test_only_weights_have_a_sum_and_only_scores_a_largest() -> None:
    """The caption said "a row for each query", and sums stood beside Jacobians, token ids and scores, too."""
    plain = linked(("dS", ((-2.5, 0.0), (1.0, 4.0))))
    assert (plain.attends, plain.tops, [stage.sums for stage in plain.stages]) == (False, False, [False])
    grids = (("raw", ((1.0, 2.0), (3.0, 4.0))), ("softmax", ((0.3, 0.7), (0.3, 0.7))))
    data = Matrix(
        (), (), (2, 2), None, None, None, tuple(Stage(*s) for s in grids), None, (2.0, 4.0), (1.0,) * 2
    )
    view = matrix.draw(data)
    assert (view.attends, view.tops, [stage.sums for stage in view.stages]) == (True, True, [False, True])
    two = replace(data, stages=(Stage("F.sdpa", grids[1][1]), Stage("nn.MultiheadAttention", grids[1][1])))
    assert [stage.sums for stage in matrix.draw(two).stages] == [True, True]


def test_token_ids_are_whole_numbers_and_weights_of_one_are_not() -> None:
    ids = linked(("token", ((3.0, 12.0),)))
    assert [c.text for c in ids.stages[0].rows[0].cells] == ["3", "12"]
    halves = linked(("numbers", ((1.0, 0.5),)))
    assert [c.text for c in halves.stages[0].rows[0].cells] == ["1.000", "0.500"]
    sure = Matrix((), (), (1, 2), None, None, None, (Stage("softmax", ((1.0, 0.0),)),), None, (2.0,), (1.0,))
    assert [c.text for c in matrix.draw(sure).stages[0].rows[0].cells] == ["1.000", "0.000"]


def test_rows_show_their_largest_and_their_sum() -> None:
    row = linked(("softmax", ((0.168, 0.832), (0.0, 0.0)))).stages[0].rows[0]
    assert (row.top, row.total) == ("0.832", "1.000")


def unpacked(text: str) -> list[float]:
    """What static/js/heat.js reads."""
    taken = base64.b64decode(text)
    return [struct.unpack(">f", taken[i : i + 3] + b"\0")[0] for i in range(0, len(taken), 3)]


@given(
    st.lists(
        st.floats(-1e30, 1e30).map(lambda x: float(f"{x:.4g}")) | st.sampled_from((INF, -INF)), max_size=9
    )
)
def test_packed_numbers_come_back_with_their_four_digits(numbers: list[float]) -> None:
    assert [float(f"{x:.4g}") for x in unpacked(packed.floats(numbers))] == pytest.approx(
        numbers, rel=1e-12, abs=1e-37
    )


def test_a_packed_number_takes_four_characters_and_nan_stays_nan() -> None:
    assert packed.floats([0.0, -INF, 1.0]) == "AAAA/4AAP4AA"
    assert math.isnan(unpacked(packed.floats([math.nan]))[0])
    assert unpacked(packed.floats([1e308])) == [INF]


def test_packed_bits_go_row_by_row() -> None:
    assert base64.b64decode(
        packed.bits(((False, True, False), (True, True, True), (False, False, True)))
    ) == bytes((0b01011100, 0b10000000))
    assert packed.bits(()) == ""


def test_beyond_sixteen_a_heat_map_takes_over_and_has_every_value() -> None:
    scores = tuple(tuple(float(i - j) for j in range(64)) for i in range(20))
    weights = tuple(tuple(1 / 64 if j else 1.0 for j in range(64)) for _ in range(20))
    view = linked(("scaled", scores), ("softmax", weights))
    assert not view.as_table
    (head,) = view.heads
    rows = [unpacked(head.numbers)[start : start + 128] for start in range(0, 20 * 128, 128)]
    assert [tuple(row[:64]) for row in rows] == list(scores)
    assert [tuple(row[64:]) for row in rows] == list(weights)
    assert len(head.numbers) == 4 * 2 * 20 * 64
    assert json.loads(view.meta)["ranges"] == [[-63.0, 19.0, False], [0.0, 1.0, True]]
    assert [len(head.stages[0].rows), len(head.stages[0].rows[0].cells)] == [16, 16]


def test_a_large_mask_goes_with_the_numbers_from_its_stage_on() -> None:
    n = 17
    grid = tuple(tuple(0.5 for _ in range(n)) for _ in range(n))
    view = linked(
        ("raw", grid),
        ("masked", grid),
        ("softmax", grid),
        hidden=tuple(tuple(float(j <= i) for j in range(n)) for i in range(n)),
    )
    assert json.loads(view.meta)["masked"] == 1
    bits = "".join(f"{byte:08b}" for byte in base64.b64decode(view.hidden))
    assert [bits[i * n : (i + 1) * n] for i in range(n)] == [
        "0" * (i + 1) + "1" * (n - 1 - i) for i in range(n)
    ]


def test_a_large_matrix_of_four_stages_stays_light() -> None:
    grid = tuple(tuple(float(i * j % 97) for j in range(128)) for i in range(128))
    view = linked(*((name, grid) for name in ("raw", "scaled", "masked", "softmax")))
    assert len(view.heads[0].numbers) == 4 * 2**16
    assert len(zlib.compress(view.heads[0].numbers.encode())) < 2**16  # equal stages are compressed away


def several(*shown: int, own: int = 0, n: int = 2) -> Matrix:
    def view(head: int) -> HeadView:
        return HeadView(head, (Stage("softmax", ((float(head),) * n,) * n),), (float(head),) * n, (1.0,) * n)

    mine = view(own)
    others = tuple(view(head) for head in shown if head != own)
    return Matrix((), (), (n, n), None, None, own, mine.stages, None, mine.row_max, mine.row_sum, others)


@pytest.mark.parametrize("n", [2, 20])
def test_heads_stand_in_their_order_and_the_one_asked_for_is_shown(n: int) -> None:
    view = matrix.draw(several(0, 1, 2, 5, own=2, n=n))
    assert [(head.name, head.shown) for head in view.heads] == [
        ("0", False),
        ("1", False),
        ("2", True),
        ("5", False),
    ]
    assert [head.stages[0].rows[0].cells[0].text for head in view.heads] == [
        "0.000",
        "1.000",
        "2.000",
        "5.000",
    ]
    assert view.heads[3].row_words[0] == "largest score 5.000 · weights sum to 1.000"
    assert view.extent == "heads 0–2, 5; rows that are told elsewhere are those of head 2"
    assert matrix.draw(replace(several(0, 1, n=n), heads=8)).extent.startswith("heads 0–1 of 8; ")
    assert [bool(head.numbers) for head in view.heads] == [n > 16] * 4


def test_no_more_heads_are_drawn_than_can_be_switched_between() -> None:
    assert len(matrix.draw(several(*range(12))).heads) == 8


def test_heads_of_different_sizes_cannot_be_drawn() -> None:
    odd = replace(
        several(0), others=several(1, own=1, n=3).others or (HeadView(1, (Stage("softmax", ()),), (), ()),)
    )
    with pytest.raises(drawing.Undrawable, match="different sizes"):
        matrix.draw(odd)
    renamed = replace(several(0), others=(HeadView(1, (Stage("raw", ((0.0,) * 2,) * 2),), (), ()),))
    with pytest.raises(drawing.Undrawable, match="different stages"):
        matrix.draw(renamed)


@pytest.mark.parametrize(("pooling", "word"), [("mean", "mean"), ("max", "largest")])
def test_a_pooled_matrix_says_what_a_cell_is(pooling: Literal["mean", "max"], word: str) -> None:
    grid = ((0.5, 0.25),) * 2
    data = Matrix(
        (), (), (512, 512), None, (256, 256), 0, (Stage("softmax", grid),), None, (1.0,) * 2, (1.0,) * 2
    )
    view = matrix.draw(replace(data, pooling=pooling))
    assert view.extent == f"head 0, each cell the {word} of 256 × 256, of 512 × 512 in all"
    assert view.heads[0].row_words[0].endswith("weights sum to 1.000 on average")


def test_a_window_says_what_part_of_what_it_is() -> None:
    grid = ((0.0, 1.0), (1.0, 0.0))
    data = Matrix((), (), (512, 512), (10, 12, 20, 22), None, 3, (Stage("raw", grid),), None, (), ())
    view = matrix.draw(data)
    assert view.extent == "head 3, rows 10–11 and columns 20–21, of 512 × 512 in all"
    assert view.stages[0].rows[0].label == "10"
    assert view.col_labels == ("20", "21")


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
    boxes = [roofline._box(label) for label in (*drawn.labels, *drawn.notes)]
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
    boxes = [roofline._box(label, roofline.BIG) for label in drawn.numbers]
    assert not any(a.touches(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_the_words_below_a_roofline_hold_the_figures_of_its_roof() -> None:
    words_below = roofline.roofline(H100).words
    assert words_below.startswith(
        "Roof of H100: 989 TFLOP/s, and 3.35 TB/s from its memory. The ridge stands at 295"
    )


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


def test_a_replay_has_a_frame_for_each_step_and_its_tile_if_there_is_one() -> None:
    tiles = Tiles(16, 16, (("diagonal", "skipped"), ("full", "diagonal")))
    data = Player(
        ({"m": 1.0, "l": 2.5}, {"m": 3.0}, {}), ("m", "l"), ("It begins.",), tiles, ((0, 0), (1, 2), (1,))
    )
    view = player.draw(data)
    assert [(f.number, f.values, f.words, f.tile) for f in view.frames] == [
        ("1", ("1", "2.5"), "It begins.", "0,0"),
        ("2", ("3", "–"), "", ""),  # the plan has no third column
        ("3", ("–", "–"), "", ""),
    ]
    assert view.has_words
    assert view.plan is not None
    bare = player.draw(Player((), ("m",)))
    assert (bare.frames, bare.plan, bare.has_words) == ((), None, False)


def test_a_check_says_what_was_expected_and_got() -> None:
    view = words.check(Check("holds", "<=", 4.2e-7, 2.1e-7, 0.0, True))
    assert (view.expected, view.got, view.tolerance) == ("≤ 4.20e−7", "2.10e−7", "")


def test_code_is_escaped() -> None:
    assert "<script>" not in words.code(Code("python", "a = '<script>'")).html
    assert words.code(Code("no-such-language", "<b>")).html.strip() == "&lt;b&gt;"


@pytest.mark.parametrize(
    ("lang", "text", "said"),
    [
        ("python", "import math\nimport torch\n", "Copy as PyTorch"),
        ("python", "from torch import nn", "Copy as PyTorch"),
        ("python", "print(2 * 3)  # no import torch", "Copy as Python"),
        ("text", "import torch", "Copy"),
    ],
)
def test_the_button_says_what_is_copied(lang: str, text: str, said: str) -> None:
    assert words.code(Code(lang, text)).copy == said


def test_numbers_stand_right_and_text_left() -> None:
    parsed = drawing.result(EVERY)
    table = next(b for b in parsed.blocks if b.id == "models").body
    assert isinstance(table, words.TableView)
    assert [c.numeric for c in table.cols] == [False, True, False]
    assert isinstance(words.table(Table((), ())), words.TableView)


def rows_of(*values: object, key: str = "row") -> words.TableView:
    return words.table(Table((Column(key, key),), tuple({key: value} for value in values)))  # type: ignore[misc]


def test_a_long_table_says_how_much_of_it_shows() -> None:
    view = rows_of(*range(257))
    assert (len(view.rows), len(view.rest)) == (40, 217)
    assert rows_of(*range(40)).rest == ()


def test_rows_that_are_left_out_are_told() -> None:
    """masks: row 7 was followed by row 120 without a word."""
    view = rows_of(0, 1, 2, 3, 120, 121, 122)
    assert [row.before for row in view.rows] == ["", "", "", "", "116 not shown", "", ""]
    named = rows_of("q0", "q1", "q2", "q1023")
    assert [row.before for row in named.rows] == ["", "", "", "1,020 not shown"]
    for others in ((2, 16, 64, 128), (1, 2, 4, 8), ("q0", "k1", "k5"), (3, 2, 1), (0.5, 1.5, 9.5)):
        assert not any(row.before for row in rows_of(*others).rows)


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        ((335544.3, 1342177.28), ["335,544", "1,342,177"]),
        ((3.0517578125e-4, 40, 0.5), ["0.0003052", "40", "0.5"]),
        ((0.4213, 2.1e-7, 0, INF), ["4.21e−1", "2.10e−7", "0", "∞"]),
        ((2.1e-7, 3e-8), ["2.10e−7", "3.00e−8"]),
        ((1024, 2048.7), ["1,024", "2,049"]),
    ],
)
def test_numbers_below_each_other_have_one_style(numbers: tuple[float, ...], texts: list[str]) -> None:
    assert column(numbers) == texts


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=6))
def test_no_column_mixes_plain_numbers_with_exponents(numbers: list[float]) -> None:
    texts = [text for x, text in zip(numbers, column(numbers), strict=True) if x and math.isfinite(x)]
    assert len({"e" in text for text in texts}) <= 1


def test_a_table_names_the_room_that_its_numbers_need() -> None:
    cols = tuple(Column(f"c{i}", f"Column {i}") for i in range(9))
    wide = words.table(Table(cols, ({col.key: 1234567.0 for col in cols},)))
    narrow = words.table(Table(cols[:2], ({col.key: 1.0 for col in cols},)))
    assert (narrow.room, wide.room) == ("room-16", "room-48")


def test_the_style_sheet_knows_every_room() -> None:
    css = (Path(__file__).resolve().parents[2] / "static" / "css" / "blocks.css").read_text(encoding="utf-8")
    assert [int(n) for n in re.findall(r"@container \(width < (\d+)rem\) { \.room-\1 ", css)] == list(
        room.ROOMS
    )


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
    assert len(view.heads[0].numbers) == (0 if view.as_table else 4 * view.n_rows * view.n_cols)


@given(st.lists(finite, max_size=6), st.lists(finite, max_size=6), st.booleans())
def test_any_series_can_be_drawn(x: list[float], y: list[float], log: bool) -> None:
    drawn = chart.series(Series(tuple(x), (Line("a", tuple(y), None, None),), "", log))
    assert all(math.isfinite(v) for curve in drawn.curves for dot in curve.dots for v in dot)


@given(finite)
def test_any_number_can_be_written(x: float) -> None:
    assert all(write(x) for write in (fixed, short, byte_words, cell))

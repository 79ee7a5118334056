"""Linked matrices: shades, hatching, heads, what is packed for the script."""

import base64
import json
import math
import struct
import zlib
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.demos import drawing
from app.demos.drawing import matrix, packed
from kernels.result import Block, Grid, HeadView, Matrix, Stage
from tests.demos.every import EMPTY

INF = math.inf


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

"""Predictions: what a card's claims let a learner fill in, and how the run marks it."""

import pytest

from app.study.marking import Field, Mark, Run, Sheet, fields, mark

SHAPES = {
    "id": "shapes",
    "type": "shapes",
    "data": {
        "steps": [
            {
                "name": "q",
                "dims": [{"n": 1, "label": "h"}, {"n": 3, "label": "n_q"}, {"n": 8, "label": "d_k"}],
            },
            {
                "name": "scores",
                "dims": [{"n": 1, "label": "h"}, {"n": 3, "label": "n_q"}, {"n": 6, "label": "n_kv"}],
            },
        ],
        "head_map": [0],
    },
}
MASK = {
    "id": "mask-bottom-right",
    "type": "mask",
    "data": {"n_q": 2, "n_kv": 3, "cells": [[1, 1, 0], [1, 1, 1]]},
}
TABLE = {
    "id": "points",
    "type": "table",
    "data": {
        "cols": [
            {"key": "kernel", "label": "Kernel", "unit": ""},
            {"key": "ms", "label": "A step", "unit": "ms"},
            {"key": "share", "label": "Share", "unit": ""},
            {"key": "bound", "label": "Bound by", "unit": ""},
            {"key": "nan", "label": "NaN rows", "unit": ""},
            {"key": "same", "label": "Same bits", "unit": ""},
        ],
        "rows": [
            {"kernel": "decode", "ms": 6.87, "share": 0.083, "bound": "bandwidth", "nan": 1, "same": False},
            {
                "kernel": "prefill",
                "ms": 50.0,
                "share": 0.9,
                "bound": "arithmetic",
                "nan": "inf",
                "same": True,
            },
        ],
    },
}
CHECK = {"id": "moved", "type": "check", "data": {"claim": "Nothing moves.", "got": 0.0, "holds": True}}
RUN = Run((SHAPES, MASK, TABLE, CHECK), "the recorded run on H200, 29 Nov 2026")


def sheet(*claims: str, run: Run | None = RUN) -> Sheet:
    return Sheet("predict", claims=claims, run=run)


def only(made: Sheet) -> Field:
    found = [field for field in fields(made) if field.name != "answer"]
    assert len(found) == 1
    return found[0]


def said(made: Sheet, text: str) -> Mark:
    found = mark(made, {only(made).name: text})
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [
        ("(3, 6)", "right", "Right."),
        ("3 x 6", "right", "Right."),
        ("[1, 3, 6]", "right", "Right."),
        ("torch.Size([3, 6])", "right", "Right."),
        ("(6, 3)", "wrong", "The sizes are right, their order is not."),
        ("(3, 8)", "wrong", "1 of 2 sizes is another."),
        ("(3, 6, 8)", "wrong", "It has 2 sizes, not 3."),
        (
            "three by six",
            "unread",
            "“three by six” is no shape; write its sizes in order, such as (2, 8, 16, 64).",
        ),
    ],
)
def test_a_shape(text: str, verdict: str, words: str) -> None:
    made = sheet("shapes.steps[1].dims[1].n = 3", "shapes.steps[1].dims[2].n = 6")
    assert (only(made).kind, only(made).label, only(made).folded) == ("shape", "Shape of scores", False)
    found = said(made, text)
    assert (found.fields[0].verdict, found.fields[0].words) == (verdict, words)
    assert found.against == "the recorded run on H200, 29 Nov 2026"


def test_a_shape_that_no_run_has_shown_is_held_against_the_claims() -> None:
    made = sheet("shapes.steps[1].dims[1].n = 3", "shapes.steps[1].dims[2].n = 6", run=None)
    assert only(made).label == "Shape at step 2"
    assert said(made, "3, 6").verdict == "right"
    assert "what the card claims" in said(made, "3, 6").against


def test_cells_of_a_mask() -> None:
    made = sheet("mask-bottom-right.cells[0][1] = 1", "mask-bottom-right.cells[0][2] = 0")
    field = only(made)
    assert (field.kind, len(field.rows), len(field.cols)) == ("mask", 2, 3)
    assert "bottom right" in field.label
    assert said(made, "110/111").fields[0].words == "All 6 cells are right."
    off = said(made, "100/111").fields[0]
    assert (off.verdict, off.words) == ("wrong", "1 of 6 cells differs.")
    assert (off.squares[0][1].said, off.squares[0][1].right) == (False, True)
    for text in ("11/11", "yes", "110", "112/111"):
        assert said(made, text).verdict == "unread"


def test_without_a_run_only_claimed_cells_are_marked() -> None:
    made = sheet("mask-bottom-right.cells[0][1] = 1", "mask-bottom-right.cells[1][2] = 0", run=None)
    assert said(made, "010/000").fields[0].words == "All 2 cells are right."
    assert said(made, "000/001").fields[0].words == "2 of 2 cells differ."


@pytest.mark.parametrize(
    ("claim", "text", "verdict"),
    [
        ("points.rows[0].ms = 6.87 +- 0.01", "6.87 ms", "right"),
        ("points.rows[0].ms = 6.87 +- 0.01", "6.9", "right"),
        ("points.rows[0].ms = 6.87 +- 0.01", "0.0069 s", "right"),
        ("points.rows[0].ms = 6.87 +- 0.01", "6.5 ms", "close"),
        ("points.rows[0].ms = 6.87 +- 0.01", "70 ms", "wrong"),
        ("points.rows[0].ms = 6.87 +- 0.01", "7 GB", "unread"),
        ("points.rows[0].share = 0.083 +- 0.0005", "8.3 %", "right"),
        ("points.rows[0].share = 0.083 +- 0.0005", "0.1", "wrong"),
        ("points.rows[0].nan = 1", "1", "right"),
        ("points.rows[0].nan = 1", "2", "wrong"),
        ("points.rows[1].nan = inf", "∞", "right"),
        ("points.rows[1].nan = inf", "infinity", "right"),
        ("points.rows[1].nan = inf", "-inf", "wrong"),
        ("points.rows[1].nan = inf", "12", "wrong"),
    ],
)
def test_a_value(claim: str, text: str, verdict: str) -> None:
    assert said(sheet(claim), text).verdict == verdict


def test_a_value_is_called_as_the_run_calls_it() -> None:
    assert only(sheet("points.rows[1].ms = 50")).label == "prefill: A step"
    assert only(sheet("points.rows[1].ms = 50", run=None)).label == "Points: rows 2 ms"
    assert only(sheet("points.rows[1].ms = 50")).folded


def test_which_of_several() -> None:
    made = sheet("points.rows[0].bound = bandwidth")
    assert only(made).choices == ("bandwidth", "arithmetic")
    assert said(made, "bandwidth").verdict == "right"
    assert said(made, "arithmetic").fields[0].words == "It is bandwidth."
    assert said(made, "luck").verdict == "unread"
    assert only(sheet("points.rows[0].same = false")).choices == ("yes", "no")
    assert said(sheet("points.rows[0].same = false"), "no").verdict == "right"


@pytest.mark.parametrize(
    "claim",
    [
        "moved.got = 0",
        "moved.holds = true",
        "points.rows[0].ms > 5",
        "points.rows[0].kernel = decode",
        "gone.rows[0].a = 1",
    ],
)
def test_what_would_tell_the_answer_or_cannot_be_guessed_is_no_field(claim: str) -> None:
    assert [field.name for field in fields(sheet(claim))] == ["answer"]


def test_a_prediction_in_words_is_kept_and_not_marked() -> None:
    found = mark(sheet("moved.got = 0"), {"answer": "nothing moves"})
    assert found is not None
    assert (found.verdict, found.suggests, found.against) == ("unmarked", None, "")


def test_a_number_with_many_digits_is_nobodys_guess() -> None:
    big = {"id": "flops", "type": "bytes", "data": {"rows": [{"label": "1 head", "n": 2147483648}]}}
    assert [field.kind for field in fields(sheet("flops.rows[0].n = 2147483648", run=Run((big,), "")))] == [
        "text"
    ]


def test_at_most_four_fields_beside_the_words() -> None:
    claims = [f"points.rows[{row}].{key} = 1" for row in (0, 1) for key in ("ms", "share", "nan", "same")]
    assert len(fields(sheet(*claims))) == 5


def test_the_worst_of_several_decides_and_points_to_a_grade() -> None:
    made = sheet("points.rows[0].ms = 6.87", "points.rows[0].nan = 1")
    names = [field.name for field in fields(made) if field.name != "answer"]
    both = mark(made, dict(zip(names, ("6.87", "1"), strict=True)))
    one = mark(made, dict(zip(names, ("6.87", "3"), strict=True)))
    assert both is not None
    assert one is not None
    assert (both.verdict, both.suggests, one.verdict, one.suggests) == ("right", 3, "wrong", 1)
    assert set(both.to_json()) == {"verdict", "fields", "against"}


def test_a_result_that_has_changed_its_form_breaks_nothing() -> None:
    for data in (None, [], {"steps": 3, "cells": "x", "rows": {}, "cols": 1}, {"cells": None, "steps": []}):
        run = Run(
            ({"id": "shapes", "type": "shapes", "data": data}, {"id": "m", "type": "mask", "data": data}),
            "a run",
        )
        claims = ("shapes.steps[1].dims[1].n = 3", "m.cells[0][0] = 1", "m.rows[0].a = 2")
        assert [field.name for field in fields(sheet(*claims, run=run))] == ["answer"]

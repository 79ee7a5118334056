"""Checks, code and tables in words."""

import re

import pytest

from app.demos import drawing
from app.demos.drawing import room, words
from app.settings import ROOT
from kernels.result import Check, Code, Column, Table
from tests.demos.every import EVERY


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


def test_a_table_names_the_room_that_its_numbers_need() -> None:
    cols = tuple(Column(f"c{i}", f"Column {i}") for i in range(9))
    wide = words.table(Table(cols, ({col.key: 1234567.0 for col in cols},)))
    narrow = words.table(Table(cols[:2], ({col.key: 1.0 for col in cols},)))
    assert (narrow.room, wide.room) == ("room-16", "room-48")


def test_the_style_sheet_knows_every_room() -> None:
    css = (ROOT / "static" / "css" / "blocks.css").read_text(encoding="utf-8")
    assert [int(n) for n in re.findall(r"@container \(width < (\d+)rem\) { \.room-\1 ", css)] == list(
        room.ROOMS
    )

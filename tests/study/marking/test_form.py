"""What a form sends, and the one field of the kinds that have one."""

import pytest

from app.library.values import Quantity
from app.study.marking import Field, Sheet, fields, mark
from app.study.marking.form import TooLong, clean, said

MASK = Field("m.cells", "mask", "Mask", rows=("query 0", "query 1"), cols=("key 0", "key 1"))
TEXT = Field("answer", "text", "Your answer")


def test_ticked_cells_become_rows() -> None:
    sent = [("showing", "x"), ("said.m.cells", "0.0"), ("said.m.cells", "1.1"), ("said.m.cells", "1.0")]
    assert said(sent, [MASK]) == {"m.cells": "10/11"}
    assert said([("showing", "x")], [MASK]) == {}


@pytest.mark.parametrize("value", ["", "0", "9.9", "-1.0", "a.b", "0.0.0", "²·1", "1" * 50 + ".0"])
def test_cells_that_there_are_not_are_left_out(value: str) -> None:
    assert said([("said.m.cells", value)], [MASK]) == {}


def test_what_is_empty_or_nobodys_was_not_said() -> None:
    assert said([("said.answer", "  "), ("said.other", "x"), ("answer", "y")], [TEXT]) == {}
    assert said([("said.answer", "fp16"), ("said.answer", "bf16")], [TEXT]) == {"answer": "fp16"}


def test_a_text_that_cannot_be_written_is_kept_as_it_can() -> None:
    assert clean({"answer": "a\ud800b"}) == {"answer": "a?b"}


def test_a_novel_is_refused_in_a_sentence() -> None:
    with pytest.raises(TooLong, match="shorten it"):
        clean({"answer": "x" * 5000})


@pytest.mark.parametrize(
    ("sheet", "kind"),
    [
        (Sheet("typed", accepted=("fp16",)), "text"),
        (Sheet("number", quantity=Quantity("320 KiB", 320.0, "KiB")), "quantity"),
        (Sheet("estimate", quantity=Quantity("40 GiB", 40.0, "GiB")), "quantity"),
        (Sheet("predict", quantity=Quantity("96", 96.0)), "quantity"),
        (Sheet("predict", accepted=("the first",)), "text"),
        (Sheet("spot", letter="B", letters=("A", "B", "C")), "letter"),
        (Sheet("code", code="x = 1"), "code"),
        (Sheet("predict"), "text"),
    ],
)
def test_each_kind_has_its_field(sheet: Sheet, kind: str) -> None:
    found = fields(sheet)
    assert [field.kind for field in found] == [kind]
    assert mark(sheet, {}) is None
    assert mark(sheet, {"answer": " "}) is None
    assert mark(sheet, {"nothing": "x"}) is None


@pytest.mark.parametrize("kind", ["question", "reverse", "cloze", "typed", "estimate", "spot", "code"])
def test_a_card_without_what_marks_it_is_a_plain_reveal(kind: str) -> None:
    assert fields(Sheet(kind)) == ()
    assert mark(Sheet(kind), {"answer": "x"}) is None


def test_the_wrong_sentence() -> None:
    sheet = Sheet("spot", letter="B", letters=("A", "B", "C"))
    for text, verdict in (("B", "right"), ("b", "right"), ("C", "wrong"), ("D", "unread"), ("?", "unread")):
        found = mark(sheet, {"answer": text})
        assert found is not None
        assert found.verdict == verdict
        assert found.suggests == {"right": 3, "wrong": 1, "unread": None}[verdict]

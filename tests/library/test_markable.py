"""What is kept of a note so that an answer to it can be marked, and answers of which several are right."""

import pytest

from app.library.errors import DeckErrors
from app.library.format import cards_of, parse_deck
from app.library.markable import markable, quantity, tolerance
from app.library.notes import Note
from app.library.values import Quantity, Tolerance

HEAD = "---\ndeck: a/b\ntitle: T\n---\n"


def note(*lines: str) -> Note:
    return parse_deck(HEAD + "\n".join(("Q: Which?", *lines, "id: one")), "deck.md").notes[0]


def test_typed_words_may_be_several() -> None:
    found = note("kind: typed", "answer: fp16 | float16|half", "A: Its exponent has 5 bits.")
    assert markable(found) == {"accepted": ["fp16", "float16", "half"]}
    assert cards_of(found)[0].back_md.startswith("**fp16** or **float16** or **half**")


def test_a_bar_of_its_own_is_written_with_a_backslash() -> None:
    assert markable(note("kind: typed", r"answer: a \| b | a or b")) == {"accepted": ["a | b", "a or b"]}


@pytest.mark.parametrize("answer", ["fp16 |", "| fp16", "a || b"])
def test_an_empty_side_is_named(answer: str) -> None:
    with pytest.raises(DeckErrors, match="nothing on one side"):
        note("kind: typed", f"answer: {answer}")


def test_a_number_and_its_tolerance() -> None:
    kept = markable(note("kind: number", "answer: 320 KiB", "tolerance: 1 %"))
    assert quantity(kept) == Quantity("320 KiB", 320.0, "KiB")
    assert tolerance(kept) == Tolerance(1.0, percent=True)
    assert quantity({}) is tolerance({}) is None


def test_an_estimate_keeps_its_tolerance_alone_since_its_answer_is_drawn() -> None:
    found = note("kind: estimate", "params: n=1|2", "answer: 2 * n -> KiB", "tolerance: 5 %")
    assert markable(found) == {"tolerance": {"value": 5.0, "percent": True}}


def test_a_prediction_with_an_answer() -> None:
    assert quantity(markable(note("kind: predict", "answer: 96"))) == Quantity("96", 96.0)
    assert markable(note("kind: predict", "answer: the first")) == {"accepted": ["the first"]}


def test_code_is_its_first_fence() -> None:
    found = note("kind: code", "A: This:", "```python", "x = 1", "y = 2", "```", "or", "```", "z", "```")
    assert str(markable(found)["code"]).strip() == "x = 1\ny = 2"


def test_other_kinds_keep_nothing() -> None:
    assert markable(note("A: So.")) == {}

"""A card's sides as lines to be read aloud."""

import pytest

from app.library.compose import ready
from app.library.drawing import often_wrong
from app.library.format import parse_deck
from app.library.render import render
from app.library.spoken_text import answer, code_words, question, spoken


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        ("Divide by $\\sqrt{d_k}$.\n\nThen *softmax*", ["Divide by the square root of d k.", "Then softmax."]),
        ("- one\n- two", ["one.", "two."]),
        ("| a | b |\n|--|--|\n| 1 | 2 |", ["A table is on the card."]),
        ("So:\n\n```python\nx = {1}\n```\n", ["So:", "Code is on the card."]),
        ("Call `F.softmax(x_i, dim=-1)`", ["Call F dot softmax of x i, dim equals minus 1."]),
        ("{{?}} and {{?of what?}} meet", ["blank and blank, of what, meet."]),
        ("It is {{=shown}}.", ["It is shown."]),
        ("40 GB/s, 5 MiB, 8.7 µs, 4 × 4, 0/0", [
            "40 GB per second, 5 mebibytes, 8.7 microseconds, 4 by 4, 0 over 0."
        ]),
        ("6 % of 71× costs \\$5, as in d_model", ["6 percent of 71 times costs 5 dollars, as in d model."]),
        ("(It ends.)", ["(It ends.)"]),
        ("", []),
    ],
)  # fmt: skip
def test_markdown_becomes_lines(markdown: str, lines: list[str]) -> None:
    assert spoken(render(markdown)).split("\n") == (lines or [""])


def test_what_is_often_said_and_wrong_is_not_read() -> None:
    assert spoken(render("Right.") + often_wrong(["“Wrong.” No."])) == "Right."


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("(B, h, n, d)", "B, h, n, d"),
        ("-(p * p.log()).sum(-1)", "minus p times p dot log, dot sum of minus 1"),
        ("scores + mask * -1e9", "scores plus mask times minus 1 e 9"),
        ("~mask", "not mask"),
        ("__init__", "init"),
    ],
)
def test_code_in_a_sentence_is_said(code: str, words: str) -> None:
    assert code_words(code) == words


DECK = """---
deck: test/deck
title: Test
---

Q: Write it.
A: $$x$$
say: ex
id: plain

C: {{c1::Queries}} meet keys.
A: Really.
say: What meets keys?
id: gap

Q: One side
kind: reverse
A: $y$
say: why
id: turned

Q: Which is wrong?
kind: spot
right: One.
right: Two.
wrong: Three.
A: Because.
id: odd
"""


def said(card_id: str) -> tuple[str, str]:
    for note in ready(parse_deck(DECK, "test.md")).notes:
        for card in note.cards:
            if note.note.id + card.suffix == card_id:
                told = (note.note.say, note.note.kind, card_id)
                return question(card.front, *told), answer(card.back, *told)
    raise AssertionError(card_id)


def test_say_stands_in_for_the_side_that_is_to_be_learned() -> None:
    assert said("plain") == ("Write it.", "ex.")
    assert said("gap.1") == ("What meets keys?", "Queries meet keys.\nReally.")
    assert said("turned") == ("One side.", "why.")
    assert said("turned.r") == ("why.", "One side.")


def test_sentences_are_read_with_their_letters() -> None:
    asked, told = said("odd")
    assert [line[:3] for line in asked.split("\n")] == ["Whi", "A: ", "B: ", "C: "]
    assert told.endswith("is wrong.\nBecause.")

"""One card's text within its file: whatever is done to it, all else stays byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.library import blocks
from app.library.format import parse_deck
from app.library.text import unify

HEAD = "---\ndeck: test\ntitle: Test\n---\n"
TEXTS = (
    "Why?",
    "A line\n\nand another, *wide* and $a*b$",
    "x\n\n```python\nid: no field\n\n```",
    "  é\u0301 …  ",
    "1\n\n\n2",
)


@st.composite
def cards(draw: st.DrawFn, count: int) -> list[str]:
    made = []
    for at in range(count):
        question, answer = draw(st.sampled_from(TEXTS)), draw(st.sampled_from(TEXTS))
        extra = draw(st.sampled_from(["", "\nlevel: IC4", "\ntags: a, b\nsource: x"]))
        blank = draw(st.integers(0, 3)) * "\n"
        made.append(f"Q: {question}\nA: {answer}\nid: card-{at}{extra}\n{blank}")
    return made


@given(st.data(), st.integers(1, 5), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.booleans())
def test_editing_one_card_changes_no_byte_of_the_others(
    data: st.DataObject, count: int, end: str, marked: bool, ended: bool
) -> None:
    made = data.draw(cards(count))
    at = data.draw(st.integers(0, count - 1))
    text = HEAD + "".join(made)
    text = text if ended else text.rstrip("\n")
    raw = ("\ufeff" if marked else "") + text.replace("\n", end)
    span = blocks.find(raw, {f"card-{at}"})
    assert span is not None
    new = f"Q: {data.draw(st.sampled_from(TEXTS))}\nA: New.\nid: card-{at}\nlevel: IC5"
    done = blocks.put(raw, span, new)
    before = raw[: len(("\ufeff" if marked else "") + (HEAD + "".join(made[:at])).replace("\n", end))]
    after = "".join(made[at + 1 :]) if ended else "".join(made[at + 1 :]).rstrip("\n")
    assert done.startswith(before)
    assert done.endswith(after.replace("\n", end))
    notes = parse_deck(done, "x").notes
    assert [note.id for note in notes] == [f"card-{n}" for n in range(count)]
    assert notes[at].answer == "New."
    assert blocks.put(done, blocks.find(done, {f"card-{at}"}) or span, span.text) == raw
    assert set(done) - set(unify(done)) <= set(raw) - set(unify(raw))
    gone = blocks.remove(raw, span)
    assert [note.id for note in parse_deck(gone, "x").notes] == [f"card-{n}" for n in range(count) if n != at]
    assert gone.startswith(before)
    more = blocks.add(raw, "Q: More?\nA: Yes.\nid: more")
    assert more.startswith(raw)
    assert [note.id for note in parse_deck(more, "x").notes][-1] == "more"


def test_a_former_id_finds_its_card_unless_another_has_it_now() -> None:
    deck = HEAD + "Q: 1\nA: 1\nid: new\nwas: old\n\nQ: 2\nA: 2\nid: other\n"
    found = blocks.find(deck, {"old"})
    assert found is not None
    assert blocks.own_id(found.text) == "new"
    assert blocks.find(deck, {"none"}) is None


def test_a_card_is_found_in_a_file_with_mistakes() -> None:
    deck = HEAD + "Q: no id\n\nstray\n\nQ: 2\nA: 2\nid: other\n"
    found = blocks.find(deck, {"other"})
    assert found is not None
    assert found.text == "Q: 2\nA: 2\nid: other"


@pytest.mark.parametrize("card", ["Q: 1\nA: 2\nid: x\nlevel: IC4", "C: a {{c1::b}}\nid: x", "Q: 1\nA: 2"])
def test_a_line_is_set_changed_and_taken_out(card: str) -> None:
    once = blocks.with_line(card, "copied", "0123456789abcdef")
    twice = blocks.with_line(once, "copied", "fedcba9876543210")
    assert "copied: fedcba9876543210" in twice
    assert "0123456789abcdef" not in twice
    assert blocks.plain(blocks.with_line(twice, "retired", "yes")) == card


def test_a_fingerprint_is_of_the_text_and_not_of_its_spelling() -> None:
    card = "Q: Café?\nA: Yes.\nid: x"
    same = (card + "  \n\n", card.replace("\n", "\r\n"), card.replace("é", "e\u0301"))
    assert {blocks.fingerprint(text) for text in same} == {blocks.fingerprint(card)}
    assert blocks.fingerprint(blocks.with_line(card, "retired", "yes")) == blocks.fingerprint(card)
    assert blocks.fingerprint(card + "\ncore: yes") != blocks.fingerprint(card)

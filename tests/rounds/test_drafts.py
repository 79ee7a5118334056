"""What was asked becomes cards that can be read, whatever was typed, and changes no byte of what is there."""

from hypothesis import given, settings
from hypothesis import strategies as st

from app.library.format import parse_deck
from app.rounds.drafts import MOST_LINE, extended, lines
from tests.rounds.made import a_round

TYPED = st.text(
    st.sampled_from("abz $\\`*_{}[]<>#|~&:=-.!?()'\"é\t\n\rQA0") | st.characters(exclude_categories=["Cs"]),
    max_size=120,
)
ROUND = a_round(14)


@given(st.lists(TYPED, max_size=4))
@settings(max_examples=150)
def test_whatever_is_typed_gives_a_deck_that_can_be_read(typed: list[str]) -> None:
    asked = lines("\n".join(typed))
    text = extended("", ROUND, asked)
    if asked:
        notes = parse_deck(text, "debrief.md").notes
        assert 0 < len(notes) <= len(asked)
        assert len({note.id for note in notes}) == len(notes)
        assert {note.level for note in notes} == {"IC5"}
    assert extended(text, ROUND, asked) == text
    more = extended(text, ROUND, ["And one more?"])
    assert more.startswith(text.rstrip())


def test_lines_lose_their_list_marks_and_repeats() -> None:
    typed = "- Why?\n* Why?\n 1) How \t much?\r\n\n2. " + "x" * 900
    assert lines(typed) == ("Why?", "How much?", "x" * MOST_LINE)
    assert lines("-1 or 1?") == ("-1 or 1?",)


def test_what_the_learner_wrote_into_the_file_stays() -> None:
    text = extended("", ROUND, ["Why?"])
    mended = text.replace("*Still to be written: what would a strong answer have said?*", "Because.")
    assert "A: Because." in extended(mended, ROUND, ["Why?", "How?"])
    assert extended(mended, ROUND, ["How?"]).count("\nid: asked-2026-12-14-2\n") == 1

"""The material as a whole: enough of it, in order, of all kinds; each note with a source, most with a proof."""

import re
from collections import Counter

import pytest

from app.library.format import Note
from app.library.values import LEVELS
from kernels.catalog import DEMOS
from tests.content.shipped import DECKS, NOTES, REPORT, SPOKEN

ORDER = (
    "intuition", "formula", "scaling", "mask", "heads", "groups", "numerics", "flash", "cost", "cache", "serving",
    "kernels", "pitfalls", "numbers",
)  # fmt: skip
WORDS_A_MINUTE = 150
LEAST_FILLED = 0.85  # of a spoken card's time: a model text that is over too soon is no model
PLACE = (
    r"section|equation|Theorem|Algorithm|Table|Figure|Appendix|abstract|docs|documentation|README|\.py|configs?\b|"
    r"issue|pull request|changes of version|run of|proposition|page|params\.json"
)
TRIVIA = r"Falcon|BLEU|TFLOP/s"


def test_nothing_is_to_be_mended() -> None:
    assert [str(error) for error in REPORT.errors] == []


def test_the_decks_stand_in_the_order_in_which_they_are_learned() -> None:
    assert [deck.name for deck in DECKS] == [f"attention/{name}" for name in ORDER]
    numbers = [deck.path.rpartition("/")[2].partition("-")[0] for deck in DECKS]
    assert numbers == [f"{at:02}" for at in range(1, len(ORDER) + 1)]


def test_there_are_two_hundred_notes_and_about_a_hundred_to_know_first() -> None:
    assert len(NOTES) >= 200
    assert 90 <= sum(note.core for note in NOTES) <= 115


def test_each_level_and_kind_is_there_and_those_that_help_in_the_round_often() -> None:
    assert {note.level for note in NOTES} == set(LEVELS)
    kinds = Counter(note.kind for note in NOTES)
    assert kinds["estimate"] >= 10
    assert kinds["predict"] >= 20
    assert kinds["spot"] >= 12
    assert kinds["code"] >= 8
    assert set(kinds) >= {"question", "cloze", "number", "reverse", "typed", "spoken"}


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.id)
def test_each_note_has_a_level_tags_and_a_source_with_a_place_in_it(note: Note) -> None:
    assert note.level
    assert note.tags
    assert re.search(PLACE, note.source, re.IGNORECASE), note.source


def test_trivia_are_never_core() -> None:
    """What one product's sheet says today is no knowledge to begin with."""
    asked = {note.id for note in NOTES if note.core and re.search(TRIVIA, note.question)}
    assert not asked


def test_most_notes_are_proved_by_a_run_and_by_many_demos() -> None:
    proved = [note for note in NOTES if note.expects]
    assert len(proved) >= 0.6 * len(NOTES), f"{len(proved)} of {len(NOTES)} notes claim what a run shows"
    used = {(note.demo or "").split()[0] for note in proved}
    assert used <= set(DEMOS)
    assert len(used) >= 28, f"no card rests on {sorted(set(DEMOS) - used)}"


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.id)
def test_a_demo_is_there_to_prove_something_and_a_prediction_to_be_shown(note: Note) -> None:
    assert bool(note.demo) == bool(note.expects)
    assert note.kind not in ("predict", "estimate") or note.expects


def test_each_deck_and_the_pitch_can_be_said_aloud() -> None:
    assert len(SPOKEN) >= 24
    silent = [deck.name for deck in DECKS if not any(note.kind == "spoken" for note in deck.notes)]
    assert silent == []
    assert {note.time_s for note in SPOKEN if note.id.startswith("pitch-")} == {30, 90, 180}


@pytest.mark.parametrize("note", SPOKEN, ids=lambda note: note.id)
def test_the_model_text_fits_the_time_at_a_speaker_s_pace(note: Note) -> None:
    words, most = len(note.model.split()), (note.time_s or 0) * WORDS_A_MINUTE / 60
    assert LEAST_FILLED * most <= words <= most, f"{words} words are {60 * words / WORDS_A_MINUTE:.0f} s"


@pytest.mark.parametrize("note", SPOKEN, ids=lambda note: note.id)
def test_each_point_is_heard_in_the_model_text_and_not_doubted(note: Note) -> None:
    said = f" {spoken_form(note.model)} "
    for point in note.points:
        assert [phrase for phrase in point.hear if f" {spoken_form(phrase)} " in said], point.id
        assert point.doubt, point.id
        assert not [phrase for phrase in point.doubt if f" {spoken_form(phrase)} " in said], point.id


def spoken_form(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))

"""The shipped decks: nothing to mend in them, every kind and level there, and none of the field's worst errors told."""

import re
from collections import Counter
from pathlib import Path

import pytest

from app.library.check import check_decks
from app.library.format import Note
from app.library.values import LEVELS
from kernels.catalog import DEMOS, parse_line

DECKS = Path(__file__).resolve().parents[2] / "content" / "decks"
REPORT = check_decks([DECKS], parse_line)
NOTES = [note for deck in REPORT.decks for note in deck.notes]
SPOKEN = [note for note in NOTES if note.kind == "spoken"]
WORDS_A_MINUTE = 150
PLACE = r"section|equation|Theorem|abstract|docs|documentation|\.py|configs|issue|changes of version"

TOLD_WRONG = {
    "attention is memory-bound, whatever the kernel": (
        r"attention is (always |just )?(memory|bandwidth)",
        "On a GPU, attention is memory-bound.",
    ),
    "fused and plain attention give the same bits": (
        r"(?<!not )bit-(for-bit|identical)|(?<!not )bitwise",
        "Its output is bit-identical.",
    ),
    "FlashAttention's traffic is linear": (
        r"(traffic|access\w*)[^.]*(\blinear|\bO\(N\b)",
        "Its traffic becomes linear in the length.",
    ),
    "triu(1) for any lengths": (r"\.triu\(1\)", "hide = torch.ones(n_q, n_kv).triu(1)"),
    "Llama's 70B models share 4 to 1": (
        r"Llama-[23](\.\d)?-70B[^.;,]*\b(4:1|4 to 1|32 on 8)",
        "Llama-2-70B shares 4 to 1.",
    ),
    "Falcon is multi-query as a family": (
        r"Falcon(?!-7B)[^.;]*(multi-query|MQA)",
        "PaLM and Falcon are MQA.",
    ),
    "every dtype has an infinity": (r"in every dtype(?! that has)", "It is exact in every dtype."),
    "attention keeps the variance at one, whatever comes in": (
        r"keep (its|the) variance at one",
        "Divided by root d k to keep its variance at one, it goes through a softmax.",
    ),
    "any kernel shares PyTorch's alignment": (
        r"shares the top.left alignment",
        "PyTorch's is_causal shares the top left alignment.",
    ),
    "the 4 x 4 example with its misprints": (r"\b0\.(51|31|49)\b", "It gives 0.08, 0.41 and 0.51."),
}
"""Errors that circulate: a pattern that finds each where a card tells it, and a telling of it to try it on.

They may stand in wrong: and doubt: alone.
"""


def told(note: Note) -> str:
    """What the card asks and tells, without the wrong answers that it warns of."""
    return "\n".join((note.question, note.answer, note.model, note.say, *(p.text for p in note.points)))


def spoken_form(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def test_nothing_is_to_be_mended() -> None:
    assert [str(error) for error in REPORT.errors] == []


def test_the_first_deck_has_24_notes_of_all_levels_and_kinds() -> None:
    assert len(NOTES) == 24
    assert {note.level for note in NOTES} == set(LEVELS)
    assert {note.kind for note in NOTES} == {"question", "cloze", "number", "code", "spoken"}
    assert sorted(note.time_s or 0 for note in SPOKEN) == [30, 90]


def test_files_are_named_in_the_order_in_which_they_build_on_each_other() -> None:
    assert [deck.name for deck in REPORT.decks] == ["attention/core", "attention/heads", "attention/serving"]


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.id)
def test_each_note_has_a_level_tags_and_a_source_with_a_place_in_it(note: Note) -> None:
    assert note.level
    assert note.tags
    assert re.search(PLACE, note.source)


def test_two_thirds_are_proved_by_demos_of_the_catalogue() -> None:
    proved = [note for note in NOTES if note.demo and note.expects]
    assert len(proved) >= 16
    used = {(note.demo or "").split()[0] for note in proved}
    assert {"attention", "flash", "decode-alignment", "kv-cache"} <= used <= set(DEMOS)
    lines = Counter(note.demo for note in proved)
    assert len(lines) >= 12, f"too few different runs: {lines}"


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.id)
def test_a_demo_is_there_to_prove_something(note: Note) -> None:
    assert bool(note.demo) == bool(note.expects)


@pytest.mark.parametrize("note", SPOKEN, ids=lambda note: note.id)
def test_the_model_text_fits_the_time_at_a_speaker_s_pace(note: Note) -> None:
    words = len(note.model.split())
    low, high = {30: (70, 80), 90: (200, 237)}[note.time_s or 0]
    assert low <= words <= high, f"{words} words are {60 * words / WORDS_A_MINUTE:.0f} s"


@pytest.mark.parametrize(
    ("note", "index"),
    [(note, at) for note in SPOKEN for at in range(len(note.points))],
    ids=[f"{note.id}-{point.id}" for note in SPOKEN for point in note.points],
)
def test_each_point_is_heard_in_the_model_text_and_not_doubted(note: Note, index: int) -> None:
    point, said = note.points[index], f" {spoken_form(note.model)} "
    assert [phrase for phrase in point.hear if f" {spoken_form(phrase)} " in said]
    assert point.doubt
    assert not [phrase for phrase in point.doubt if f" {spoken_form(phrase)} " in said]


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.id)
def test_no_card_tells_one_of_the_dangerous_errors(note: Note) -> None:
    found = {
        name for name, (pattern, _) in TOLD_WRONG.items() if re.search(pattern, told(note), re.IGNORECASE)
    }
    assert not found


@pytest.mark.parametrize(("pattern", "telling"), TOLD_WRONG.values(), ids=TOLD_WRONG)
def test_the_pattern_finds_the_error_it_is_for(pattern: str, telling: str) -> None:
    assert re.search(pattern, telling, re.IGNORECASE)

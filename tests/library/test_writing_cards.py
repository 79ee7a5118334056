"""docs/writing-cards.md: its examples are decks that can be read, drawn and proved, and every field stands in it."""

import re
from pathlib import Path

import pytest

from app.library import estimates
from app.library.check import check_decks
from app.library.expression import FUNCTIONS
from app.library.fields import DECK_FIELDS, STARTS, TEXTS, VALUES
from app.library.format import KINDS, Note, cards_of, parse_deck
from app.library.params import to_check
from app.library.render import formula_errors
from app.library.rows import row
from kernels.catalog import parse_line

PAGE = (Path(__file__).parents[2] / "docs" / "writing-cards.md").read_text(encoding="utf-8")
EXAMPLES = [found[2] for found in re.finditer(r"^(`{3,})markdown\n(.*?)^\1$", PAGE, re.MULTILINE | re.DOTALL)]
HEAD = "---\ndeck: example\ntitle: Example\n---\n"
WORDS_A_SECOND = 2.5


def whole(example: str) -> str:
    return example if example.startswith("---") else HEAD + example


NOTES: list[Note] = [
    note for example in EXAMPLES for note in parse_deck(whole(example), "docs/writing-cards.md").notes
]


def spoken(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.id)
def test_an_example_is_a_card(note: Note) -> None:
    assert cards_of(note)
    assert formula_errors(note.question + "\n\n" + note.answer) == ()


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_passes_the_check(example: str, tmp_path: Path) -> None:
    path = tmp_path / "example.md"
    path.write_text(whole(example), encoding="utf-8")
    assert check_decks([path], parse_line).errors == ()


@pytest.mark.parametrize(
    "note", [note for note in NOTES if note.kind == "estimate"], ids=lambda note: note.id
)
def test_an_estimate_can_be_drawn(note: Note) -> None:
    drawn = {estimates.drawn(note, draw).question for draw in to_check(note.params)}
    assert len(drawn) > 5
    assert not any("{=" in question for question in drawn)


@pytest.mark.parametrize("note", [note for note in NOTES if note.model], ids=lambda note: note.id)
def test_a_model_answer_fits_its_time_and_says_its_points(note: Note) -> None:
    assert note.time_s
    assert 0.85 <= len(note.model.split()) / (note.time_s * WORDS_A_SECOND) <= 1
    model = f" {spoken(note.model)} "
    for point in note.points:
        assert any(f" {spoken(wording)} " in model for wording in point.hear), point.id
        assert not any(f" {spoken(wording)} " in model for wording in point.doubt), point.id


def test_there_is_an_example_of_each_kind_with_fields_of_its_own() -> None:
    assert {note.kind for note in NOTES} >= set(KINDS) - {"reverse"}


@pytest.mark.parametrize("name", [*STARTS, *TEXTS, *VALUES, *DECK_FIELDS, *KINDS])
def test_the_page_names_every_field_and_kind(name: str) -> None:
    assert re.search(rf"`{name}:?`|^\| {name} ", PAGE, re.MULTILINE)


def test_the_page_names_everything_that_an_expression_knows() -> None:
    rows = {"model": row("model", "llama-3-70b"), "gpu": row("gpu", "h200")}
    for name in (f"{table}.{cell}" for table, found in rows.items() for cell in found.cells):
        assert f"`{name}`" in PAGE
    assert " ".join(FUNCTIONS) in PAGE

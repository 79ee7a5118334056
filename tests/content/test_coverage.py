"""content/coverage.md is true: each heading and claim of the sources has its cards, and those are there."""

import re

import pytest

from tests.content.shipped import BY_ID, CONTENT

TABLE = re.compile(r"^\| (?P<id>[^|]+?) \| (?P<topic>[^|]+?) \| (?P<cards>[^|]+?) \|$", re.MULTILINE)
ROWS = [row for row in TABLE.finditer((CONTENT / "coverage.md").read_text(encoding="utf-8"))]
ROWS = [row for row in ROWS if row["id"] not in ("id", "---")]
WHY_NOT = re.compile(r"none: \S.{20,}")
CLAIMS = {f"A{n}" for n in range(1, 47)} | {f"B{n}" for n in range(1, 86)}
QUESTIONS = {f"Q{n:02}" for n in range(1, 65)}
NUMBERS = {f"N{n}" for n in range(1, 28)}
HEADINGS = {f"H1.{n}" for n in range(1, 16)} | {f"H2.{n}" for n in range(1, 13)}


def test_every_heading_claim_question_and_number_has_one_row() -> None:
    ids = [row["id"] for row in ROWS]
    assert sorted(ids) == sorted(set(ids))
    assert set(ids) == CLAIMS | HEADINGS | QUESTIONS | NUMBERS


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_row_names_cards_that_are_there_or_says_why_there_is_none(row: re.Match[str]) -> None:
    if row["cards"].startswith("none"):
        assert WHY_NOT.fullmatch(row["cards"])
    else:
        assert [name for name in row["cards"].split(", ") if name not in BY_ID] == []


@pytest.mark.parametrize("row", [row for row in ROWS if row["id"] in HEADINGS], ids=lambda row: row["id"])
def test_every_heading_can_be_explained_aloud(row: re.Match[str]) -> None:
    kinds = {BY_ID[name].kind for name in row["cards"].split(", ") if name in BY_ID}
    assert "spoken" in kinds or row["cards"].startswith("none")


def test_every_card_is_named_for_something() -> None:
    """A card that no row names is about something that neither source, question nor number asks for."""
    named = {name for row in ROWS for name in row["cards"].split(", ")}
    unnamed = {note_id for note_id in BY_ID if note_id not in named}
    assert len(unnamed) <= len(BY_ID) // 4, sorted(unnamed)

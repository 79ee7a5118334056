"""content/review.md is kept: each card, as it stands, was read again by somebody who had not written it."""

import re

import pytest

from app.library.format import Note
from tests.content.shipped import BY_ID, CONTENT, NOTES

SHOWN = 12  # characters of a hash
TABLE = re.compile(
    r"^\| (?P<id>[\w-]+) \| `(?P<hash>\w+)` \| (?P<finding>.+) \| (?P<change>.+) \|$", re.MULTILINE
)
ROWS = list(TABLE.finditer((CONTENT / "review.md").read_text(encoding="utf-8")))
LAST = {row["id"]: row for row in ROWS}


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.id)
def test_each_card_was_read_again_as_it_stands(note: Note) -> None:
    """Who changes a card has it read again, and adds a row with its new hash."""
    assert note.id in LAST, f"a row for {note.id} `{note.content_hash[:SHOWN]}`"
    assert LAST[note.id]["hash"] == note.content_hash[:SHOWN]


def test_a_finding_led_to_a_change_and_no_row_is_of_a_card_that_is_gone() -> None:
    assert [row["id"] for row in ROWS if row["id"] not in BY_ID] == []
    assert [row["id"] for row in ROWS if (row["finding"] == "none") != (row["change"] == "none")] == []

"""What the README says of the material is so."""

import re

from app.library.format import cards_of
from app.settings import ROOT
from tests.content.shipped import DECKS, NOTES, SPOKEN

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_counts_are_those_of_the_decks() -> None:
    told = re.search(r"(\d+) notes \((\d+) cards\) in (\d+) decks", README)
    assert told is not None
    cards = sum(len(cards_of(note)) for note in NOTES)
    assert [int(n) for n in told.groups()] == [len(NOTES), cards, len(DECKS)]
    assert f"{len(SPOKEN)} are spoken" in " ".join(README.split())


def test_four_notes_in_five_make_claims() -> None:
    assert "Four notes in five make claims" in " ".join(README.split())
    assert sum(bool(note.expects) for note in NOTES) / len(NOTES) >= 0.8

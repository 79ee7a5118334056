"""The decks that come with Aloud, read once for all tests of the material."""

from pathlib import Path

from app.library.check import Report, check_decks
from app.library.format import Note
from kernels.catalog import parse_line

CONTENT = Path(__file__).resolve().parents[2] / "content"
REPORT: Report = check_decks([CONTENT / "decks"], parse_line)
DECKS = REPORT.decks
NOTES: list[Note] = [note for deck in DECKS for note in deck.notes]
BY_ID = {note.id: note for note in NOTES}
SPOKEN = [note for note in NOTES if note.kind == "spoken"]

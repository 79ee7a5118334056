"""Notes with the text of their file. Data only."""

from dataclasses import dataclass

from app.library.notes import Deck, Note


@dataclass(frozen=True)
class SourceNote:
    """A note, the key that it is stored under for life, the deck that it is studied in (of an edited copy that of the
    shipped card), and its lines as they stand in its file.
    """

    key: str
    deck: str
    note: Note
    text: str


@dataclass(frozen=True)
class SourceDeck:
    """A deck file and those of its notes that were asked for, in the file's order."""

    deck: Deck
    origin: str
    notes: tuple[SourceNote, ...]

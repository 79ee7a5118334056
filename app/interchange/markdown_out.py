"""Notes as deck files, each card as it stands in its file: what the decks/ folder of another Aloud reads."""

import io
import zipfile
from collections.abc import Sequence

from app.library.source_notes import SourceDeck


def text(source: SourceDeck) -> str:
    """A deck file with the notes that were asked for."""
    deck = source.deck
    head = [f"deck: {deck.name}", f"title: {deck.title}", *([f"demo: {deck.demo}"] if deck.demo else [])]
    return "\n".join(("---", *head, "---", "\n\n".join(note.text for note in source.notes), ""))


def file_name(source: SourceDeck) -> str:
    return source.deck.name.replace("/", "-") + ".md"


def zipped(decks: Sequence[SourceDeck]) -> bytes:
    """All of them in one zip, each under its deck's name."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out:
        for source in decks:
            out.writestr(file_name(source), text(source))
    return made.getvalue()

"""A parsed deck made ready to store: every text rendered, so that nothing is rendered while the database waits."""

from collections.abc import Collection
from dataclasses import dataclass

from app.library import drawing
from app.library.format import CardFace, Deck, Note, cards_of
from app.library.markable import markable
from app.library.render import plain, render


@dataclass(frozen=True)
class ReadyCard:
    ord: int
    suffix: str  # what the card's id has beyond its note's: "", ".1", ".r"
    queue: str
    front: str
    back: str
    words: str


@dataclass(frozen=True)
class ReadyNote:
    note: Note
    position: int
    body: dict[str, object]
    cards: tuple[ReadyCard, ...]


@dataclass(frozen=True)
class PlacedNote:
    """A note that is not drawn: only its place and its text count."""

    note: Note
    position: int


@dataclass(frozen=True)
class ReadyDeck:
    """`held` are notes that an edited copy elsewhere stands for, `same` those that are stored as they are."""

    deck: Deck
    notes: tuple[ReadyNote, ...]
    held: tuple[PlacedNote, ...] = ()
    same: tuple[PlacedNote, ...] = ()


def ready(deck: Deck, held: Collection[str] = (), same: Collection[str] = ()) -> ReadyDeck:
    """Draws every note but those whose ids are in `held` or `same`."""
    placed = list(enumerate(deck.notes))
    return ReadyDeck(
        deck,
        tuple(_note(note, at) for at, note in placed if note.id not in held and note.id not in same),
        tuple(PlacedNote(note, at) for at, note in placed if note.id in held),
        tuple(PlacedNote(note, at) for at, note in placed if note.id in same and note.id not in held),
    )


def _note(note: Note, position: int) -> ReadyNote:
    return ReadyNote(note, position, _body(note), tuple(_card(note, face) for face in cards_of(note)))


def _card(note: Note, face: CardFace) -> ReadyCard:
    kept = drawing.source(note)
    drawn = drawing.show(kept) if kept else None
    return ReadyCard(
        face.ord,
        face.id.removeprefix(note.id),
        "drill" if note.kind == "spoken" else "study",
        drawn.front() if drawn else render(face.front_md),
        drawn.answer if drawn else render(face.back_md) + drawing.often_wrong(note.wrong),
        drawn.words if drawn else plain(face.front_md),
    )


def _body(note: Note) -> dict[str, object]:
    """What a note has beyond its two sides, by kind; empty things are left out."""
    made: dict[str, object] = {
        "time_s": note.time_s,
        "points": [
            {
                "id": point.id,
                "text": point.text,
                "text_html": render(point.text, inline=True),
                "hear": list(point.hear),
                "doubt": list(point.doubt),
                **({"stage": point.stage} if point.stage else {}),
            }
            for point in note.points
        ],
        "stages": [{"name": stage.name, "seconds": stage.seconds} for stage in note.stages],
        "model": note.model,
        "model_html": render(note.model) if note.model else "",
        "answer_value": note.answer_value.text if note.answer_value else "",
        "expects": list(note.expects),
        "next": list(note.next),
        "say": note.say,
        "drawn": drawing.source(note),
        "markable": markable(note),
    }
    return {name: value for name, value in made.items() if value}

"""A parsed deck made ready to store: every text rendered, so that nothing is rendered while the database waits."""

from dataclasses import dataclass

from markupsafe import Markup

from app.library.format import CardFace, Deck, Note, cards_of
from app.library.render import plain, render
from app.library.spotting import listed, shuffled, verdict


@dataclass(frozen=True)
class ReadyCard:
    ord: int
    suffix: str  # what the card's id has beyond its note's: "", ".1", ".r"
    queue: str
    front: str
    back: str
    words: str


@dataclass(frozen=True)
class Faces:
    """A card's two sides as HTML. `shown` is the front above its answer; `sentences` are those of a spot."""

    front: str
    shown: str
    back: str
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReadyNote:
    note: Note
    position: int
    body: dict[str, object]
    cards: tuple[ReadyCard, ...]


@dataclass(frozen=True)
class ReadyDeck:
    deck: Deck
    notes: tuple[ReadyNote, ...]


def ready(deck: Deck) -> ReadyDeck:
    return ReadyDeck(deck, tuple(_note(note, at) for at, note in enumerate(deck.notes)))


def _note(note: Note, position: int) -> ReadyNote:
    return ReadyNote(note, position, _body(note), tuple(_card(note, face) for face in cards_of(note)))


def _card(note: Note, face: CardFace) -> ReadyCard:
    sides = faces(note, face, note.id)
    return ReadyCard(
        face.ord,
        face.id.removeprefix(note.id),
        "drill" if note.kind == "spoken" else "study",
        sides.front,
        sides.back,
        plain(face.front_md),
    )


def faces(note: Note, face: CardFace, key: str) -> Faces:
    """Both sides as HTML; `key` shuffles the sentences of a spot."""
    front, back = render(face.front_md), render(face.back_md)
    if note.kind != "spot":
        return Faces(front, front, back + _often_wrong(note))
    sentences = shuffled(note.right, note.wrong[0], key)
    return Faces(
        front + listed(sentences),
        front + listed(sentences, marked=True),
        verdict(sentences) + back,
        tuple(f"{sentence.letter}. {sentence.words}" for sentence in sentences),
    )


def _often_wrong(note: Note) -> Markup:
    """What people often answer, and why it is wrong; wherever the answer is shown, this is, too."""
    if not note.wrong:
        return Markup()
    texts = Markup().join(Markup("<li>{}</li>").format(render(text, inline=True)) for text in note.wrong)
    return Markup('<div class="wrong"><p>Often said, and wrong</p><ul>{}</ul></div>').format(texts)


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
            }
            for point in note.points
        ],
        "model": note.model,
        "model_html": render(note.model) if note.model else "",
        "answer_value": note.answer_value.text if note.answer_value else "",
        "expects": list(note.expects),
        "next": list(note.next),
        "say": note.say,
    }
    return {name: value for name, value in made.items() if value}

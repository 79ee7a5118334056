"""What the page to listen on shows: each card with its sides, and the words in which they are read. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.library import spoken_text
from app.study.cards import Card
from app.study.chosen import Chosen
from app.study.faces import face

KEY = "listen"  # what an estimate's numbers are drawn from: the same at each listening
SPEAKING_WPM = 150
PAUSE_S = 5


@dataclass(frozen=True)
class Heard:
    """A card; `asked` and `told` are what is read, a line for each paragraph."""

    id: str
    title: str
    deck: str
    question: Markup
    answer: Markup
    asked: str
    told: str


@dataclass(frozen=True)
class ListenView:
    cards: tuple[Heard, ...]
    words: str
    chosen: str
    pause_s: int


def listen_view(cards: Sequence[Card], due: int, chosen: Chosen) -> ListenView:
    heard = tuple(_heard(card) for card in cards)
    title = next((card.deck_title for card in cards if card.deck == chosen.deck), chosen.deck)
    named = (title, chosen.tag, chosen.level, "the core" if chosen.core else "")
    return ListenView(heard, _words(heard, due), ", ".join(filter(None, named)), PAUSE_S)


def _heard(card: Card) -> Heard:
    shown = face(card, KEY)
    question = shown.question + shown.listed
    return Heard(
        id=card.id,
        title=shown.words,
        deck=card.deck_title,
        question=question,
        answer=shown.answer,
        asked=spoken_text.question(question, shown.say, card.kind, card.id),
        told=spoken_text.answer(shown.answer, shown.say, card.kind, card.id),
    )


def _words(heard: Sequence[Heard], due: int) -> str:
    """How many, and about how long it takes to read them."""
    spoken = sum(len(card.asked.split()) + len(card.told.split()) for card in heard)
    minutes = max(1, round(spoken / SPEAKING_WPM + len(heard) * PAUSE_S / 60))
    which = f", {due} of them due" if 0 < due < len(heard) else ", all due" if due else ""
    cards = f"{len(heard)} card{'' if len(heard) == 1 else 's'}"
    return f"{cards}{which}: about {minutes} minute{'' if minutes == 1 else 's'}"

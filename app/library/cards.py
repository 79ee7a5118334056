"""What the library tells of its decks and cards: data only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

# A card's place in the order of the library: (own?, deck, note, ord, id).
Place = tuple[int, int, int, int, str]


@dataclass(frozen=True)
class CardRow:
    """A card as it is listed."""

    id: str
    words: str
    kind: str
    queue: str
    level: str
    core: bool
    deck: str
    deck_title: str
    demo: str | None
    place: Place


@dataclass(frozen=True)
class FollowUp:
    """A card that an interviewer goes on to."""

    id: str
    words: str
    level: str


# What a card of a kind asks for, in a line above its question; the others say it themselves.
ASKS: Mapping[str, str] = {
    "cloze": "Fill the gap",
    "code": "Write the code",
    "estimate": "Estimate",
    "number": "Give the number",
    "predict": "Predict, then run",
    "spot": "Spot the wrong sentence",
    "typed": "Give the exact words",
}


@dataclass(frozen=True)
class CardPage:
    """A card with all that there is to it."""

    row: CardRow
    front: str
    back: str
    source: str
    body: dict[str, object]
    tags: tuple[str, ...]
    siblings: tuple[str, ...]
    revision: int
    retired_at: datetime | None


@dataclass(frozen=True)
class DeckRow:
    """A deck, and how many cards it has."""

    name: str
    title: str
    origin: str
    cards: int


@dataclass(frozen=True)
class Written:
    """Where the text of a note stands, and that text as it was last read.

    `names` are all that a file may call it. `live`: at least one card of it is. `retired`: its file says to retire it.
    Of an edited copy: what it was copied from, and what the shipped deck says now, as far as that is known.
    """

    key: str
    names: frozenset[str]
    deck: str
    deck_title: str
    deck_origin: str
    deck_path: str
    origin: str
    path: str
    text: str
    live: bool
    retired: bool
    copied: str
    copied_text: str | None
    shipped_text: str | None

"""What the study room's service answers: data only."""

from dataclasses import dataclass
from datetime import datetime

from app.study.cards import Card, EventId
from app.study.memory import Grade
from app.study.queue import Counts
from app.study.scheduling import CardId, CardState


@dataclass(frozen=True)
class Desk:
    """The day as it stands: cards left, minutes they will take, cards answered, the answer undo would take back."""

    counts: Counts
    minutes: int
    done: int
    undoable: EventId | None


@dataclass(frozen=True)
class Showing(Desk):
    """The card to show now."""

    card: Card


@dataclass(frozen=True)
class Done(Desk):
    """Nothing is due now. `next_due`: when the next card comes; None: no card will."""

    next_due: datetime | None


@dataclass(frozen=True)
class Today(Desk):
    """The day at a glance. `next_due`: now, or when the next card comes; None: no card will."""

    next_due: datetime | None


@dataclass(frozen=True)
class Answered:
    """What an answer did; a repeat gives the same, and says whether the answer was undone since."""

    event: EventId
    card_id: CardId
    grade: Grade
    state: CardState
    interval: str
    undone: bool


@dataclass(frozen=True)
class Spoken:
    """A spoken card and where it stands; a new one is not `due`, but may be said at any time."""

    card_id: CardId
    state: CardState
    due: bool
    words: str


@dataclass(frozen=True)
class Undone:
    """What an undo brought back; a repeat gives the same."""

    event: EventId
    card_id: CardId
    kind: str
    state: CardState

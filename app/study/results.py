"""What the study room's service answers: data only."""

from dataclasses import dataclass
from datetime import datetime

from app.study.cards import Card, EventId
from app.study.memory import Grade
from app.study.queue import Counts
from app.study.scheduling import CardId, CardState


@dataclass(frozen=True)
class Showing:
    """The card to show now. `undoable` is the answer that undo would take back."""

    card: Card
    counts: Counts
    minutes: int
    done: int
    undoable: EventId | None


@dataclass(frozen=True)
class Done:
    """Nothing is due now. `next_due`: when the next card comes; None: no card will."""

    counts: Counts
    next_due: datetime | None
    done: int
    undoable: EventId | None


@dataclass(frozen=True)
class Today:
    """The day at a glance: cards left, minutes they take, and cards answered already."""

    counts: Counts
    minutes: int
    done: int
    next_due: datetime | None


@dataclass(frozen=True)
class Answered:
    """What an answer did; a repeat gives the same."""

    event: EventId
    card_id: CardId
    grade: Grade
    state: CardState
    interval: str


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

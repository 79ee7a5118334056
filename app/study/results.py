"""What the study room's service answers: data only."""

from dataclasses import dataclass
from datetime import datetime

from app.study.cards import Card, EventId
from app.study.marks import is_leech
from app.study.memory import Grade
from app.study.queue import Counts
from app.study.scheduling import CardId, CardState


@dataclass(frozen=True)
class Step:
    """What undo would take back, or redo would give again: an event and its kind."""

    event: EventId
    kind: str


@dataclass(frozen=True)
class Desk:
    """The day as it stands: cards left, minutes they will take, cards answered, what can be undone and redone."""

    counts: Counts
    minutes: int
    done: int
    undo: Step | None
    redo: Step | None

    @property
    def undoable(self) -> EventId | None:
        return self.undo.event if self.undo else None

    @property
    def redoable(self) -> EventId | None:
        return self.redo.event if self.redo else None


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
    """What an answer did; a repeat gives the same, and says whether the answer was undone since.

    `leech`: it suspended its card, which was forgotten too often.
    """

    event: EventId
    card_id: CardId
    grade: Grade
    state: CardState
    interval: str
    undone: bool
    leech: bool = False


@dataclass(frozen=True)
class Spoken:
    """A spoken card and where it stands; a new one is not `due`, but may be said at any time."""

    card_id: CardId
    state: CardState
    due: bool
    words: str


@dataclass(frozen=True)
class Undone:
    """Where an undo or a redo has left the event's card; a repeat gives the same."""

    event: EventId
    card_id: CardId
    kind: str
    state: CardState


@dataclass(frozen=True)
class Marked:
    """A card's marks, and what they are judged by."""

    card_id: CardId
    buried: bool
    suspended: bool
    flagged: bool
    remark: str
    lapses: int
    state: CardState

    @property
    def leech(self) -> bool:
        return is_leech(self.state)

"""What the study room knows of a card: data only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, NewType

from app.study.marks import Kind, Marks
from app.study.memory import Grade
from app.study.scheduling import CardId, CardState

EventId = NewType("EventId", int)


@dataclass(frozen=True)
class Standing:
    """A learner's state of a card, with what is no part of the scheduling.

    `version` grows with every change that moves the card in a queue; a flag and a note to self do not.
    """

    state: CardState
    buried_until: date | None
    suspended: bool
    version: int
    flag: int = 0
    remark: str = ""

    @property
    def marks(self) -> Marks:
        return Marks(self.buried_until, self.suspended, self.flag, self.remark)


@dataclass(frozen=True)
class Card:
    """A card and where the learner stands with it. `front` and `back` are HTML, sanitised when it was read.

    `drawn` is what a showing draws from, where numbers or order are drawn; `next` are the ids of what is asked next;
    `say` is read in place of a side that cannot be read out as it is written; `markable` is what it is marked by,
    and `claims` are what the card says of its demo's run.
    """

    id: CardId
    note_key: str
    deck: str
    deck_title: str
    kind: str
    queue: str
    level: str
    tags: tuple[str, ...]
    source: str
    demo: str | None
    front: str
    back: str
    words: str
    retired: bool
    note_revision: int
    standing: Standing
    drawn: Mapping[str, object] | None = None
    next: tuple[str, ...] = ()
    say: str = ""
    markable: Mapping[str, object] = field(default_factory=dict)
    claims: tuple[str, ...] = ()

    @property
    def revision(self) -> str:
        """Covers state and text: it changes when the card is answered, undone, buried or edited."""
        return f"{self.standing.version}.{self.note_revision}"


@dataclass(frozen=True)
class Buried:
    """A sibling that an answer hid until `until`, and until when it had been hidden before."""

    card_id: CardId
    before: date | None
    until: date

    def to_json(self) -> dict[str, object]:
        before = self.before.isoformat() if self.before else None
        return {"card": self.card_id, "before": before, "until": self.until.isoformat()}

    @classmethod
    def from_json(cls, body: dict[str, str]) -> "Buried":
        before = date.fromisoformat(body["before"]) if body["before"] else None
        return cls(CardId(body["card"]), before, date.fromisoformat(body["until"]))


@dataclass(frozen=True)
class Event:
    """An answer as the log has it. `ms` is the time to answer; `day_ends` the moment at which its day ended.

    An answer of a cram has the same state before and after, and no settings. `drawn` is what the question was asked
    with, by name.
    """

    id: EventId
    card_id: CardId
    note_key: str
    kind: str
    at: datetime
    study_day: date
    day_ends: datetime
    grade: Grade
    ms: int | None
    before: CardState
    after: CardState
    snapshot_id: int | None
    algorithm: str | None
    buried: tuple[Buried, ...]
    undone: bool
    turns: int = 0  # how often it was undone or redone
    leech: bool = False  # whether it suspended the card
    drawn: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """A change of a card's marks as the log has it."""

    id: EventId
    card_id: CardId
    note_key: str
    kind: Kind
    before: Marks
    after: Marks
    undone: bool
    turns: int


@dataclass(frozen=True)
class Moved:
    """A card that was called into the queue of a day, as the log has it: it is due then, and no answer was given."""

    id: EventId
    card_id: CardId
    note_key: str
    kind: Literal["reschedule"]
    study_day: date
    before: CardState
    after: CardState
    undone: bool
    turns: int


Entry = Event | Change | Moved  # what undo takes back


@dataclass(frozen=True)
class Damaged:
    """A row that stands in the log and cannot be read; `why` says what is wrong, for a person who mends it."""

    id: EventId
    card_id: CardId
    why: str

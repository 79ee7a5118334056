"""What the drill room is about: a pitch (a spoken card) with its key points, and the takes of it. Data only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NewType

from app.drill.recording.sound import RecordingId
from app.drill.stages import Stage
from app.library import spoken_text
from app.study.cards import EventId
from app.study.scheduling import CardId

TakeId = NewType("TakeId", int)


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that a good take says; `hear` are wordings that show it was said, `doubt` those of a mistake."""

    id: str
    text: str
    html: str
    hear: tuple[str, ...] = ()
    doubt: tuple[str, ...] = ()
    stage: str = ""  # of a case that it belongs to

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> "Point":
        return cls(
            body["id"],
            body["text"],
            body["text_html"],
            tuple(body.get("hear", ())),
            tuple(body.get("doubt", ())),
            body.get("stage", ""),
        )

    def body(self) -> dict[str, str]:
        """As it is kept with a take; `of` reads it back."""
        stage = {"stage": self.stage} if self.stage else {}
        return {"id": self.id, "text": self.text, "text_html": self.html, **stage}


@dataclass(frozen=True, slots=True)
class Take:
    """One time that a pitch was said: `ticks` are the ids among `points`, the points as they stood then.

    `text` is what was said, or typed where there is no recording; `pace` (see app.drill.scoring.pace) and `marks`, by
    point, are kept as they were shown. None where nothing was heard, or not yet.
    """

    id: TakeId
    card_id: CardId
    event_id: EventId
    at: datetime
    planned_s: int
    spoken_ms: int
    ticks: tuple[str, ...]
    points: tuple[Point, ...]
    interrupted: bool
    notes_shown: bool
    grade: int
    undone: bool
    recording_id: RecordingId | None = None
    text: str | None = None
    pace: Mapping[str, Any] | None = None
    marks: Mapping[str, str] | None = None

    @property
    def typed(self) -> bool:
        return self.recording_id is None and self.text is not None


@dataclass(frozen=True, slots=True)
class Pitch:
    """A spoken card. `front` is HTML, `words` the same as plain text; `next` are the ids of what is asked next.

    `deck` is the deck's title, as every page has it; `say` is what is read aloud in place of the question.
    """

    card_id: CardId
    deck: str
    level: str
    source: str
    front: str
    words: str
    planned_s: int
    points: tuple[Point, ...]
    model_html: str
    retired: bool
    next: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()
    say: str = ""

    @property
    def aloud(self) -> str:
        """The question as it is read aloud."""
        return spoken_text.question(self.front, self.say, "spoken", self.card_id)


@dataclass(frozen=True, slots=True)
class Listed:
    """A pitch of the decks, with its latest take that counts."""

    card_id: CardId
    level: str
    words: str
    planned_s: int
    last: Take | None


@dataclass(frozen=True, slots=True)
class Choice:
    """A pitch to choose, and when it is due; None: it was never said."""

    pitch: Listed
    due_day: date | None

    @property
    def card_id(self) -> CardId:
        return self.pitch.card_id

    def is_due(self, today: date) -> bool:
        return self.due_day is None or self.due_day <= today


def in_order(choices: Sequence[Choice], today: date) -> tuple[Choice, ...]:
    """Due first, the longest overdue at the top; then those never said, as the decks have them; then later ones."""

    def rank(choice: Choice) -> tuple[int, date]:
        if choice.due_day is None:
            return 1, date.min
        return (0 if choice.is_due(today) else 2), choice.due_day

    return tuple(sorted(choices, key=rank))

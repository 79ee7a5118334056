"""A mock interview and what was asked in it. Data only."""

from dataclasses import dataclass
from datetime import datetime
from typing import NewType

from app.drill.attempt import Attempt
from app.drill.pitch import Pitch, TakeId
from app.mock.course import Turn
from app.mock.plan import Wish
from app.study.aloud import Put
from app.study.cards import EventId
from app.study.scheduling import CardId

InterviewId = NewType("InterviewId", int)


@dataclass(frozen=True, slots=True)
class Interview:
    id: InterviewId
    wish: Wish
    drawn: tuple[CardId, ...]
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of an interview: its turn, the attempt at it, and what came of it.

    `spoken`: its card is one to be said, with key points; else it is one to read. `text` is what was typed. `undone`:
    its rating was taken back.
    """

    turn: Turn
    attempt: Attempt
    spoken: bool
    text: str = ""
    event_id: EventId | None = None
    take_id: TakeId | None = None
    undone: bool = False

    @property
    def open(self) -> bool:
        return self.turn.done_at is None


@dataclass(frozen=True, slots=True)
class Sitting:
    """An interview with all that was asked; `asks` is the content of the open question, None once it is over."""

    interview: Interview
    asked: tuple[Asked, ...]
    asks: Pitch | Put | None

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(asked.turn for asked in self.asked)

    @property
    def current(self) -> Asked | None:
        """The open question; an interview has at most one."""
        return next((asked for asked in self.asked if asked.open), None)

"""What each of the four grades does to a card. Pure: the moment, its study day and the day's end are arguments.

`answers` gives all four outcomes at once. The buttons show them, and an answer takes one of them, so that a preview
and its result cannot differ.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Literal, NewType, cast

from app.accounts.learner import Preferences
from app.study import fuzz, steps
from app.study.memory import DEFAULT_WEIGHTS, Grade, Memory, Model, Recall

CardId = NewType("CardId", str)
State = Literal["new", "learning", "review", "relearning"]
ROOM_ABOVE = {
    Grade.AGAIN: 2,
    Grade.HARD: 2,
    Grade.GOOD: 1,
    Grade.EASY: 0,
}  # days kept free for the grades above


@dataclass(frozen=True)
class SchedulerSettings:
    """What an answer depends on besides the card. Steps in minutes, intervals in days.

    Raises ValueError, in a sentence, for values that do not fit.
    """

    weights: tuple[float, ...] = DEFAULT_WEIGHTS
    retention: float = 0.9
    maximum_interval: int = 36500
    learning_steps: tuple[float, ...] = (1.0, 10.0)
    relearning_steps: tuple[float, ...] = (10.0,)
    fuzz: bool = True

    def __post_init__(self) -> None:
        self.model  # noqa: B018  (checks weights, retention and maximum)
        if any(step <= 0 for step in (*self.learning_steps, *self.relearning_steps)):
            raise ValueError("Each step must be longer than 0 minutes.")

    @cached_property
    def model(self) -> Model:
        return Model(self.weights, self.retention, self.maximum_interval)

    @classmethod
    def of(cls, prefers: Preferences) -> "SchedulerSettings":
        """What a learner's answers are scheduled by. Forecasts and curves ask here, too, and know the same weights."""
        return cls(
            retention=prefers.retention,
            maximum_interval=prefers.maximum_interval,
            learning_steps=prefers.learning_steps,
            relearning_steps=prefers.relearning_steps,
        )

    def without_steps(self) -> "SchedulerSettings":
        """For spoken cards: every answer leads into days."""
        return replace(self, learning_steps=(), relearning_steps=())

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def from_json(cls, body: Mapping[str, object]) -> "SchedulerSettings":
        known = {k: tuple(v) if isinstance(v, list) else v for k, v in body.items()}
        return cls(**known)  # type: ignore[arg-type]


@dataclass(frozen=True)
class CardState:
    """Where a card stands. `interval` is in whole days, of a graduated card; `step` counts from 0."""

    state: State = "new"
    memory: Memory | None = None
    due_day: date | None = None
    due_at: datetime | None = None
    last_day: date | None = None
    interval: int | None = None
    step: int | None = None
    lapses: int = 0
    reps: int = 0

    def to_json(self) -> dict[str, object]:
        return {
            "state": self.state,
            "stability": self.memory.stability if self.memory else None,
            "difficulty": self.memory.difficulty if self.memory else None,
            "due_day": self.due_day.isoformat() if self.due_day else None,
            "due_at": self.due_at.isoformat() if self.due_at else None,
            "last_day": self.last_day.isoformat() if self.last_day else None,
            "interval": self.interval,
            "step": self.step,
            "lapses": self.lapses,
            "reps": self.reps,
        }

    @classmethod
    def from_json(cls, body: Mapping[str, object]) -> "CardState":
        def day(name: str) -> date | None:
            return date.fromisoformat(str(body[name])) if body[name] else None

        known = body["stability"] is not None
        return cls(
            state=cast(State, body["state"]),
            memory=Memory(cast(float, body["stability"]), cast(float, body["difficulty"])) if known else None,
            due_day=day("due_day"),
            due_at=datetime.fromisoformat(str(body["due_at"])) if body["due_at"] else None,
            last_day=day("last_day"),
            interval=cast("int | None", body["interval"]),
            step=cast("int | None", body["step"]),
            lapses=cast(int, body["lapses"]),
            reps=cast(int, body["reps"]),
        )


@dataclass(frozen=True)
class Next:
    """What a grade leads to: the state after it, and the wait, in minutes and less (`delay`) or in days."""

    state: CardState
    delay: timedelta | None
    days: int | None


@dataclass(frozen=True)
class When:
    """When an answer is given: the moment, its study day, and the moment at which that day ends."""

    now: datetime
    day: date
    day_ends: datetime


def called(state: CardState, day: date) -> CardState:
    """The card due on `day`, sooner than its schedule has it; itself where it is due by then anyway.

    Its memory stays as it is: the answer to come is judged by the time that has really passed. A new card stands
    before its first step then, no longer in the row of new cards, of which only so many come a day.
    """
    if state.state == "new":
        return replace(state, state="learning", step=0, due_day=day)
    if state.due_day is None or state.due_day <= day:
        return state
    return replace(state, due_day=day, due_at=None)


def answers(state: CardState, settings: SchedulerSettings, when: When, card_id: CardId) -> dict[Grade, Next]:
    """The outcome of each grade. Among graduated outcomes hard < good < easy, as far as the maximum has room."""
    today = max(when.day, state.last_day) if state.last_day else when.day  # a clock may run backwards
    elapsed = (today - state.last_day).days if state.last_day else 0
    drawn = fuzz.fraction(card_id, state.reps) if settings.fuzz else None
    floor = 1
    found: dict[Grade, Next] = {}
    for grade in Grade:
        recall = settings.model.after(state.memory, grade, elapsed)
        answered = _answered(state, grade, recall, today)
        step = _step(state, grade, settings)
        most = max(1, settings.maximum_interval - ROOM_ABOVE[grade])
        if step is not None:
            found[grade] = _wait(answered, step, when, most)
            floor = max(floor, found[grade].days or 0)
        else:
            days = _interval(recall.days, grade, state.interval, floor, most, drawn)
            found[grade] = _graduate(answered, days, today)
            floor = days if grade is Grade.AGAIN else days + 1
    return found


def _answered(state: CardState, grade: Grade, recall: Recall, today: date) -> CardState:
    lapsed = state.state == "review" and grade is Grade.AGAIN
    return replace(
        state,
        memory=recall.memory,
        last_day=today,
        reps=state.reps + 1,
        lapses=state.lapses + (1 if lapsed else 0),
    )


def _step(state: CardState, grade: Grade, settings: SchedulerSettings) -> steps.Step | None:
    """The minute step that `grade` leads to; None: into days."""
    if state.state in ("new", "learning"):
        return steps.after(grade, state.step or 0, settings.learning_steps)
    if state.state == "relearning" or grade is Grade.AGAIN:
        return steps.after(grade, state.step or 0, settings.relearning_steps)
    return None


def _wait(answered: CardState, step: steps.Step, when: When, most: int) -> Next:
    """A step within the study day waits by the clock; one that crosses the day's end counts in days, up to `most`."""
    due_at = when.now + step.delay
    crossed = due_at >= when.day_ends
    days = min(1 + (due_at - when.day_ends).days, most) if crossed else None
    waiting = replace(
        answered,
        state="learning" if answered.state in ("new", "learning") else "relearning",
        step=step.index,
        interval=None,
        due_at=None if crossed else due_at,
        due_day=when.day + timedelta(days=days or 0),
    )
    return Next(waiting, None if crossed else step.delay, days)


def _interval(days: int, grade: Grade, last: int | None, floor: int, most: int, drawn: float | None) -> int:
    if drawn is None or grade is Grade.AGAIN:
        return min(max(days, floor), most)
    return fuzz.fuzzed(days, drawn, floor, most, last)


def _graduate(answered: CardState, days: int, today: date) -> Next:
    graduated = replace(
        answered, state="review", step=None, interval=days, due_at=None, due_day=today + timedelta(days=days)
    )
    return Next(graduated, None, days)

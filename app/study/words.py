"""Waits and standings in words."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from app.study.cards import Standing
from app.study.chosen import Chosen
from app.study.memory import Grade
from app.study.scheduling import Next

MONTH, YEAR = 30.4375, 365.25  # days


@dataclass(frozen=True)
class Choice:
    """A grade's button."""

    grade: int
    word: str
    interval: str


# A cram's buttons: it only asks whether the card was known.
CRAM = (Choice(int(Grade.AGAIN), Grade.AGAIN.word, "once more"), Choice(int(Grade.GOOD), "Known", "done"))


def chosen(which: Chosen) -> str:
    """What was chosen, in a few words; empty where it is all that is due."""
    parts = [
        {"cram": "Cram", "ahead": f"{days(which.ahead)} ahead", "schedule": ""}[which.way],
        which.deck,
        which.level,
        f"tag {which.tag}" if which.tag else "",
        "core" if which.core else "",
    ]
    return " · ".join(part for part in parts if part)


def interval(wait: Next) -> str:
    """What stands on a grade's button: "10 min", "2 days", "1.5 months"."""
    return minutes(wait.delay) if wait.delay is not None else days(wait.days or 0)


def minutes(delay: timedelta) -> str:
    length = delay.total_seconds() / 60
    if length < 60:
        return f"{_short(length)} min"
    return f"{_short(length / 60)} h"


def days(count: int) -> str:
    if count < 30:
        return _plural(count, "day")
    if count < 365:
        return _plural_of(count / MONTH, "month")
    return _plural_of(count / YEAR, "year")


def until(moment: datetime, now: datetime) -> str:
    """The time from `now` to `moment` as one says it: "a moment", "8 minutes", "3 hours", "2 days"."""
    left = (moment - now).total_seconds() / 60
    if left < 1:
        return "a moment"
    if round(left) < 60:
        return _plural(round(left), "minute")
    if left < 36 * 60:
        return _plural(round(left / 60), "hour")
    return _plural(round(left / 1440), "day")


def standing(found: Standing, today: date, now: datetime) -> str:
    """Where a card stands: "new", "due today", "due in 8 minutes", "due in 1.5 months"."""
    state = found.state
    if found.suspended:
        return "suspended"
    hidden = found.buried_until is not None and found.buried_until > today
    if state.state == "new":
        return "new, hidden until tomorrow" if hidden else "new"
    if state.due_at is not None and state.due_at > now:
        return f"due in {until(state.due_at, now)}"
    left = (state.due_day - today).days if state.due_day else 0
    if left > 0:
        return f"due in {days(left)}"
    if hidden:
        return "due, hidden until tomorrow"
    return "due today" if left == 0 else f"due for {days(-left)}"


def choices(waits: dict[Grade, Next]) -> tuple[Choice, ...]:
    return tuple(Choice(int(grade), grade.word, interval(wait)) for grade, wait in waits.items())


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _plural_of(value: float, noun: str) -> str:
    count = _short(value)
    return f"{count} {noun}{'' if count == '1' else 's'}"

"""Minute steps: where an answer leads within them, or None where it leads out of them, into days."""

from dataclasses import dataclass
from datetime import timedelta

from app.study.memory import Grade

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Step:
    """A place in the steps, counted from 0, and the time until the card comes back."""

    index: int
    delay: timedelta


def after(grade: Grade, index: int, steps: tuple[float, ...]) -> Step | None:
    """The step after `grade` on the step `index` of `steps` (in minutes); None: the card graduates.

    >>> after(Grade.HARD, 0, (1, 10))
    Step(index=0, delay=datetime.timedelta(seconds=330))
    """
    if not steps or grade is Grade.EASY:
        return None
    index = min(index, len(steps) - 1)  # the settings may have had more steps when the card was last answered
    if grade is Grade.AGAIN:
        return _step(0, steps)
    if grade is Grade.HARD:
        return Step(index, _hard(index, steps))
    return _step(index + 1, steps) if index + 1 < len(steps) else None


def _step(index: int, steps: tuple[float, ...]) -> Step:
    return Step(index, _minutes(steps[index]))


def _hard(index: int, steps: tuple[float, ...]) -> timedelta:
    this = steps[index]
    if index > 0:
        return _minutes(this)
    if len(steps) > 1:
        return _minutes((this + steps[1]) / 2)
    return min(_minutes(1.5 * this), _minutes(this) + DAY)


def _minutes(length: float) -> timedelta:
    """In whole milliseconds, as moments are kept: a state must come back from the log as it went in."""
    return timedelta(milliseconds=round(length * 60_000))

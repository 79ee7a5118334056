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
    return Step(index, timedelta(minutes=steps[index]))


def _hard(index: int, steps: tuple[float, ...]) -> timedelta:
    this = timedelta(minutes=steps[index])
    if index > 0:
        return this
    if len(steps) > 1:
        return (this + timedelta(minutes=steps[1])) / 2
    return min(1.5 * this, this + DAY)

"""A card's forgetting curve: the chance to recall it, from each answer to the next, as the memory model has it. Pure.

An answer lifts the chance to 1; from then on it falls by the stability that the answer left. Several answers of one
study day are one point, since the model counts in days.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from app.study.memory import Memory

POINTS = 24  # of a stretch: enough for its bend
AHEAD = 1.5  # how far beyond its due day a curve is drawn, in times of the wait

Recall = Callable[[Memory, int], float]


@dataclass(frozen=True)
class Answered:
    """What a study day's answers to a card came to: whether the first was recalled, and the memory after the last."""

    day: date
    recalled: bool
    memory: Memory


@dataclass(frozen=True)
class Stretch:
    """The chance to recall over the days after an answer, which was given `start` days after the first one."""

    start: int
    recalled: bool
    points: tuple[tuple[int, float], ...]  # days since the first answer, chance from 0 to 1

    @property
    def end(self) -> float:
        """The chance just before the next answer, or at the end of the drawing."""
        return self.points[-1][1]


def by_day(answers: Sequence[tuple[date, bool, Memory | None]]) -> tuple[Answered, ...]:
    """The answers, oldest first, one a study day: the first tells whether it was recalled, the last what was learned.

    A clock that was set back makes no earlier day.
    """
    days: list[Answered] = []
    for day, recalled, memory in answers:
        if memory is None:
            continue
        if days and day <= days[-1].day:
            days[-1] = Answered(days[-1].day, days[-1].recalled, memory)
        else:
            days.append(Answered(day, recalled, memory))
    return tuple(days)


def curve(days: Sequence[Answered], today: date, last: date, recall: Recall) -> tuple[Stretch, ...]:
    """A stretch for each of `days`, the newest one up to `last`, with a point at `today` where that lies in it."""
    made = []
    for at, one in enumerate(days):
        newest = at + 1 == len(days)
        until = max(last, one.day + timedelta(days=1)) if newest else days[at + 1].day
        offset, length = (one.day - days[0].day).days, (until - one.day).days
        steps = {round(length * i / POINTS) for i in range(POINTS + 1)}
        steps |= {(today - one.day).days} if newest and one.day <= today <= until else set()
        points = tuple((offset + step, recall(one.memory, step)) for step in sorted(steps))
        made.append(Stretch(offset, one.recalled, points))
    return tuple(made)


def last_day(days: Sequence[Answered], due: date | None, today: date) -> date:
    """How far to draw: to today, and beyond the due day by half of the wait, so that its fall can be seen."""
    if not days or due is None:
        return today
    wait = (due - days[-1].day).days
    return max(today, days[-1].day + timedelta(days=round(AHEAD * wait)))

"""What is to be expected of a card until a day: how often it is answered, and the chance to recall it then. Pure.

Days are counted from today, 0; a last answer lies at a day below that. The assumptions, which the page names:

- every card is answered on the day it is due, as FSRS says and without fuzz; what is overdue, today;
- a card is recalled with the chance that FSRS gives it: then it is graded Good, else Again, and Good ten minutes later;
- the first answers to new cards fall as FIRST says;
- branches that are less likely than LEAST are not followed.

`make bench` holds the result against simulated learners who use all four grades, fuzz and limits.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from app.study.memory import Grade, Memory, Model, Recall

FIRST: Mapping[Grade, float] = {Grade.AGAIN: 0.25, Grade.HARD: 0.1, Grade.GOOD: 0.5, Grade.EASY: 0.15}
LEAST = 0.02


@dataclass(frozen=True)
class Branch:
    """With the chance `chance` the card has this memory since the day `last`, and is due on `due`."""

    chance: float
    memory: Memory
    last: int
    due: int


@dataclass(frozen=True)
class Look:
    """A last look: a card that was not answered from the day `since` on is shown on `day`, if not before."""

    since: int
    day: int


@dataclass(frozen=True)
class Course:
    """Expected answers by day, and the chance to recall the card on the day that ends it."""

    answers: Mapping[int, float]
    recall: float


def due(due_day: int, last: int, look: Look | None) -> int:
    """The day on which the queue shows a card: min(due, last look). What is kept as its due day is not changed.

    >>> due(40, last=3, look=Look(since=27, day=29))
    29
    """
    return min(due_day, look.day) if look and last < look.since else due_day


def first(model: Model, day: int, *, spoken: bool) -> tuple[tuple[Branch, ...], float]:
    """A new card after its first day, `day`, and the answers that this day takes.

    A card that is read passes its minute steps within the day; a spoken one has none.
    """
    branches, answers = [], 0.0
    for grade, chance in FIRST.items():
        recall = _after(model, None, grade, 0)
        steps = 0 if spoken or grade is Grade.EASY else 1 if grade is Grade.GOOD else 2
        for _ in range(steps):
            recall = _after(model, recall.memory, Grade.GOOD, 0)
        branches.append(Branch(chance, recall.memory, day, day + max(1, recall.days)))
        answers += chance * (1 + steps)
    return tuple(branches), answers


def course(
    model: Model, begin: Iterable[Branch], until: int, look: Look | None = None, *, spoken: bool = False
) -> Course:
    """Follow a card from `begin` to the morning of the day `until`."""
    answers: dict[int, float] = defaultdict(float)
    recalled = 0.0
    todo = list(begin)
    while todo:
        now = todo.pop()
        day = max(due(now.due, now.last, look), now.last + 1, 0)
        if day >= until:
            recalled += now.chance * _retrievability(model, now.memory, until - now.last)
            continue
        waited = day - now.last
        lapse = now.chance * (1 - _retrievability(model, now.memory, waited))
        answers[day] += now.chance
        if lapse >= LEAST:
            again = _after(model, now.memory, Grade.AGAIN, waited)
            if not spoken:
                answers[day] += lapse
                again = _after(model, again.memory, Grade.GOOD, 0)
            todo.append(Branch(lapse, again.memory, day, day + max(1, again.days)))
        else:
            lapse = 0.0
        good = _after(model, now.memory, Grade.GOOD, waited)
        todo.append(Branch(now.chance - lapse, good.memory, day, day + max(1, good.days)))
    return Course(dict(answers), recalled)


@lru_cache(maxsize=100_000)
def _after(model: Model, memory: Memory | None, grade: Grade, elapsed: int) -> Recall:
    return model.after(memory, grade, elapsed)


@lru_cache(maxsize=100_000)
def _retrievability(model: Model, memory: Memory, elapsed: int) -> float:
    return model.retrievability(memory, elapsed)

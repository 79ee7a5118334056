"""How an interview goes on: what is asked next, how much of its time is used, when a question was left. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.library.values import LEVELS
from app.mock.plan import AFTER_S, THINK_S, needs_s
from app.study.memory import Grade
from app.study.scheduling import CardId

MOST_FOLLOW_UPS = 2  # in a row: IC4, IC5, IC6


@dataclass(frozen=True, slots=True)
class Question:
    """A card that may be asked next."""

    card_id: CardId
    level: str
    planned_s: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A question that was asked. `grade` is None while it is open, and where it was skipped."""

    position: int
    card_id: CardId
    level: str
    planned_s: int
    follows: int | None
    asked_at: datetime
    done_at: datetime | None = None
    grade: int | None = None


def spent_s(turns: Sequence[Turn]) -> int:
    """The seconds that the finished questions took; one that was left for long counts twice what it was to take."""
    return sum(
        min(round((turn.done_at - turn.asked_at).total_seconds()), THINK_S + 2 * (turn.planned_s + AFTER_S))
        for turn in turns
        if turn.done_at is not None
    )


def left_s(turns: Sequence[Turn], minutes: int) -> int:
    return max(0, minutes * 60 - spent_s(turns))


def following(
    turns: Sequence[Turn], drawn: Sequence[Question], ladder: Sequence[Question], minutes: int
) -> tuple[Question, int | None] | None:
    """What is asked after `turns`, and the position that it follows up; None: the interview is over.

    `ladder` are the cards that the last one names for what is asked next. After Good or Easy the interviewer goes up
    it, if there is time; after anything else, or at its top, to the next of those `drawn`.
    """
    known = {turn.card_id for turn in turns}
    left = left_s(turns, minutes)

    def fits(question: Question) -> bool:
        return question.card_id not in known and (not turns or needs_s(question.planned_s) <= left)

    last = turns[-1] if turns else None
    if last is not None and (last.grade or 0) >= Grade.GOOD and _in_a_row(turns) < MOST_FOLLOW_UPS:
        up = next((q for q in _upwards(ladder, last.level) if fits(q)), None)
        if up is not None:
            return up, last.position
    found = next((q for q in drawn if fits(q)), None)
    return (found, None) if found else None


def _in_a_row(turns: Sequence[Turn]) -> int:
    """How many of the last questions followed one another up."""
    count = 0
    for turn in reversed(turns):
        if turn.follows is None:
            break
        count += 1
    return count


def _upwards(ladder: Sequence[Question], level: str) -> list[Question]:
    """The harder ones first, one level up before two; none below the level of what was answered."""

    def steps(question: Question) -> int:
        return _rank(question.level) - _rank(level)

    higher = sorted((q for q in ladder if steps(q) > 0), key=steps)
    return [*higher, *(q for q in ladder if steps(q) == 0)]


def _rank(level: str) -> int:
    return LEVELS.index(level) if level in LEVELS else 0


def is_left(elapsed_ms: int, planned_s: int) -> bool:
    """Whether an answer has run for so long that nobody can be giving it: its page was left."""
    return elapsed_ms > (2 * planned_s + 60) * 1000

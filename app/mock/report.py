"""What became of an interview: each question with what was said and missed, and what to look at again. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.drill.pitch import Point, Take
from app.mock.course import Turn
from app.study.memory import Grade
from app.study.scheduling import CardId

POOR = 0.5  # of the points missed: to be looked at again, whatever the grade


@dataclass(frozen=True, slots=True)
class Line:
    """A question of the report. `take` is what the drill kept of a spoken one."""

    turn: Turn
    words: str
    level: str
    spoken_ms: int | None
    text: str
    take: Take | None

    @property
    def outcome(self) -> str:
        return Grade(self.turn.grade).word if self.turn.grade else "Skipped"

    @property
    def said(self) -> tuple[Point, ...]:
        return tuple(p for p in self.take.points if p.id in self.take.ticks) if self.take else ()

    @property
    def missed(self) -> tuple[Point, ...]:
        return tuple(p for p in self.take.points if p.id not in self.take.ticks) if self.take else ()


def to_review(lines: Sequence[Line]) -> tuple[CardId, ...]:
    """The cards to look at again: skipped, graded Again or Hard, or with half of their points missed or more."""
    return tuple(dict.fromkeys(line.turn.card_id for line in lines if _poor(line)))


def marks(turns: Sequence[Turn]) -> str:
    """An interview in one line: "5 questions: 1 Again, 3 Good, 1 skipped"."""
    done = [turn for turn in turns if turn.done_at is not None]
    if not done:
        return "nothing answered yet"
    grades = Counter(turn.grade for turn in done)
    told = [f"{grades[int(grade)]} {grade.word}" for grade in Grade if grades[int(grade)]]
    told += [f"{grades[None]} skipped"] if grades[None] else []
    return f"{len(done)} question{'' if len(done) == 1 else 's'}: {', '.join(told)}"


def _poor(line: Line) -> bool:
    if line.turn.done_at is None:
        return False
    if line.turn.grade is None or line.turn.grade < Grade.GOOD:
        return True
    points = len(line.said) + len(line.missed)
    return bool(points) and len(line.missed) >= POOR * points

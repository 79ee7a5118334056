"""What became of an interview: each question with what was said and missed, and what to look at again. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.drill.pitch import Point, Take
from app.drill.recording.sound import Recording
from app.drill.scoring.pace import Pace, sentences, together
from app.drill.timing import clock_text
from app.mock.course import Turn
from app.study.memory import Grade
from app.study.scheduling import CardId

POOR = 0.5  # of the points missed: to be looked at again, whatever the grade


@dataclass(frozen=True, slots=True)
class Line:
    """A question of the report. `take` is what the drill kept of a spoken one, also where it was rated there, later.

    `text` is what was said or typed, `pace` how it was said; of a recording that `waits` both are still to come. The
    grade of one that is `undone` was taken back after the interview.
    """

    turn: Turn
    words: str
    spoken: bool
    spoken_ms: int | None
    text: str = ""
    take: Take | None = None
    pace: Pace | None = None
    recording: Recording | None = None
    waits: bool = False
    undone: bool = False

    @property
    def heard(self) -> bool:
        """Whether it can be heard again."""
        return self.recording is not None and self.recording.deleted_at is None

    @property
    def unheard(self) -> bool:
        """Whether it can be written down, and was not."""
        return self.heard and self.pace is None and not self.waits

    @property
    def unrated(self) -> bool:
        """Whether it was said to its end and skipped then, so that the drill can still rate it."""
        skipped = self.turn.done_at is not None and self.turn.grade is None
        return skipped and self.heard and self.spoken and self.take is None

    @property
    def fate(self) -> str:
        """What became of the rating and of the sound where the outcome does not tell, in sentences; else ""."""
        undone = "You have taken this rating back since." if self.undone else ""
        return f"{undone} {self._sound}".strip()

    @property
    def _sound(self) -> str:
        if self.recording is None or self.turn.done_at is None:
            return ""
        if not self.heard:
            return "What was recorded of it was deleted."
        if self.turn.grade is not None:
            return ""
        if self.take:
            return f"You have rated it later, in the drill: {Grade(self.take.grade).word}."
        later = (
            ": rate it now, or whenever you like, under Not rated yet in the drill." if self.spoken else "."
        )
        return f"What you said is kept, and not rated{later}"

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


def voice(lines: Sequence[Line]) -> tuple[str, ...]:
    """How the answers were said, over all, a sentence each; none where nothing was recorded."""
    told = [line.pace for line in lines if line.pace and line.pace.words]
    silent = sum(line.pace is not None and not line.pace.words for line in lines)
    waiting, unheard = sum(line.waits for line in lines), sum(line.unheard for line in lines)
    whole = together(told)
    found = [f"{clock_text(whole.ms)} recorded, in {_answers(len(told))}.", *sentences(whole)] if told else []
    found += [f"In {_answers(silent)} no speech was heard."] if silent else []
    found += [f"{_are(waiting)} still being written down: reload the page for the rest."] if waiting else []
    found += [f"{_are(unheard)} not written down, so nothing is known of the pace."] if unheard else []
    return tuple(found)


def marks(turns: Sequence[Turn]) -> str:
    """An interview in one line: "5 questions: 1 Again, 3 Good, 1 skipped"."""
    done = [turn for turn in turns if turn.done_at is not None]
    if not done:
        return "nothing answered yet"
    grades = Counter(turn.grade for turn in done)
    told = [f"{grades[int(grade)]} {grade.word}" for grade in Grade if grades[int(grade)]]
    told += [f"{grades[None]} skipped"] if grades[None] else []
    return f"{len(done)} question{'' if len(done) == 1 else 's'}: {', '.join(told)}"


def _answers(count: int) -> str:
    return f"{count} answer{'' if count == 1 else 's'}"


def _are(count: int) -> str:
    return f"{_answers(count)} {'is' if count == 1 else 'are'}"


def _poor(line: Line) -> bool:
    if line.turn.done_at is None:
        return False
    if line.turn.grade is None or line.turn.grade < Grade.GOOD:
        return True
    points = len(line.said) + len(line.missed)
    return bool(points) and len(line.missed) >= POOR * points

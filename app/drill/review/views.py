"""What the pages after a take are drawn from: the review, and the take that was saved."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from markupsafe import Markup

from app.accounts.learner import Learner
from app.drill import shown, words
from app.drill.attempt import Attempt
from app.drill.judge.views import Part
from app.drill.pitch import Choice, Pitch, Take
from app.drill.said.views import SaidView
from app.drill.shown import Figure, Head, TakeRow
from app.library.cards import FollowUp
from app.study.memory import Grade
from app.study.words import Choice as GradeChoice


@dataclass(frozen=True, slots=True)
class ReviewView:
    """A take to be ticked and rated; `problem` says why the last try was not saved."""

    head: Head
    take: str
    problem: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...]
    said: SaidView
    opinion: Part
    choices: tuple[GradeChoice, ...]
    follow_ups: tuple[FollowUp, ...]


@dataclass(frozen=True, slots=True)
class TakeView:
    """A take that was rated; `can_undo`: it is the card's latest, and its rating counts.

    An undone one can be rated again, unless it was: `again_path` then leads to the take with the new rating.
    """

    head: Head
    take: str
    take_id: int
    event_id: int
    headline: str
    words: str
    can_undo: bool
    can_rate: bool
    again_path: str
    next_path: str
    next_words: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...]
    said: SaidView
    opinion: Part
    model: Markup
    follow_ups: tuple[FollowUp, ...]
    takes: tuple[TakeRow, ...]


def review_view(
    pitch: Pitch,
    attempt: Attempt,
    choices: tuple[GradeChoice, ...],
    said: SaidView,
    opinion: Part,
    *,
    take: str,
    problem: str,
    follow_ups: tuple[FollowUp, ...],
) -> ReviewView:
    return ReviewView(
        head=shown.head(pitch),
        take=take,
        problem=problem,
        figures=shown.figures(attempt.spoken_ms or 0, pitch.planned_s, typed=attempt.typed),
        remarks=words.remarks(attempt.notes_shown, attempt.interrupted),
        said=said,
        opinion=opinion,
        choices=choices,
        follow_ups=follow_ups,
    )


def take_view(
    pitch: Pitch,
    take: Take,
    said: SaidView,
    opinion: Part,
    *,
    signed: str,
    again: Take | None,
    history: Sequence[Take],
    due: date | None,
    choices: Sequence[Choice],
    follow_ups: tuple[FollowUp, ...],
    learner: Learner,
    today: date,
) -> TakeView:
    following = next((c for c in choices if c.is_due(today) and c.card_id != take.card_id), None)
    latest = next((t.id for t in history if not t.undone), None) == take.id
    grade = Grade(take.grade).word
    ticked = Figure("points said", f"{len(take.ticks)} of {len(take.points)}")
    return TakeView(
        head=shown.head(pitch),
        take=signed,
        take_id=take.id,
        event_id=take.event_id,
        headline=f"{grade}, undone" if take.undone else f"Saved: {grade}",
        words=_outcome(take, again, latest, due, learner, today),
        can_undo=latest,
        can_rate=take.undone and again is None,
        again_path=f"drill/{take.card_id}/takes/{again.id}" if again else "",
        next_path=f"drill/{following.card_id}" if following else "drill",
        next_words="Next pitch" if following else "All pitches",
        figures=(*shown.figures(take.spoken_ms, take.planned_s, typed=take.typed), ticked),
        remarks=words.remarks(take.notes_shown, take.interrupted),
        said=said,
        opinion=opinion,
        model=shown.html(pitch.model_html),
        follow_ups=follow_ups,
        takes=shown.takes(history, learner, today),
    )


def _outcome(
    take: Take, again: Take | None, latest: bool, due: date | None, learner: Learner, today: date
) -> str:
    if again:
        return "This rating was taken back and does not count. You have rated the take again."
    if take.undone:
        return "This rating was taken back and does not count. You can rate the take again."
    if not latest:
        return f"Said {words.ago_words(learner.day(take.at), today)}; there are newer takes."
    return f"It comes back {words.due_words(due, today)}." if due and due > today else "It is due again."

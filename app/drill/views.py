"""What the drill's four pages are drawn from: the list, the stand, the review, the take that was saved."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from markupsafe import Markup

from app.accounts.learner import Learner
from app.drill import shown, words
from app.drill.attempt import Attempt
from app.drill.pitch import Choice, Pitch, Take
from app.drill.shown import Figure, Head, PointShown, TakeRow
from app.drill.timing import Face, face_at
from app.library.cards import FollowUp
from app.study.memory import Grade
from app.study.words import Choice as GradeChoice


@dataclass(frozen=True, slots=True)
class Row:
    """A pitch in the list."""

    card_id: str
    title: str
    chips: tuple[str, ...]
    last: str
    due: str


@dataclass(frozen=True, slots=True)
class ListView:
    """The list; `first` is what the button says that leads to its first pitch."""

    title: str
    first: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class StandView:
    """Prompt and clock. `elapsed_ms` is set where the server keeps the time: negative while getting ready.

    `starts_in` says how long that will still be; `face` is the clock at this moment, None before it runs.
    """

    head: Head
    take: str
    planned_s: int
    ready_s: float
    elapsed_ms: int | None
    starts_in: str
    face: Face | None
    notes_shown: bool
    points: tuple[PointShown, ...]
    takes: tuple[TakeRow, ...]


@dataclass(frozen=True, slots=True)
class ReviewView:
    """A take to be ticked and rated; `problem` says why the last try was not saved."""

    head: Head
    take: str
    problem: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...]
    points: tuple[PointShown, ...]
    choices: tuple[GradeChoice, ...]
    follow_ups: tuple[FollowUp, ...]


@dataclass(frozen=True, slots=True)
class TakeView:
    """A take that was rated; `can_undo`: it is the card's latest, and its rating counts.

    An undone one can be rated again, unless it was: `again_path` then leads to the take with the new rating.
    """

    head: Head
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
    points: tuple[PointShown, ...]
    model: Markup
    follow_ups: tuple[FollowUp, ...]
    takes: tuple[TakeRow, ...]


def list_view(choices: Sequence[Choice], learner: Learner, today: date) -> ListView:
    due = sum(choice.is_due(today) for choice in choices)
    title = {0: "Nothing to say today", 1: "One pitch to say"}.get(due, f"{due} pitches to say")
    return ListView(
        title=title if choices else "Drill",
        first="Say the first" if due else "Say one all the same",
        rows=tuple(_row(choice, learner, today) for choice in choices),
    )


def stand_view(
    pitch: Pitch,
    attempt: Attempt,
    history: Sequence[Take],
    *,
    take: str,
    learner: Learner,
    now: datetime,
    ready_s: float,
) -> StandView:
    elapsed_ms = attempt.since_start_ms(now)
    running = elapsed_ms is not None and elapsed_ms >= 0
    return StandView(
        head=shown.head(pitch, focus=True),
        take=take,
        planned_s=pitch.planned_s,
        ready_s=ready_s,
        elapsed_ms=elapsed_ms,
        starts_in=words.seconds_words(-elapsed_ms) if elapsed_ms is not None and not running else "",
        face=face_at(elapsed_ms or 0, pitch.planned_s) if running else None,
        notes_shown=attempt.notes_shown,
        points=shown.points(pitch.points),
        takes=shown.takes(history, learner, learner.day(now)),
    )


def review_view(
    pitch: Pitch,
    attempt: Attempt,
    choices: tuple[GradeChoice, ...],
    *,
    take: str,
    problem: str,
    follow_ups: tuple[FollowUp, ...],
) -> ReviewView:
    return ReviewView(
        head=shown.head(pitch),
        take=take,
        problem=problem,
        figures=shown.figures(attempt.spoken_ms or 0, pitch.planned_s),
        remarks=words.remarks(attempt.notes_shown, attempt.interrupted),
        points=shown.points(pitch.points, attempt.ticks),
        choices=choices,
        follow_ups=follow_ups,
    )


def take_view(
    pitch: Pitch,
    take: Take,
    *,
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
    said = Figure("points said", f"{len(take.ticks)} of {len(take.points)}")
    return TakeView(
        head=shown.head(pitch),
        event_id=take.event_id,
        headline=f"{grade}, undone" if take.undone else f"Saved: {grade}",
        words=_outcome(take, again, latest, due, learner, today),
        can_undo=latest,
        can_rate=take.undone and again is None,
        again_path=f"drill/{take.card_id}/takes/{again.id}" if again else "",
        next_path=f"drill/{following.card_id}" if following else "drill",
        next_words="Next pitch" if following else "All pitches",
        figures=(*shown.figures(take.spoken_ms, take.planned_s), said),
        remarks=words.remarks(take.notes_shown, take.interrupted),
        points=shown.points(take.points, take.ticks),
        model=shown.html(pitch.model_html),
        follow_ups=follow_ups,
        takes=shown.takes(history, learner, today),
    )


def _row(choice: Choice, learner: Learner, today: date) -> Row:
    pitch, last = choice.pitch, choice.pitch.last
    said = "not said yet"
    if last:
        ago = words.ago_words(learner.day(last.at), today)
        said = f"{ago}: {Grade(last.grade).word}, {words.take_words(last)}"
    return Row(
        card_id=pitch.card_id,
        title=pitch.words,
        chips=shown.chips(pitch.planned_s, pitch.level),
        last=said,
        due=words.due_words(choice.due_day, today),
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

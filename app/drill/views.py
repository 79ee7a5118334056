"""What the drill's pages are drawn from."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from markupsafe import Markup

from app.accounts.learner import Learner
from app.drill import words
from app.drill.attempt import Attempt
from app.drill.pitch import Choice, Pitch, Point, Take
from app.drill.timing import clock_text, planned_words
from app.study.words import Choice as GradeChoice


@dataclass(frozen=True, slots=True)
class Head:
    """The question above every page of one pitch; `focus`: it is what is new on the page."""

    card_id: str
    title: str
    question: Markup
    chips: tuple[str, ...]
    deck: str
    retired: bool
    focus: bool

    @classmethod
    def of(cls, pitch: Pitch, *, focus: bool = False) -> "Head":
        return cls(
            card_id=pitch.card_id,
            title=pitch.words,
            question=_html(pitch.front),
            chips=_chips(pitch.planned_s, pitch.level),
            deck=pitch.deck.replace("/", " / "),
            retired=pitch.retired,
            focus=focus,
        )


@dataclass(frozen=True, slots=True)
class PointView:
    id: str
    html: Markup
    ticked: bool


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Row:
    """A pitch in the list."""

    card_id: str
    title: str
    chips: tuple[str, ...]
    last: str
    due: str

    @classmethod
    def of(cls, choice: Choice, learner: Learner, today: date) -> "Row":
        pitch, last = choice.pitch, choice.pitch.last
        return cls(
            card_id=pitch.card_id,
            title=pitch.words,
            chips=_chips(pitch.planned_s, pitch.level),
            last=(
                f"{words.ago_words(learner.day(last.at), today)}: "
                f"{words.GRADES[last.grade]}, {words.take_words(last)}"
                if last
                else "not said yet"
            ),
            due=words.due_words(choice.due_day, today),
        )


@dataclass(frozen=True, slots=True)
class TakeRow:
    """A take in a pitch's history."""

    id: int
    card_id: str
    grade: str
    words: str
    at: str
    day: str

    @classmethod
    def of(cls, take: Take, learner: Learner, today: date) -> "TakeRow":
        return cls(
            id=take.id,
            card_id=take.card_id,
            grade=words.GRADES[take.grade],
            words=words.take_words(take),
            at=take.at.isoformat(timespec="seconds"),
            day=words.ago_words(learner.day(take.at), today),
        )


@dataclass(frozen=True, slots=True)
class ListView:
    """The list; `first` is what the button says that leads to its first pitch."""

    title: str
    first: str
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, choices: Sequence[Choice], learner: Learner, today: date) -> "ListView":
        due = sum(choice.is_due(today) for choice in choices)
        title = {0: "Nothing to say today", 1: "One pitch to say"}.get(due, f"{due} pitches to say")
        return cls(
            title=title if choices else "Drill",
            first="Say the first" if due else "Say one all the same",
            rows=tuple(Row.of(c, learner, today) for c in choices),
        )


@dataclass(frozen=True, slots=True)
class StandView:
    """Prompt and clock. `elapsed_ms` is set where the server keeps the time: negative while getting ready."""

    head: Head
    take: str
    planned_s: int
    ready_s: float
    elapsed_ms: int | None
    notes_shown: bool
    points: tuple[PointView, ...]
    takes: tuple[TakeRow, ...]


@dataclass(frozen=True, slots=True)
class ReviewView:
    head: Head
    take: str
    problem: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...]
    points: tuple[PointView, ...]
    choices: tuple[GradeChoice, ...]


@dataclass(frozen=True, slots=True)
class TakeView:
    """A take that was rated; `can_undo`: it is the card's latest, and its rating counts."""

    head: Head
    event_id: int
    headline: str
    words: str
    can_undo: bool
    undone: bool
    next_path: str
    next_words: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...]
    points: tuple[PointView, ...]
    model: Markup
    takes: tuple[TakeRow, ...]

    @classmethod
    def of(
        cls,
        pitch: Pitch,
        take: Take,
        *,
        history: Sequence[Take],
        due: date | None,
        choices: Sequence[Choice],
        learner: Learner,
        today: date,
    ) -> "TakeView":
        following = next((c for c in choices if c.is_due(today) and c.card_id != take.card_id), None)
        latest = bool(history) and history[0].id == take.id
        grade = words.GRADES[take.grade]
        return cls(
            head=Head.of(pitch),
            event_id=take.event_id,
            headline=f"{grade}, undone" if take.undone else f"Saved: {grade}",
            words=_outcome(take, latest, due, learner, today),
            can_undo=latest,
            undone=take.undone,
            next_path=f"drill/{following.card_id}" if following else "drill",
            next_words="Next pitch" if following else "All pitches",
            figures=(*spoken_figures(take.spoken_ms, take.planned_s), _said(take)),
            remarks=words.remarks(take.notes_shown, take.interrupted),
            points=point_views(take.points, take.ticks),
            model=_html(pitch.model_html),
            takes=take_rows(history, learner, today),
        )


def point_views(points: Sequence[Point], ticks: Collection[str] = ()) -> tuple[PointView, ...]:
    return tuple(PointView(p.id, _html(p.html), p.id in ticks) for p in points)


def take_rows(takes: Sequence[Take], learner: Learner, today: date) -> tuple[TakeRow, ...]:
    return tuple(TakeRow.of(t, learner, today) for t in takes)


def spoken_figures(spoken_ms: int, planned_s: int) -> tuple[Figure, ...]:
    """Spoken, planned, and the difference in words."""
    planned_ms = planned_s * 1000
    late = spoken_ms - planned_ms
    return (
        Figure("spoken", clock_text(spoken_ms)),
        Figure("planned", clock_text(planned_ms)),
        Figure("over", clock_text(late)) if late >= 1000 else Figure("left", clock_text(-late)),
    )


def review_figures(attempt: Attempt, pitch: Pitch) -> tuple[Figure, ...]:
    return spoken_figures(attempt.spoken_ms or 0, pitch.planned_s)


def _chips(planned_s: int, level: str) -> tuple[str, ...]:
    return (planned_words(planned_s), level) if level else (planned_words(planned_s),)


def _said(take: Take) -> Figure:
    return Figure("points said", f"{len(take.ticks)} of {len(take.points)}")


def _outcome(take: Take, latest: bool, due: date | None, learner: Learner, today: date) -> str:
    if take.undone:
        return "This rating was taken back and does not count. You can rate the take again."
    if not latest:
        return f"Said {words.ago_words(learner.day(take.at), today)}; there are newer takes."
    return f"It comes back {words.due_words(due, today)}." if due and due > today else "It is due again."


def _html(text: str) -> Markup:
    return Markup(text)  # noqa: S704  (sanitised when the deck was read)

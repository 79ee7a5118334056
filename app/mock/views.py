"""What the pages of the mock interview are drawn from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from app.accounts.learner import Learner
from app.drill import shown
from app.drill import words as drill_words
from app.drill.pitch import Pitch
from app.drill.shown import Figure, PointShown
from app.drill.stages import StageShown, stages_at
from app.drill.timing import Face, clock_text, face_at
from app.library.cards import DeckRow
from app.library.values import LEVELS
from app.mock import course, report
from app.mock.interview import Asked, Interview, Sitting
from app.mock.plan import MINUTES, MODES, Mode, Wish
from app.mock.report import Line
from app.study.words import Choice

Options = tuple[tuple[str, str], ...]
MODE_WORDS: Mapping[Mode, str] = {
    "spoken": "Spoken",
    "quiet": "Spoken, quiet",
    "typed": "Typed",
}


@dataclass(frozen=True, slots=True)
class PastRow:
    """An interview in the list; `open`: it can be gone on with."""

    id: int
    title: str
    words: str
    at: str
    day: str
    open: bool


@dataclass(frozen=True, slots=True)
class ListView:
    """The form for a new interview, as it was filled in, and those that were."""

    key: str
    problem: str
    levels: Options
    level: str
    minutes_options: Options
    minutes: int
    modes: Options
    mode: str
    decks: tuple[tuple[str, str, bool], ...]
    rows: tuple[PastRow, ...]


@dataclass(frozen=True, slots=True)
class Top:
    """What stands above every question. `path` is the address that its forms send to."""

    path: str
    interview: int
    progress: str
    left: str
    title: str
    question: Markup
    chips: tuple[str, ...]
    problem: str


@dataclass(frozen=True, slots=True)
class AskView:
    """The question and the clock. `elapsed_ms` is negative while the learner thinks; None: it waits for Start."""

    top: Top
    take: str
    card_id: str
    records: bool
    typed: bool
    text: str
    planned_s: int
    ready_s: float
    elapsed_ms: int | None
    starts_in: str
    face: Face | None
    where: str
    stages: tuple[StageShown, ...]


@dataclass(frozen=True, slots=True)
class LeftView:
    """The page was left in the middle of the answer."""

    top: Top
    ago: str


@dataclass(frozen=True, slots=True)
class ReviewView:
    """The answer is given: the points of a spoken card to tick, or the back of one to read; then the grades."""

    top: Top
    take: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...]
    points: tuple[PointShown, ...]
    answer: Markup
    source: str
    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class LineView:
    position: int
    words: str
    level: str
    follows: bool
    outcome: str
    figures: tuple[Figure, ...]
    said: tuple[Markup, ...]
    missed: tuple[Markup, ...]
    text: str
    path: str
    link: str


@dataclass(frozen=True, slots=True)
class AgainView:
    """A card to look at again, and where it stands."""

    path: str
    words: str
    standing: str


@dataclass(frozen=True, slots=True)
class ReportView:
    interview: int
    title: str
    lead: str
    at: str
    lines: tuple[LineView, ...]
    again: tuple[AgainView, ...]
    can_call: bool
    called: str


def list_view(
    decks: Sequence[DeckRow],
    wish: Wish,
    past: Sequence[tuple[Interview, tuple[Asked, ...]]],
    *,
    key: str,
    problem: str,
    learner: Learner,
    now: datetime,
) -> ListView:
    titles = {deck.name: deck.title for deck in decks}
    return ListView(
        key=key,
        problem=problem,
        levels=tuple((name, name) for name in LEVELS),
        level=wish.level,
        minutes_options=tuple((str(minutes), f"{minutes} minutes") for minutes in MINUTES),
        minutes=wish.minutes,
        modes=tuple((mode, MODE_WORDS[mode]) for mode in MODES),
        mode=wish.mode,
        decks=tuple((name, title, name in wish.decks) for name, title in titles.items()),
        rows=tuple(_past(interview, asked, titles, learner, now) for interview, asked in past),
    )


def top(sitting: Sitting, problem: str = "") -> Top:
    """Raises AssertionError where no question is open."""
    asked, asks, interview = sitting.current, sitting.asks, sitting.interview
    assert asked is not None
    assert asks is not None
    level = asked.turn.level
    follow_up = ("follow-up",) if asked.turn.follows is not None else ()
    return Top(
        path=f"mock/{interview.id}/{asked.turn.position}",
        interview=interview.id,
        progress=f"Question {asked.turn.position}",
        left=_left(course.left_s(sitting.turns, interview.wish.minutes)),
        title=asks.words if isinstance(asks, Pitch) else asks.face.words,
        question=shown.html(asks.front) if isinstance(asks, Pitch) else asks.face.question,
        chips=(*follow_up, *((level,) if level else ())),
        problem=problem,
    )


def ask_view(sitting: Sitting, *, take: str, ready_s: float, now: datetime, where: str) -> AskView:
    asked, asks = sitting.current, sitting.asks
    assert asked is not None
    elapsed_ms = asked.attempt.since_start_ms(now)
    running = elapsed_ms is not None and elapsed_ms >= 0
    mode = sitting.interview.wish.mode
    return AskView(
        top=top(sitting),
        take=take,
        card_id=asked.turn.card_id,
        records=mode == "spoken" and isinstance(asks, Pitch),
        typed=mode == "typed",
        text=asked.text,
        planned_s=asked.turn.planned_s,
        ready_s=ready_s,
        elapsed_ms=elapsed_ms,
        starts_in=drill_words.seconds_words(-elapsed_ms) if elapsed_ms is not None and not running else "",
        face=face_at(elapsed_ms or 0, asked.turn.planned_s) if running else None,
        where=where,
        stages=stages_at(elapsed_ms if running else None, asks.stages) if isinstance(asks, Pitch) else (),
    )


def left_view(sitting: Sitting, elapsed_ms: int) -> LeftView:
    return LeftView(top(sitting), f"{elapsed_ms // 60_000} minutes")


def review_view(sitting: Sitting, choices: tuple[Choice, ...], *, take: str, problem: str) -> ReviewView:
    asked, asks = sitting.current, sitting.asks
    assert asked is not None
    assert asks is not None
    attempt = asked.attempt
    return ReviewView(
        top=top(sitting, problem),
        take=take,
        figures=shown.figures(attempt.spoken_ms or 0, asked.turn.planned_s),
        remarks=drill_words.remarks(attempt.notes_shown, attempt.interrupted),
        points=shown.points(asks.points, attempt.ticks) if isinstance(asks, Pitch) else (),
        answer=Markup() if isinstance(asks, Pitch) else asks.face.answer,
        source="" if isinstance(asks, Pitch) else asks.card.source,
        text=asked.text,
        choices=choices,
    )


def report_view(
    interview: Interview,
    lines: Sequence[Line],
    standings: Mapping[str, str],
    *,
    called: str,
    titles: Mapping[str, str],
    learner: Learner,
    callable_cards: frozenset[str],
) -> ReportView:
    again = report.to_review(lines)
    by_id = {line.turn.card_id: line for line in lines}
    return ReportView(
        interview=interview.id,
        title=_title(interview, titles),
        lead=f"{report.marks([line.turn for line in lines])}. {_time(lines, interview.wish.minutes)}",
        at=drill_words.day_text(learner.day(interview.started_at)),
        lines=tuple(_line(line) for line in lines),
        again=tuple(AgainView(_card_path(by_id[c]), by_id[c].words, standings[c]) for c in again),
        can_call=bool(callable_cards),
        called=called,
    )


def called_words(called: int | None) -> str:
    """What the click has done that put cards into today's queue; "" where there was none."""
    if called is None:
        return ""
    if not called:
        return "They are in today's queue already. New cards come in their turn, and suspended ones stay out."
    return f"{called} card{' is' if called == 1 else 's are'} in today's queue now."


def _past(
    interview: Interview, asked: Sequence[Asked], titles: Mapping[str, str], learner: Learner, now: datetime
) -> PastRow:
    return PastRow(
        id=interview.id,
        title=_title(interview, titles),
        words=report.marks([one.turn for one in asked]),
        at=interview.started_at.isoformat(timespec="seconds"),
        day=drill_words.ago_words(learner.day(interview.started_at), learner.day(now)),
        open=interview.ended_at is None,
    )


def _title(interview: Interview, titles: Mapping[str, str]) -> str:
    wish = interview.wish
    chosen = [titles.get(name, name) for name in wish.decks]
    topics = "all topics" if not chosen else chosen[0] if len(chosen) == 1 else f"{len(chosen)} topics"
    return f"{wish.level}, {wish.minutes} minutes, {wish.mode}: {topics}"


def _left(seconds: int) -> str:
    if seconds <= 0:
        return "time is used up: the last question"
    minutes = -(-seconds // 60)
    return f"about {minutes} minute{'' if minutes == 1 else 's'} left"


def _time(lines: Sequence[Line], minutes: int) -> str:
    used = course.spent_s([line.turn for line in lines])
    return f"{clock_text(used * 1000)} of {minutes}:00 used."


def _line(line: Line) -> LineView:
    figures = shown.figures(line.spoken_ms, line.turn.planned_s) if line.spoken_ms is not None else ()
    points = len(line.said) + len(line.missed)
    said = (Figure("points said", f"{len(line.said)} of {points}"),) if points else ()
    return LineView(
        position=line.turn.position,
        words=line.words,
        level=line.level,
        follows=line.turn.follows is not None,
        outcome=line.outcome if line.turn.done_at else "Open",
        figures=(*figures, *said),
        said=tuple(shown.html(point.html) for point in line.said),
        missed=tuple(shown.html(point.html) for point in line.missed),
        text=line.text,
        path=_take_path(line) or _card_path(line),
        link="The take" if line.take else "The card",
    )


def _take_path(line: Line) -> str:
    return f"drill/{line.take.card_id}/takes/{line.take.id}" if line.take else ""


def _card_path(line: Line) -> str:
    return f"cards/{line.turn.card_id}"

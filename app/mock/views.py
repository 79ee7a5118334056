"""What the pages of the mock interview are drawn from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from app.accounts.learner import Learner
from app.drill import shown
from app.drill import words as drill_words
from app.drill.pitch import Pitch
from app.drill.said.views import SaidView
from app.drill.shown import Figure
from app.drill.stages import StageShown, stages_at
from app.drill.timing import Face, face_at
from app.library import spoken_text
from app.library.cards import DeckRow
from app.library.values import LEVELS
from app.mock import course, report
from app.mock.interview import Asked, Interview, Sitting
from app.mock.plan import MINUTES, MODES, Mode, Wish
from app.mock.report_views import title
from app.study.aloud import Put
from app.study.words import Choice, until

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
    aloud: str
    chips: tuple[str, ...]
    problem: str


@dataclass(frozen=True, slots=True)
class AskView:
    """The question and the clock. `elapsed_ms` is negative while the learner thinks; None: it waits for Start.

    `cut`: a recording was begun, on a page that was left; `key` is of the attempt, by which such pages know each other.
    """

    top: Top
    take: str
    key: str
    card_id: str
    records: bool
    cut: bool
    over: str
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
    """The page was left in the middle of the answer. `review`: the button to what is there of it, or ""."""

    top: Top
    ago: str
    words: str
    review: str


@dataclass(frozen=True, slots=True)
class ReviewView:
    """The answer is given: the points of a spoken card to tick, or the back of one to read; then the grades.

    `kept` says what becomes of the sound of an answer that is left without one.
    """

    top: Top
    take: str
    heading: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...]
    said: SaidView
    counts: str
    answer: Markup
    source: str
    choices: tuple[Choice, ...]
    kept: str


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
        aloud=asks.aloud if isinstance(asks, Pitch) else _aloud(asks),
        chips=(*follow_up, *((level,) if level else ())),
        problem=problem,
    )


def _aloud(asks: Put) -> str:
    """The question of a card to read, as it is read aloud."""
    return spoken_text.question(asks.face.question, asks.face.say, asks.card.kind, asks.card.id)


def ask_view(
    sitting: Sitting, *, take: str, ready_s: float, now: datetime, where: str, cut: bool, problem: str = ""
) -> AskView:
    asked, asks = sitting.current, sitting.asks
    assert asked is not None
    elapsed_ms = asked.attempt.since_start_ms(now)
    running = elapsed_ms is not None and elapsed_ms >= 0
    mode = sitting.interview.wish.mode
    return AskView(
        top=top(sitting, problem),
        take=take,
        key=asked.attempt.key,
        card_id=asked.turn.card_id,
        records=mode == "spoken",
        cut=cut,
        over=f"Deletes what you have {'written' if mode == 'typed' else 'said'} so far"
        if mode != "quiet"
        else "",
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


def left_view(sitting: Sitting, now: datetime, *, recorded: bool, problem: str = "") -> LeftView:
    asked = sitting.current
    assert asked is not None
    written = bool(asked.text)
    words = "Nothing of the answer is there: start it over, or skip the question."
    if recorded or written:
        did = "said" if recorded else "written"
        words = f"What you had {did} by then is kept: review it. Starting over deletes it."
    review = "Review what was recorded" if recorded else "Review what you wrote" if written else ""
    ago = until(now, asked.attempt.started_at or now)
    return LeftView(top(sitting, problem), ago, words, review)


def review_view(
    sitting: Sitting, spoken_ms: int, said: SaidView, choices: tuple[Choice, ...], *, take: str, problem: str
) -> ReviewView:
    asked, asks = sitting.current, sitting.asks
    assert asked is not None
    assert asks is not None
    attempt = asked.attempt
    return ReviewView(
        top=top(sitting, problem),
        take=take,
        heading="Tick what you said, then rate it" if said.points else "Compare, then rate it",
        figures=shown.figures(spoken_ms, asked.turn.planned_s, typed=said.typed),
        remarks=drill_words.remarks(attempt.notes_shown, attempt.interrupted),
        said=said,
        counts="Only your ticks and your rating count." if said.points else "Only your rating counts.",
        answer=Markup() if isinstance(asks, Pitch) else asks.face.answer,
        source="" if isinstance(asks, Pitch) else asks.card.source,
        choices=choices,
        kept=_kept(said, isinstance(asks, Pitch)),
    )


def _kept(said: SaidView, spoken: bool) -> str:
    """What becomes of the sound without a rating."""
    if said.sound is None or not said.sound.path:
        return ""
    later = ", and offers to rate it later" if spoken else ""
    return f"If you skip it now, or end here, the sound is kept: the report has it{later}."


def _past(
    interview: Interview, asked: Sequence[Asked], titles: Mapping[str, str], learner: Learner, now: datetime
) -> PastRow:
    return PastRow(
        id=interview.id,
        title=title(interview, titles),
        words=report.marks([one.turn for one in asked]),
        at=interview.started_at.isoformat(timespec="seconds"),
        day=drill_words.ago_words(learner.day(interview.started_at), learner.day(now)),
        open=interview.ended_at is None,
    )


def _left(seconds: int) -> str:
    if seconds <= 0:
        return "time is used up: the last question"
    minutes = -(-seconds // 60)
    return f"about {minutes} minute{'' if minutes == 1 else 's'} left"

"""What the drill's pages before a take are drawn from: the list, and the stand."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from app.accounts.learner import Learner
from app.drill import shown, words
from app.drill.attempt import Attempt
from app.drill.pitch import Choice, Pitch, Take
from app.drill.shown import Head, PointShown, TakeRow
from app.drill.stages import StageShown, stages_at
from app.drill.timing import Face, face_at
from app.setting_rules import Endpoint
from app.study.memory import Grade


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
    `where` says where a recording would go; `cut`: one was begun, on a page that was left, or
    that is another tab; `key` is by what such tabs know each other.
    """

    head: Head
    take: str
    key: str
    planned_s: int
    ready_s: float
    elapsed_ms: int | None
    starts_in: str
    face: Face | None
    notes_shown: bool
    where: str
    cut: bool
    points: tuple[PointShown, ...]
    takes: tuple[TakeRow, ...]
    stages: tuple[StageShown, ...]


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
    endpoint: Endpoint | None,
    cut: bool,
) -> StandView:
    elapsed_ms = attempt.since_start_ms(now)
    running = elapsed_ms is not None and elapsed_ms >= 0
    return StandView(
        head=shown.head(pitch, focus=True),
        take=take,
        key=attempt.key,
        planned_s=pitch.planned_s,
        ready_s=ready_s,
        elapsed_ms=elapsed_ms,
        starts_in=words.seconds_words(-elapsed_ms) if elapsed_ms is not None and not running else "",
        face=face_at(elapsed_ms or 0, pitch.planned_s) if running else None,
        notes_shown=attempt.notes_shown,
        where=words.where_words(endpoint),
        cut=cut,
        points=shown.points(pitch.points),
        takes=shown.takes(history, learner, learner.day(now)),
        stages=stages_at(elapsed_ms if running else None, pitch.stages),
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

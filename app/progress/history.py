"""A card's own history, ready to be drawn: its answers as a table, and its forgetting curve. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from app.progress import drawing, forgetting
from app.progress.drawing import Curve
from app.progress.forgetting import Answered, Recall
from app.study.cards import Event, EventId
from app.study.memory import Grade
from app.study.scheduling import CardState
from app.study.words import days as in_days


@dataclass(frozen=True)
class Row:
    """An answer; `expected` is the chance that it was recalled, `drawn` says with which numbers it was asked.

    `take` is the path of the spoken take that it rated, "" where it rated none.
    """

    day: str
    grade: str
    expected: str
    led_to: str
    seconds: str
    undone: bool
    drawn: str
    take: str


@dataclass(frozen=True)
class History:
    """`curve` is None for a card that no answer stands for; `words` say what it shows."""

    rows: tuple[Row, ...]
    curve: Curve | None = None
    words: str = ""


def history(
    events: Sequence[Event],
    due: date | None,
    today: date,
    recall: Recall,
    wanted: float,
    takes: Mapping[EventId, int],
) -> History:
    """Of a card's answers, newest first. Undone ones are listed and not drawn. `takes`: what some of them rated."""
    standing = [e for e in reversed(events) if _counts(e)]
    days = forgetting.by_day([(e.study_day, e.grade > Grade.AGAIN, e.after.memory) for e in standing])
    rows = tuple(_row(event, recall, takes.get(event.id)) for event in events)
    if not days:
        return History(rows)
    stretches = forgetting.curve(days, today, forgetting.last_day(days, due, today), recall)
    drawn = drawing.curve(stretches, max(0, (today - days[0].day).days), wanted)
    return History(rows, drawn, _words(days[-1], due, today, recall))


def _counts(event: Event) -> bool:
    """Whether an answer moved the card's memory: cramming moves none, an undone answer moves none any more."""
    return not event.undone and event.kind in ("review", "drill")


def _row(event: Event, recall: Recall, take: int | None) -> Row:
    before, day = event.before, event.study_day
    chance = _chance(before, day, recall)
    wait = (event.after.due_day - event.study_day).days if event.after.due_day else 0
    return Row(
        event.study_day.isoformat(),
        event.grade.word,
        "" if chance is None else f"{100 * chance:.0f} %",
        in_days(wait) if event.after.due_at is None and wait > 0 else "a step of minutes",
        "" if event.ms is None else f"{event.ms / 1000:.0f} s",
        event.undone,
        ", ".join(f"{name} = {value}" for name, value in event.drawn.items()),
        f"drill/{event.card_id}/takes/{take}" if take else "",
    )


def _chance(before: CardState, day: date, recall: Recall) -> float | None:
    """The chance to recall the card on `day`; None: it was new, or was answered on that day before."""
    if before.memory is None or before.last_day is None or before.last_day >= day:
        return None
    return recall(before.memory, (day - before.last_day).days)


def _words(newest: Answered, due: date | None, today: date, recall: Recall) -> str:
    chance = recall(newest.memory, max(0, (today - newest.day).days))
    said = f"Today you would recall it with a chance of {100 * chance:.0f} %, by the memory model."
    return f"{said} It is due on {due.isoformat()}." if due else said

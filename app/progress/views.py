"""What the progress pages show, ready to be drawn. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from app.library.values import LEVELS
from app.progress import drawing, stats
from app.progress.drawing import Bars, Half
from app.progress.stats import Day, Due, Group, Recall, Share, Standing

YEAR, MONTH, WEEK = 365, 30, 7  # study days
AHEAD = 30  # study days that the forecast shows
HALF = 26 * 7  # days in each half of the calendar, so that on a phone they stand one above the other


@dataclass(frozen=True)
class Figure:
    value: str
    words: str


@dataclass(frozen=True)
class Rate:
    """True retention, in words, and where it lies on a line from 0 to 100."""

    words: str
    of: str
    start: float = 0
    width: float = 0
    at: float | None = None


@dataclass(frozen=True)
class RateRow:
    name: str
    young: Rate
    mature: Rate
    both: Rate


@dataclass(frozen=True)
class DayRow:
    day: str
    answers: int
    spoken: int
    minutes: str


@dataclass(frozen=True)
class DueRow:
    day: str
    read: int
    spoken: int


@dataclass(frozen=True)
class ProgressView:
    begun: bool
    figures: tuple[Figure, ...]
    halves: tuple[Half, ...]
    legend: tuple[tuple[int, str], ...]
    days: tuple[DayRow, ...]
    minutes: Bars
    minutes_words: str
    rates: tuple[RateRow, ...]
    wanted: float
    due: Bars
    due_words: str
    due_rows: tuple[DueRow, ...]


@dataclass(frozen=True)
class TopicRow:
    """A deck or a level; widths are shares of its cards, out of 100."""

    name: str
    title: str
    cards: int
    seen: int
    young: int
    mature: int
    mature_width: float
    young_width: float
    rate: Rate
    said: str


@dataclass(frozen=True)
class TopicsView:
    begun: bool
    decks: tuple[TopicRow, ...]
    levels: tuple[TopicRow, ...]
    wanted: float


def ahead(today: date) -> date:
    """The last day of the forecast."""
    return today + timedelta(days=AHEAD - 1)


def progress(days: Sequence[Day], due: Sequence[Due], today: date, wanted: float) -> ProgressView:
    year = stats.since(days, stats.last(2 * HALF, today))
    month = stats.since(days, stats.last(MONTH, today))
    cuts = stats.shades(year)
    return ProgressView(
        bool(days),
        _figures(days, today),
        _calendar(year, cuts, today),
        _legend(cuts),
        tuple(DayRow(d.day.isoformat(), d.answers, d.spoken, _minutes(d.seconds)) for d in reversed(year)),
        _minute_bars(month, today),
        f"{stats.minutes(month):.0f} minutes in the last {MONTH} days, on {len(month)} of them.",
        _rates(days, today),
        100 * wanted,
        _due_bars(due),
        f"{sum(d.read + d.spoken for d in due)} cards come in the next {AHEAD} days, as they stand now.",
        tuple(DueRow(d.day.isoformat(), d.read, d.spoken) for d in due),
    )


def topics(groups: Sequence[Group], titles: Mapping[str, str], wanted: float) -> TopicsView:
    decks, levels = stats.by_deck(groups), stats.by_level(groups)
    return TopicsView(
        any(group.standing.seen or group.standing.said for group in groups),
        tuple(_topic(name, title, decks[name]) for name, title in titles.items() if name in decks),
        tuple(_topic(name, name, levels[name]) for name in (*LEVELS, "") if name in levels),
        100 * wanted,
    )


def _figures(days: Sequence[Day], today: date) -> tuple[Figure, ...]:
    week, month = (stats.since(days, stats.last(count, today)) for count in (WEEK, MONTH))
    run = stats.in_a_row(days, today)
    return (
        Figure(f"{len(month)} of {MONTH}", "days with an answer"),
        Figure(str(run), "day in a row" if run == 1 else "days in a row"),
        Figure(f"{sum(d.answers for d in week):,}", f"answers in {WEEK} days"),
        Figure(f"{stats.minutes(week):.0f} min", f"in {WEEK} days"),
    )


def _calendar(year: Sequence[Day], cuts: Sequence[int], today: date) -> tuple[Half, ...]:
    shades = {
        d.day: (
            stats.shade(d.answers, cuts),
            f"{_named(d.day)}: {_answers(d.answers)}, {_minutes(d.seconds)}",
        )
        for d in year
    }
    monday = today - timedelta(days=today.weekday())
    middle = monday - timedelta(days=HALF - 7)
    return (
        drawing.half(middle - timedelta(days=HALF), middle - timedelta(days=1), shades),
        drawing.half(middle, today, shades),
    )


def _legend(cuts: Sequence[int]) -> tuple[tuple[int, str], ...]:
    """Each shade with the answers of a day that it stands for; nothing while nothing was answered."""
    starts = (1, *cuts)
    ends = [f"{a}" if b == a + 1 else f"{a} to {b - 1}" for a, b in pairwise(starts)]
    return tuple(enumerate((*ends, f"{starts[-1]} or more"), 1))


def _minute_bars(month: Sequence[Day], today: date) -> Bars:
    found = {d.day: d for d in month}
    shown = [stats.last(MONTH, today) + timedelta(days=at) for at in range(MONTH)]
    empty = [(day, found.get(day, Day(day, 0, 0, 0.0))) for day in shown]
    return drawing.bars(
        [(day, d.seconds / 60, f"{_named(day)}: {_minutes(d.seconds)}") for day, d in empty], "minutes"
    )


def _due_bars(due: Sequence[Due]) -> Bars:
    amounts = [(d.day, float(d.read + d.spoken), f"{_named(d.day)}: {d.read + d.spoken} due") for d in due]
    return drawing.bars(amounts, "cards")


def _rates(days: Sequence[Day], today: date) -> tuple[RateRow, ...]:
    spans = (
        (f"Last {MONTH} days", stats.recall(stats.since(days, stats.last(MONTH, today)))),
        (f"Last {YEAR} days", stats.recall(stats.since(days, stats.last(YEAR, today)))),
        ("All answers", stats.recall(days)),
    )
    return tuple(_rate_row(name, found) for name, found in spans)


def _rate_row(name: str, found: Recall) -> RateRow:
    return RateRow(name, rate(found.young), rate(found.mature), rate(found.both))


def rate(share: Share) -> Rate:
    """ "91 %" with "182 of 200, 87 to 94 %": few answers make a wide interval, and it is said."""
    interval = share.interval
    if interval is None:
        return Rate("–", "none yet")
    low, high = (100 * edge for edge in interval)
    at = 100 * share.kept / share.of
    words = f"{share.kept:,} of {share.of:,}, {low:.0f} to {high:.0f} %"
    return Rate(f"{at:.0f} %", words, round(low, 1), round(high - low, 1), round(at, 1))


def _topic(name: str, title: str, standing: Standing) -> TopicRow:
    whole = standing.cards or 1
    return TopicRow(
        name,
        title or "No level",
        standing.cards,
        standing.seen,
        standing.young,
        standing.mature,
        round(100 * standing.mature / whole, 1),
        round(100 * standing.young / whole, 1),
        rate(standing.share),
        f"{standing.said} of {standing.pitches}" if standing.pitches else "–",
    )


def _named(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b %Y}"


def _answers(count: int) -> str:
    return f"{count} answer{'' if count == 1 else 's'}"


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 60 or not seconds else f"{seconds:.0f} s"

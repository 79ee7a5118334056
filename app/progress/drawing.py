"""What the progress pages draw, as coordinates: bars over days, a calendar, a forgetting curve. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from app.demos.drawing.axis import Tick, linear
from app.progress.forgetting import Stretch

WIDTH, HEIGHT = 480, 220
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 26, 34
CELL, STEP = 11, 14  # a day in the calendar, and from one to the next
WEEK_HEAD, DAY_HEAD = 30, 18  # room for the weekdays' names, and for the months'
MONTH_APART = 3  # weeks between two months' names, so that they do not touch


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    words: str


@dataclass(frozen=True)
class Bars:
    """Amounts by day, as upright bars on one scale."""

    bars: tuple[Bar, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    unit: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM


def short_day(day: date) -> str:
    return f"{day.day} {day:%b}"


def bars(amounts: Sequence[tuple[date, float, str]], unit: str, most: float = 0) -> Bars:
    """Each day with its amount, and what is said of it where one points at it; every seventh day is named.

    The scale goes to `most`, such as 100 %, where no amount is larger.
    """
    low = HEIGHT - BOTTOM
    scale = linear([0.0, most, *(amount for _, amount, _ in amounts)], low, TOP, from_zero=True, upright=True)
    slot = (WIDTH - LEFT - RIGHT) / max(1, len(amounts))
    made = tuple(
        Bar(
            round(LEFT + slot * (at + 0.12), 1),
            round(scale.at(amount), 1),
            round(slot * 0.76, 1),
            round(low - scale.at(amount), 1),
            words,
        )
        for at, (_, amount, words) in enumerate(amounts)
    )
    named = tuple(
        Tick(round(LEFT + slot * (at + 0.5), 1), short_day(day))
        for at, (day, _, _) in enumerate(amounts)
        if at % 7 == 0 and at + 2 < len(amounts)
    )
    return Bars(made, named, scale.ticks, unit)


@dataclass(frozen=True)
class Cell:
    x: int
    y: int
    level: int  # shade, 0 to 4
    words: str


@dataclass(frozen=True)
class Half:
    """Some weeks of the calendar, a column each, Monday on top."""

    cells: tuple[Cell, ...]
    months: tuple[Tick, ...]
    width: int
    words: str
    height: int = DAY_HEAD + 7 * STEP


def half(first: date, last: date, shades: dict[date, tuple[int, str]]) -> Half:
    """The calendar from the week of `first` to `last`; `shades` has a level and words for days that were studied."""
    monday = first - timedelta(days=first.weekday())
    weeks = (last - monday).days // 7 + 1
    cells = []
    for count in range((last - monday).days + 1):
        day = monday + timedelta(days=count)
        level, words = shades.get(day, (0, ""))
        x, y = WEEK_HEAD + count // 7 * STEP, DAY_HEAD + count % 7 * STEP
        cells.append(Cell(x, y, level, words))
    return Half(
        tuple(cells),
        _months(monday, weeks),
        WEEK_HEAD + weeks * STEP,
        f"{short_day(monday)} {monday.year} to {short_day(last)} {last.year}",
    )


def _months(monday: date, weeks: int) -> tuple[Tick, ...]:
    """A month is named above the first week that begins in it."""
    found: list[tuple[int, str]] = []
    for week in range(weeks):
        name = f"{monday + timedelta(weeks=week):%b}"
        if not found or found[-1][1] != name:
            found.append((week, name))
    room = [
        (week, name)
        for at, (week, name) in enumerate(found)
        if (found[at + 1][0] if at + 1 < len(found) else weeks) - week >= MONTH_APART
    ]
    return tuple(Tick(WEEK_HEAD + week * STEP, name) for week, name in room)


@dataclass(frozen=True)
class Dot:
    x: float
    y: float
    recalled: bool


@dataclass(frozen=True)
class Curve:
    """The chance to recall a card over the days since its first answer; `path` up to today, `ahead` from then on."""

    path: str
    ahead: str
    dots: tuple[Dot, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    wanted: float
    wanted_words: str
    today: float
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def curve(stretches: Sequence[Stretch], today: int, wanted: float) -> Curve:
    """`today` in days since the first answer; `wanted` is the retention that decides the due day.

    A curve that never falls below a half is drawn from there on, since it would else be a line at the top.
    """
    x = linear([float(at) for stretch in stretches for at, _ in stretch.points], LEFT, WIDTH - RIGHT)
    low = 0.5 if all(chance >= 0.5 for stretch in stretches for _, chance in stretch.points) else 0.0
    y = linear([low, 1.0], HEIGHT - BOTTOM, TOP, upright=True)
    points = [point for stretch in stretches for point in stretch.points]
    asked_at = [1.0, *(stretch.end for stretch in stretches)]  # the chance that an answer was given at
    return Curve(
        _path([(x.at(day), y.at(chance)) for day, chance in points if day <= today]),
        _path([(x.at(day), y.at(chance)) for day, chance in stretches[-1].points if day >= today]),
        tuple(
            Dot(x.at(s.start), y.at(chance), s.recalled)
            for s, chance in zip(stretches, asked_at, strict=False)
        ),
        x.ticks,
        tuple(Tick(tick.at, f"{100 * float(tick.text):.0f} %") for tick in y.ticks),
        y.at(wanted),
        f"{100 * wanted:.0f} %",
        x.at(today),
    )


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "".join(f"{'L' if at else 'M'}{x} {y}" for at, (x, y) in enumerate(points))

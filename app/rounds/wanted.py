"""A round as a form asks for it: read, or given back with a sentence for each field that does not fit. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from app.library.values import LEVELS
from app.rounds.cards import Round, RoundId

MOST_NAME = 60
MINUTES = (5, 480)
FARTHEST = timedelta(days=3 * 366)


@dataclass(frozen=True)
class Asked:
    """What was typed."""

    name: str = ""
    date: str = ""
    topics: tuple[str, ...] = ()
    level: str = "IC5"
    minutes: str = "30"

    @classmethod
    def of(cls, one: Round) -> "Asked":
        return cls(one.name, one.date.isoformat(), one.topics, one.level, str(one.minutes))


@dataclass(frozen=True)
class Wanted:
    """What was typed, and what is wrong with it, by field."""

    asked: Asked
    errors: Mapping[str, str] = field(default_factory=dict)


def read(
    asked: Asked, today: date, decks: Sequence[str], *, known: Round | None = None, full: int = 0
) -> Round | Wanted:
    """The round, still without an id. `known` is the round that is changed, whose own values stay allowed.

    `full`: how many rounds there are already, where no more may come.
    """
    errors: dict[str, str] = {}
    name = " ".join(asked.name.split()) or "Interview"
    if full:
        errors["name"] = f"There are {full} rounds already; remove one that is over first."
    if len(name) > MOST_NAME:
        errors["name"] = f"Keep the name within {MOST_NAME} characters."
    day = _day(asked.date)
    if day is None:
        errors["date"] = "Give the day as year-month-day, such as 2027-03-14."
    elif not today <= day <= today + FARTHEST and not (known and known.date == day):
        errors["date"] = "Choose a day from today on, within three years."
    allowed = {*decks, *(known.topics if known else ())}
    topics = tuple(dict.fromkeys(asked.topics))
    if any(topic not in allowed for topic in topics):
        errors["topics"] = "One of these topics is no deck any more; choose among those listed."
    if asked.level not in LEVELS:
        errors["level"] = f"Choose one of {', '.join(LEVELS)}."
    typed = asked.minutes.strip()
    minutes = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 5 else 0
    if not MINUTES[0] <= minutes <= MINUTES[1]:
        errors["minutes"] = f"Give whole minutes, from {MINUTES[0]} to {MINUTES[1]}."
    if errors or day is None:
        return Wanted(asked, errors)
    return Round(RoundId(0), name, day, topics, asked.level, minutes)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None

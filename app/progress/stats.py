"""What a learner's days say, by counting alone. Pure: days and counts in, figures out.

Days are study days as each answer kept them, so that a rollover hour or a time zone that changed later moves none. True
retention is what was recalled of what had been learned: only the first answer of a day to a card counts, and only if
the card had graduated before; Again is a fail. From an interval of 21 days on a card is mature.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

MATURE = 21  # days
CAP_S, SPOKEN_CAP_S = 60, 600  # what an answer counts for at most: who walks away does not study
Z = 1.959964  # of a normal distribution, for 95 %
SHADES = 4


@dataclass(frozen=True)
class Share:
    """How many of `of` were recalled."""

    kept: int = 0
    of: int = 0

    def __add__(self, other: "Share") -> "Share":
        return Share(self.kept + other.kept, self.of + other.of)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the true rate lies, at 95 % (Wilson, 1927): it stays within 0 to 1 and is honest for few answers."""
        if not self.of:
            return None
        n, p = self.of, self.kept / self.of
        middle = p + Z * Z / (2 * n)
        reach = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        low, high = ((middle - reach) / (1 + Z * Z / n), (middle + reach) / (1 + Z * Z / n))
        return max(0.0, low), min(1.0, high)


@dataclass(frozen=True)
class Recall:
    """True retention of young cards and of mature ones."""

    young: Share = Share()
    mature: Share = Share()

    def __add__(self, other: "Recall") -> "Recall":
        return Recall(self.young + other.young, self.mature + other.mature)

    @property
    def both(self) -> Share:
        return self.young + self.mature


@dataclass(frozen=True)
class Day:
    """A study day's answers that stand, those that were spoken among them, seconds, and what was recalled."""

    day: date
    answers: int
    spoken: int
    seconds: float
    recall: Recall = Recall()


def since(days: Iterable[Day], first: date) -> list[Day]:
    return [one for one in days if one.day >= first]


def last(count: int, today: date) -> date:
    """The first of the `count` study days that end with `today`."""
    return today - timedelta(days=count - 1)


def recall(days: Iterable[Day]) -> Recall:
    return sum((one.recall for one in days), Recall())


def minutes(days: Iterable[Day]) -> float:
    return sum(one.seconds for one in days) / 60


def in_a_row(days: Iterable[Day], today: date) -> int:
    """Study days without a gap up to today, or to yesterday as long as today may still come."""
    studied = {one.day for one in days}
    at = today if today in studied else today - timedelta(days=1)
    count = 0
    while at in studied:
        at -= timedelta(days=1)
        count += 1
    return count


def shades(days: Sequence[Day]) -> tuple[int, ...]:
    """From how many answers on a day has each shade but the lightest: a quarter of the studied days has each.

    By rank, so that one long day does not make all others pale. Shades that would be the same fall together.
    """
    counts = sorted(one.answers for one in days)
    cuts = {counts[len(counts) * part // SHADES] for part in range(1, SHADES)} if counts else set()
    return tuple(sorted(cuts - {counts[0] if counts else 0}))


def shade(answers: int, cuts: Sequence[int]) -> int:
    """1 to 4 for a day with answers, 0 for one without."""
    return 0 if not answers else 1 + sum(answers >= cut for cut in cuts)


@dataclass(frozen=True)
class Review:
    """An answer of the log as it is written out, undone ones and those of crams included. A damaged state is None."""

    id: int
    at: datetime
    study_day: date
    offset_minutes: int
    card_id: str
    deck_name: str
    level: str
    kind: str
    grade: int
    ms: int | None
    undone: bool
    state_before: str | None
    interval_before: int | None
    state_after: str | None
    interval_after: int | None
    stability_after: float | None
    difficulty_after: float | None


@dataclass(frozen=True)
class Due:
    """Cards that come on a day, those to be spoken apart."""

    day: date
    read: int = 0
    spoken: int = 0


def forecast(due: Mapping[date, tuple[int, int]], today: date, days: int) -> list[Due]:
    """The next `days` study days from `due`, cards by day to read and to say; what is overdue comes today."""
    found = {today + timedelta(days=ahead): (0, 0) for ahead in range(days)}
    for day, (read, spoken) in due.items():
        at = max(day, today)
        if at in found:
            found[at] = (found[at][0] + read, found[at][1] + spoken)
    return [Due(day, *counts) for day, counts in found.items()]


@dataclass(frozen=True)
class Standing:
    """Cards to read: all, those seen, and of these the mature ones; cards to say: all, and those said."""

    cards: int = 0
    seen: int = 0
    mature: int = 0
    pitches: int = 0
    said: int = 0
    share: Share = Share()

    def __add__(self, other: "Standing") -> "Standing":
        return Standing(
            self.cards + other.cards,
            self.seen + other.seen,
            self.mature + other.mature,
            self.pitches + other.pitches,
            self.said + other.said,
            self.share + other.share,
        )

    @property
    def young(self) -> int:
        return self.seen - self.mature


@dataclass(frozen=True)
class Group:
    """Where the learner stands with the cards of one deck and one level."""

    deck: str
    level: str
    standing: Standing


def by_deck(groups: Iterable[Group]) -> dict[str, Standing]:
    return _sums((group.deck, group.standing) for group in groups)


def by_level(groups: Iterable[Group]) -> dict[str, Standing]:
    return _sums((group.level, group.standing) for group in groups)


def _sums(parts: Iterable[tuple[str, Standing]]) -> dict[str, Standing]:
    found: dict[str, Standing] = {}
    for name, part in parts:
        found[name] = found.get(name, Standing()) + part
    return found

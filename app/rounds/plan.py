"""The plan: which new cards on which day, so that all are seen by the round with time for two reviews. Pure.

It is made of the morning's states, so that the day's answers do not move the day's share. Rounds are planned in the
order of their dates, each within its own minutes; what an earlier round asks of a card is not charged twice.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from app.rounds.cards import Round, RoundCard, reaches
from app.rounds.course import Branch, Look, course, first
from app.rounds.looks import Looks, cost, last_looks
from app.study.memory import Model
from app.study.scheduling import CardId

SETTLE = (
    5  # days: a card seen on the last day for new ones is reviewed two days later, and looked at once more
)
SIGHT = 366  # days: beyond, a round is planned as if it were then


@dataclass(frozen=True)
class Day:
    """A day of the plan: the cards that are new on it, and the minutes that it takes in all."""

    day: date
    new: tuple[RoundCard, ...]
    minutes: float


@dataclass(frozen=True)
class RoundPlan:
    """`misses` are the cards that do not fit, what is worth least first; `above` are those above its level.

    `first_days` says on which day, counted from today, each new card is seen. `late_minutes`: reviews that the days
    left cannot hold.
    """

    round: Round
    today: date
    cards: tuple[RoundCard, ...]
    days: tuple[Day, ...]
    misses: tuple[RoundCard, ...]
    above: tuple[RoundCard, ...]
    looks: Looks
    first_days: Mapping[CardId, int]
    late_minutes: float

    @property
    def days_left(self) -> int:
        return (self.round.date - self.today).days

    @property
    def share(self) -> tuple[RoundCard, ...]:
        """The new cards of today."""
        return self.days[0].new if self.days else ()

    @property
    def looks_to_come(self) -> tuple[date, ...]:
        """The days of the last looks from today on; a card that will not have been seen has none."""
        missed = {card.id for card in self.misses}
        return tuple(day for card, day in self.looks.days.items() if day >= self.today and card not in missed)

    @property
    def unlooked(self) -> int:
        """How many cards that will have been seen the last days cannot show."""
        missed = {card.id for card in self.misses}
        return sum(card.id not in self.looks.days and card.id not in missed for card in self.cards)

    def look(self, card: RoundCard) -> Look | None:
        """The card's last look, in days from today."""
        day = self.looks.days.get(card.id)
        return Look((self.looks.since - self.today).days, (day - self.today).days) if day else None


@dataclass
class _Charged:
    """What earlier rounds have taken on: from which day on a card costs this round, and when it is first seen."""

    since: dict[CardId, int] = field(default_factory=dict)
    first: dict[CardId, int] = field(default_factory=dict)


def plans(
    rounds: Iterable[Round], cards: Sequence[RoundCard], today: date, pace_s: float, model: Model
) -> tuple[RoundPlan, ...]:
    """A plan for each round that lies ahead, the nearest first. `pace_s`: seconds an answer takes."""
    ahead = sorted((r for r in rounds if r.date > today), key=lambda r: (r.date, r.id))
    charged = _Charged()
    found = []
    for one in ahead:
        made = _plan(one, cards, today, pace_s, model, charged)
        until = (one.date - today).days
        charged.since |= {card.id: until for card in made.cards}
        charged.first |= made.first_days
        found.append(made)
    return tuple(found)


def begin(card: RoundCard, today: date, first_day: int | None, model: Model) -> tuple[Branch, ...]:
    """Where the card's course begins: with its memory, or with the day that first shows it; empty: it is never seen."""
    if card.memory and card.last_day and card.due_day:
        last, due = (card.last_day - today).days, (card.due_day - today).days
        return (Branch(1.0, card.memory, last, due),)
    return () if first_day is None else first(model, first_day, spoken=card.spoken)[0]


def _plan(
    one: Round, cards: Sequence[RoundCard], today: date, pace_s: float, model: Model, charged: _Charged
) -> RoundPlan:
    asked = [card for card in cards if one.asks_of(card.deck)]
    pool = tuple(sorted((card for card in asked if reaches(one, card)), key=lambda card: card.value))
    above = tuple(card for card in asked if not reaches(one, card))
    looks = last_looks(one, pool, pace_s)
    until = min((one.date - today).days, SIGHT)
    empty = RoundPlan(one, today, pool, (), (), above, looks, dict(charged.first), 0.0)
    load = [0.0] * until
    for card in pool:
        branches = begin(card, today, charged.first.get(card.id), model)
        followed = course(model, branches, until, empty.look(card), spoken=card.spoken)
        for day, answers in followed.answers.items():
            if day >= charged.since.get(card.id, 0):
                load[day] += answers * cost(card, pace_s)
    unseen = [card for card in pool if not card.seen and card.id not in charged.first]
    late = _level(load, one.minutes * 60)
    days = _Days(load, one.minutes * 60, pace_s, model, empty)
    placed = days.fewest_a_day(_evenly(unseen))
    first_days = {card.id: day for day, new in enumerate(placed) for card in new}
    return RoundPlan(
        one,
        today,
        pool,
        tuple(
            Day(today + timedelta(days=at), tuple(new), days.load[at] / 60) for at, new in enumerate(placed)
        ),
        tuple(card for card in reversed(unseen) if card.id not in first_days),
        above,
        looks,
        charged.first | first_days,
        late / 60,
    )


class _Days:
    """The days until a round, with the seconds that each is loaded with; new cards go where all their answers fit."""

    def __init__(self, load: list[float], room: float, pace_s: float, model: Model, plan: RoundPlan) -> None:
        self.load, self._reviews, self._room, self._pace_s = load, list(load), room, pace_s
        self._plan = plan
        self._profiles = {spoken: _profile(model, len(load), spoken=spoken) for spoken in (False, True)}
        left = len(load)
        self._new_days = left - (SETTLE if left > 2 * SETTLE else left // 2) if left > 1 else 0

    def fewest_a_day(self, unseen: Sequence[RoundCard]) -> list[list[RoundCard]]:
        """Place the cards, as few a day as place as many as could be placed at all."""
        most = self._place(unseen, len(unseen))
        count = sum(map(len, most))
        low, high = 1, max(1, max(map(len, most), default=1))
        while low < high:
            rate = (low + high) // 2
            if sum(map(len, self._place(unseen, rate))) >= count:
                high = rate
            else:
                low = rate + 1
        return self._place(unseen, high)

    def _place(self, unseen: Sequence[RoundCard], rate: int) -> list[list[RoundCard]]:
        self.load = list(self._reviews)
        placed: list[list[RoundCard]] = [[] for _ in self.load]
        left = list(unseen)
        for day in range(self._new_days):
            while left and len(placed[day]) < rate and self._takes(left[0], day):
                placed[day].append(left.pop(0))
        return placed

    def _takes(self, card: RoundCard, day: int) -> bool:
        """Add what the card asks of the days from `day` on, if each of them has room for it."""
        asked = {day + after: answers for after, answers in self._profiles[card.spoken].items()}
        look = self._plan.look(card)
        if look and look.day > day >= 0:
            met = sum(answers for at, answers in asked.items() if look.since <= at <= look.day)
            asked[look.day] = asked.get(look.day, 0.0) + max(0.0, 1.0 - met)
        each = cost(card, self._pace_s)
        asked = {at: answers for at, answers in asked.items() if at < len(self.load)}
        if any(self.load[at] + answers * each > self._room for at, answers in asked.items()):
            return False
        for at, answers in asked.items():
            self.load[at] += answers * each
        return True


def _profile(model: Model, until: int, *, spoken: bool) -> dict[int, float]:
    """Expected answers to a new card by days after its first, without a last look."""
    branches, answers = first(model, 0, spoken=spoken)
    return {0: answers} | dict(course(model, branches, until, spoken=spoken).answers)


def _evenly(unseen: Sequence[RoundCard]) -> list[RoundCard]:
    """Both kinds in their order of value, mixed so that they end together: a pitch now and then, not all at the end."""
    read = [card for card in unseen if not card.spoken]
    said = [card for card in unseen if card.spoken]
    placed = [((at + 0.5) / len(row), card) for row in (read, said) for at, card in enumerate(row)]
    return [card for _, card in sorted(placed, key=lambda pair: pair[0])]


def _level(load: list[float], room: float) -> float:
    """Move what is over a day's room to the next day, in place; the seconds that the last day cannot hold."""
    over = 0.0
    for day, seconds in enumerate(load):
        load[day] = min(seconds + over, room)
        over = seconds + over - load[day]
    return over

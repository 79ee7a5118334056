"""Which card comes next, and how many are left today. Pure: the same candidates give the same queue.

Learning cards come first, at their minute; then the day's reviews and new cards, mixed evenly. attention/mask and
attention/heads are of one tree and share its limits: ten new cards from each of fourteen decks would be no evening.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from app.study.scheduling import CardId

PACE_S, PACE_ANSWERS = 15.0, 20  # what is expected of a learner, and for how many answers
ANSWERS_PER_NEW = 2.5  # a new card passes its minute steps on the first day


@dataclass(frozen=True)
class Limits:
    """Cards a day, for each tree of decks."""

    new: int = 10
    reviews: int = 200

    def to_json(self) -> dict[str, object]:
        return {"new": self.new, "reviews": self.reviews}


@dataclass(frozen=True)
class Waiting:
    """A card that may be shown today. `due_at` is set in minute steps; `place` is the place in the files."""

    card_id: CardId
    deck: str
    level: str
    place: tuple[int, ...]
    due_day: date | None = None
    due_at: datetime | None = None
    core: bool = False


@dataclass(frozen=True)
class Tally:
    """How many cards of a deck were answered today for the first time: new ones, and due reviews."""

    new: int = 0
    reviews: int = 0


@dataclass(frozen=True)
class Counts:
    """What is left today. An answer lowers these by exactly what left the queue."""

    new: int
    learning: int
    review: int

    @property
    def total(self) -> int:
        return self.new + self.learning + self.review


@dataclass(frozen=True)
class Heap:
    """What waits in one tree of decks: the first card, its place in the order, and how many cards there are.

    They are counted up to the day's limit. Of two heaps, the one whose first card comes first comes first.
    """

    tree: str
    first: CardId
    place: tuple[date | int, ...]
    count: int = 1


@dataclass(frozen=True)
class Row:
    """Cards in order. A queue needs to know the first of them, and how many there are, but no others."""

    first: CardId | None = None
    count: int = 0

    @classmethod
    def of(cls, cards: Sequence[Waiting]) -> "Row":
        return cls(cards[0].card_id if cards else None, len(cards))

    def then(self, other: "Row") -> "Row":
        """This row, and the other after it."""
        return Row(self.first or other.first, self.count + other.count)


@dataclass(frozen=True)
class Queue:
    """The day's cards in order. `done` counts today's answered cards of the decks that are studied.

    `asked` is a card that was asked for and may be shown: it comes before all others.
    """

    learning: tuple[Waiting, ...]
    reviews: Row
    new: Row
    done: Tally
    asked: CardId | None = None

    @property
    def counts(self) -> Counts:
        return Counts(self.new.count, len(self.learning), self.reviews.count)

    def next(self, now: datetime) -> CardId | None:
        """The card to show at `now`; None: none is due."""
        if self.asked:
            return self.asked
        due = self.at(now)
        if due:
            return due[0].card_id
        row = self.new if self._new_is_next() else self.reviews
        return row.first

    def at(self, now: datetime) -> tuple[Waiting, ...]:
        """The cards in their steps whose minute has come."""
        return tuple(card for card in self.learning if card.due_at is None or card.due_at <= now)

    def _new_is_next(self) -> bool:
        """New cards are spread so that both rows end together."""
        if not self.new.count or not self.reviews.count:
            return bool(self.new.count)
        new_share = (self.done.new + 0.5) / (self.done.new + self.new.count)
        review_share = (self.done.reviews + 0.5) / (self.done.reviews + self.reviews.count)
        return new_share < review_share


@dataclass(frozen=True)
class Room:
    """How many more new cards and reviews each tree of decks may show, by its limits and what was `done` today."""

    limits: Limits
    used: Mapping[str, Tally]

    @classmethod
    def left(cls, limits: Limits, done: Mapping[str, Tally]) -> "Room":
        """`done` is told by the names of decks."""
        used: dict[str, Tally] = {}
        for name, tally in done.items():
            before = used.get(tree(name), Tally())
            used[tree(name)] = Tally(before.new + tally.new, before.reviews + tally.reviews)
        return cls(limits, used)

    def new(self, deck: str) -> int:
        return max(0, self.limits.new - self.used.get(tree(deck), Tally()).new)

    def reviews(self, deck: str) -> int:
        return max(0, self.limits.reviews - self.used.get(tree(deck), Tally()).reviews)


def build(
    learning: Iterable[Waiting],
    reviews: Iterable[Heap],
    new: Iterable[Heap],
    room: Room,
    here: Tally | None = None,
) -> Queue:
    """Put the candidates in order and keep each tree within its room.

    `here` is what was done of the cards that were chosen, where not all were.
    """
    everywhere = Tally(
        sum(tally.new for tally in room.used.values()), sum(tally.reviews for tally in room.used.values())
    )
    return Queue(
        learning=by_minute(learning),
        reviews=_merged(reviews, room.reviews),
        new=_merged(new, room.new),
        done=everywhere if here is None else here,
    )


def tree(deck: str) -> str:
    """The tree that a deck belongs to, whose limits it shares: "attention" for "attention/mask"."""
    return deck.partition("/")[0]


def within(name: str, deck: str) -> bool:
    """Whether the deck `name` is `deck` or below it."""
    return f"{name}/".startswith(f"{deck}/")


def _merged(heaps: Iterable[Heap], room: Callable[[str], int]) -> Row:
    """One row of all heaps, each as far as its tree has room."""
    row = Row()
    for heap in sorted(heaps, key=lambda heap: heap.place):
        if count := min(heap.count, room(heap.tree)):
            row = row.then(Row(heap.first, count))
    return row


def by_minute(cards: Iterable[Waiting]) -> tuple[Waiting, ...]:
    """Cards in their steps, at their minute; a step that became a day comes after those."""
    never = datetime.max.replace(tzinfo=UTC)
    return tuple(sorted(cards, key=lambda card: (card.due_at is None, card.due_at or never, card.place)))


def pace_s(answers: int, spent_s: float) -> float:
    """Seconds an answer: `answers` of them took `spent_s` in all; while they are few, the expected pace weighs more."""
    return (PACE_ANSWERS * PACE_S + spent_s) / (PACE_ANSWERS + answers)


def minutes(counts: Counts, pace_s: float) -> int:
    """Minutes that `counts` will take at `pace_s` seconds an answer; at least 1 while anything is left."""
    answers = ANSWERS_PER_NEW * counts.new + counts.learning + counts.review
    return math.ceil(answers * pace_s / 60)

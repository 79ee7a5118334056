"""Which card comes next, and how many are left today. Pure: the same candidates give the same queue.

Learning cards come first, at their minute; then the day's reviews and new cards, mixed evenly. attention/mask and
attention/heads are of one tree and share its limits: ten new cards from each of fourteen decks would be no evening.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import blake2b

from app.library.values import LEVELS
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
class Queue:
    """The day's cards in order. `done` counts today's answered cards of the decks that are studied."""

    learning: tuple[Waiting, ...]
    reviews: tuple[Waiting, ...]
    new: tuple[Waiting, ...]
    done: Tally

    @property
    def counts(self) -> Counts:
        return Counts(len(self.new), len(self.learning), len(self.reviews))

    def next(self, now: datetime, first: CardId | None = None) -> CardId | None:
        """The card to show at `now`: `first` if it may be shown, else the next in order; None: none is due."""
        due = [c for c in self.learning if c.due_at is None or c.due_at <= now]
        if first and any(c.card_id == first for c in (*due, *self.reviews, *self.new)):
            return first
        if due:
            return due[0].card_id
        row = self.new if self._new_is_next() else self.reviews
        return row[0].card_id if row else None

    def _new_is_next(self) -> bool:
        """New cards are spread so that both rows end together."""
        if not self.new or not self.reviews:
            return bool(self.new)
        new_share = (self.done.new + 0.5) / (self.done.new + len(self.new))
        review_share = (self.done.reviews + 0.5) / (self.done.reviews + len(self.reviews))
        return new_share < review_share


def build(
    learning: Iterable[Waiting],
    reviews: Iterable[Waiting],
    new: Iterable[Waiting],
    done: Mapping[str, Tally],
    limits: Limits,
    here: Tally | None = None,
) -> Queue:
    """Put the candidates in order and keep each tree within its limits, of which `done` (of all decks) has used a part.

    `here` is what was done of the cards that were chosen, where not all were.
    """
    new_used, reviews_used = Counter[str](), Counter[str]()
    for name, tally in done.items():
        new_used[tree(name)] += tally.new
        reviews_used[tree(name)] += tally.reviews
    everywhere = Tally(
        sum(tally.new for tally in done.values()), sum(tally.reviews for tally in done.values())
    )
    return Queue(
        learning=tuple(sorted(learning, key=_by_minute)),
        reviews=_allowed(sorted(reviews, key=_by_day), limits.reviews, reviews_used),
        new=_allowed(sorted(new, key=_in_turn), limits.new, new_used),
        done=everywhere if here is None else here,
    )


def tree(deck: str) -> str:
    """The tree that a deck belongs to, whose limits it shares: "attention" for "attention/mask"."""
    return deck.partition("/")[0]


def within(name: str, deck: str) -> bool:
    """Whether the deck `name` is `deck` or below it."""
    return f"{name}/".startswith(f"{deck}/")


def _allowed(ordered: list[Waiting], limit: int, used: Mapping[str, int]) -> tuple[Waiting, ...]:
    """The first cards of each tree that its limit still allows, in the order given."""
    taken = Counter(used)
    kept = []
    for card in ordered:
        taken[tree(card.deck)] += 1
        if taken[tree(card.deck)] <= limit:
            kept.append(card)
    return tuple(kept)


def _by_minute(card: Waiting) -> tuple[bool, datetime, tuple[int, ...]]:
    return card.due_at is None, card.due_at or datetime.max.replace(tzinfo=UTC), card.place


def _by_day(card: Waiting) -> tuple[date, bytes]:
    """Longest due first; within a day shuffled, the same way each time, so that no card is the cue of the next."""
    return card.due_day or date.max, blake2b(card.card_id.encode(), digest_size=8).digest()


def _in_turn(card: Waiting) -> tuple[bool, int, tuple[int, ...]]:
    """The core of every deck before anything else, then by level, then as the files have them."""
    level = LEVELS.index(card.level) if card.level in LEVELS else len(LEVELS)
    return not card.core, level, card.place


def pace_s(answers: int, spent_s: float) -> float:
    """Seconds an answer: `answers` of them took `spent_s` in all; while they are few, the expected pace weighs more."""
    return (PACE_ANSWERS * PACE_S + spent_s) / (PACE_ANSWERS + answers)


def minutes(counts: Counts, pace_s: float) -> int:
    """Minutes that `counts` will take at `pace_s` seconds an answer; at least 1 while anything is left."""
    answers = ANSWERS_PER_NEW * counts.new + counts.learning + counts.review
    return math.ceil(answers * pace_s / 60)

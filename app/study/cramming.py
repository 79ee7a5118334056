"""A cram: the chosen cards once through, and those that were not known again until they are. Pure.

The schedule is not touched. What was answered is in the log, as events of kind cram since the one that the cram began
after, so that undo, a reload and a second tab agree.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from app.study.memory import Grade
from app.study.queue import Counts, Tally
from app.study.scheduling import CardId

MOST = 500  # cards in one cram


@dataclass(frozen=True)
class Cram:
    """What is left of a cram, in order: first what was not seen yet, then what was not known, as it was answered."""

    unseen: tuple[CardId, ...]
    again: tuple[CardId, ...]
    known: int
    asked: CardId | None = None

    @property
    def counts(self) -> Counts:
        """`learning` are those not known, `review` those not seen yet."""
        return Counts(new=0, learning=len(self.again), review=len(self.unseen))

    @property
    def done(self) -> Tally:
        return Tally(reviews=self.known)

    def next(self, now: datetime) -> CardId | None:
        """The card to show: the `asked` one if it is left; None: all are known. A cram knows no time."""
        left = (*self.unseen, *self.again)
        if self.asked in left:
            return self.asked
        return left[0] if left else None


def build(
    cards: Iterable[CardId], given: Mapping[CardId, Grade], began: int, asked: CardId | None = None
) -> Cram:
    """The cram of `cards` that `began` after that event. `given` has the last grade of each, oldest first.

    The order is shuffled, the same way each time in one cram, so that no card is the cue of the next.
    """
    chosen = set(cards)
    again = tuple(card for card, grade in given.items() if card in chosen and grade is Grade.AGAIN)
    known = sum(1 for card, grade in given.items() if card in chosen and grade is not Grade.AGAIN)
    return Cram(
        tuple(sorted(chosen - given.keys(), key=lambda card: _shuffled(card, began))), again, known, asked
    )


def _shuffled(card: CardId, began: int) -> bytes:
    return blake2b(f"{began} {card}".encode(), digest_size=8).digest()

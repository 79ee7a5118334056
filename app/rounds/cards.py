"""What the rounds know of a round and of a card: data only."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import NewType

from app.library.values import LEVELS
from app.study.memory import Memory
from app.study.scheduling import CardId

RoundId = NewType("RoundId", int)


@dataclass(frozen=True)
class Round:
    """An interview to come. `topics` are names of decks, each with those below it; none: every deck.

    `minutes` is what the learner gives it a day. `debriefed_at`: when what was asked was written down.
    """

    id: RoundId
    name: str
    date: date
    topics: tuple[str, ...]
    level: str
    minutes: int
    debriefed_at: datetime | None = None

    def asks_of(self, deck: str) -> bool:
        """Whether the deck is one of its topics."""
        return not self.topics or any(f"{deck}/".startswith(f"{topic}/") for topic in self.topics)


@dataclass(frozen=True)
class RoundCard:
    """A card as it stood this morning; `memory` and the days are None of one that was never answered.

    `seconds` is what saying a spoken card takes; a card that is read takes the learner's pace.
    """

    id: CardId
    words: str
    deck: str
    deck_title: str
    level: str
    core: bool
    spoken: bool
    seconds: float
    place: tuple[int, ...]
    memory: Memory | None = None
    last_day: date | None = None
    due_day: date | None = None
    kind: str = "question"

    @property
    def seen(self) -> bool:
        return self.memory is not None

    @property
    def depth(self) -> int:
        """The place of its level among the levels."""
        return LEVELS.index(self.level) if self.level in LEVELS else len(LEVELS)

    @property
    def value(self) -> tuple[bool, int, tuple[int, ...]]:
        """Sorts what is worth most first: the core, then lower levels, then the order of the files."""
        return not self.core, self.depth, self.place


def reaches(one: Round, card: RoundCard) -> bool:
    """Whether the card's level is within the round's."""
    return card.depth <= LEVELS.index(one.level)

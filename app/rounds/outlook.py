"""What the service tells of the rounds ahead: data only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from app.rounds.cards import RoundCard
from app.rounds.plan import RoundPlan
from app.rounds.readiness import Topic
from app.study.scheduling import CardId


@dataclass(frozen=True)
class Outlook:
    """A round that lies ahead: its plan, and how ready the learner is, in all and by topic."""

    plan: RoundPlan
    whole: Topic
    topics: tuple[Topic, ...]
    begun: frozenset[CardId]  # of today's share what was answered already

    @property
    def misses(self) -> tuple[RoundCard, ...]:
        """What does not fit, and was not answered today all the same; what is worth least first."""
        return tuple(card for card in self.plan.misses if card.id not in self.begun)


@dataclass(frozen=True)
class DayPlan:
    """What the rounds ask of today's queues.

    `topics`: the decks whose new cards come by the plan alone; `everything`: all decks are. `new`: the cards to be new,
    best first; `later`: new cards of the topics that wait, for another day or for good. `looks`: last looks by their
    day, for cards not answered from the day `since` on.
    """

    topics: tuple[str, ...]
    everything: bool
    new: tuple[CardId, ...]
    later: frozenset[CardId]
    looks: Mapping[CardId, date]
    since: Mapping[CardId, date]

"""How ready a learner is for a round, topic by topic: first what was never seen or said, then the forecast. Pure.

The forecast flatters everybody diligent, so it comes second, and with its range: chance (two standard deviations of
the number of cards recalled) and MODEL, the points by which `make bench` lets simulated learners differ from it.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.rounds.cards import RoundCard
from app.rounds.course import course
from app.rounds.plan import SIGHT, RoundPlan, begin
from app.study.memory import Model
from app.study.scheduling import CardId

MODEL = 0.03


@dataclass(frozen=True)
class Forecast:
    """The share of `cards` that will be recalled on the day, if the plan is kept: what to expect, and the range."""

    cards: int
    recall: float
    low: float
    high: float


@dataclass(frozen=True)
class Topic:
    """A deck of a round; `title` is empty for all of them. `forecast` is None where no card will have been seen."""

    deck: str
    title: str
    cards: int
    unseen: int
    unspoken: int
    misses: int
    forecast: Forecast | None


def chances(plan: RoundPlan, model: Model) -> dict[CardId, float]:
    """The chance to recall each card on the round's day, of those that will have been seen."""
    found = ((card.id, _recall(plan, card, model)) for card in plan.cards)
    return {card_id: recall for card_id, recall in found if recall is not None}


def readiness(
    plan: RoundPlan, chances: Mapping[CardId, float], begun: Collection[CardId] = ()
) -> tuple[Topic, tuple[Topic, ...]]:
    """The whole round, and each of its decks in the library's order. `begun`: what was first answered today."""
    missed = {card.id for card in plan.misses}
    begun = set(begun)

    def topic(deck: str, title: str, cards: Sequence[RoundCard]) -> Topic:
        unseen = [card for card in cards if not card.seen and card.id not in begun]
        return Topic(
            deck,
            title,
            len(cards),
            sum(not card.spoken for card in unseen),
            sum(card.spoken for card in unseen),
            sum(card.id in missed for card in unseen),
            forecast([chances[card.id] for card in cards if card.id in chances]),
        )

    ordered = sorted(plan.cards, key=lambda card: card.place)
    by_deck = [
        topic(*deck, list(cards))
        for deck, cards in groupby(ordered, lambda card: (card.deck, card.deck_title))
    ]
    return topic("", "", ordered), tuple(by_deck)


def forecast(chances: Sequence[float]) -> Forecast | None:
    """What to expect of cards that are recalled with these chances."""
    if not chances:
        return None
    mean = math.fsum(chances) / len(chances)
    spread = 2 * math.sqrt(math.fsum(p * (1 - p) for p in chances)) / len(chances) + MODEL
    return Forecast(len(chances), mean, max(0.0, mean - spread), min(1.0, mean + spread))


def _recall(plan: RoundPlan, card: RoundCard, model: Model) -> float | None:
    """The chance to recall the card on the round's day; None: it will not have been seen."""
    branches = begin(card, plan.today, plan.first_days.get(card.id), model)
    if not branches:
        return None
    return course(model, branches, min(plan.days_left, SIGHT), plan.look(card), spoken=card.spoken).recall

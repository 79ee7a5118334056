"""How ready a learner is for a round, topic by topic: first what was never seen or said, then the forecast. Pure.

The forecast flatters everybody diligent, so it comes second, and with its range: chance (two standard deviations of
the number of cards recalled) and MODEL, the points by which `make bench` lets simulated learners differ from it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from app.rounds.cards import RoundCard
from app.rounds.course import course
from app.rounds.plan import SIGHT, RoundPlan, begin
from app.study.memory import Model

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


def readiness(plan: RoundPlan, model: Model) -> tuple[Topic, tuple[Topic, ...]]:
    """The whole round, and each of its decks in the library's order."""
    chances = {card.id: recall for card in plan.cards if (recall := _recall(plan, card, model)) is not None}
    missed = {card.id for card in plan.misses}

    def topic(deck: str, title: str, cards: Sequence[RoundCard]) -> Topic:
        return Topic(
            deck,
            title,
            len(cards),
            sum(not card.seen and not card.spoken for card in cards),
            sum(not card.seen and card.spoken for card in cards),
            sum(card.id in missed for card in cards),
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

"""Last looks: in the last days before a round each of its cards is shown once more. Pure.

The stored due day stays as it is; a card that was answered in these days anyhow needs no look.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from app.rounds.cards import Round, RoundCard
from app.study.scheduling import CardId

SHARE = 0.6  # of a day's minutes, at most; the rest is for what is due
FEWEST_DAYS, MOST_DAYS = 2, 7


@dataclass(frozen=True)
class Looks:
    """From the day `since` on; `days` by card, without those that the minutes of these days cannot show."""

    since: date
    days: dict[CardId, date]


def last_looks(one: Round, cards: Sequence[RoundCard], pace_s: float) -> Looks:
    """Fill the last days from the round's eve backwards: what is worth most is looked at last."""
    room_s = SHARE * one.minutes * 60
    ordered = sorted(cards, key=lambda card: card.value)
    wanted = sum(cost(card, pace_s) for card in ordered)
    days = min(max(FEWEST_DAYS, math.ceil(wanted / room_s)), MOST_DAYS)
    found: dict[CardId, date] = {}
    before, used = 1, 0.0
    for card in ordered:
        used += cost(card, pace_s)
        if used > room_s:
            before, used = before + 1, cost(card, pace_s)
        if before > days:
            break
        found[card.id] = one.date - timedelta(days=before)
    return Looks(one.date - timedelta(days=days), found)


def cost(card: RoundCard, pace_s: float) -> float:
    """Seconds that one answer to the card takes."""
    return card.seconds if card.spoken else pace_s

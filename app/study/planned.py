"""What the plan towards a round makes of the day's queue. Pure.

New cards of the round's topics come by its plan alone, in its order; last looks join the reviews on their day.
"""

from collections.abc import Sequence
from dataclasses import replace

from app.rounds.outlook import DayPlan
from app.study.queue import Queue, Waiting


def planned(row: Queue, plan: DayPlan, new: Sequence[Waiting], looks: Sequence[Waiting]) -> Queue:
    """The queue, whose new cards are of other topics, with the plan's own: `new` and `looks` are still to be shown."""
    by_id = {card.card_id: card for card in new}
    share = [by_id[card_id] for card_id in plan.new if card_id in by_id]
    due = {card.card_id for card in row.reviews}
    looked = [replace(card, due_day=plan.looks[card.card_id]) for card in looks if card.card_id not in due]
    return replace(row, reviews=(*row.reviews, *looked), new=(*share, *row.new))

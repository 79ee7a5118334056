"""What the plan towards a round makes of the day's queue. Pure.

New cards of the round's topics come by its plan alone, in its order; last looks join the reviews on their day.
"""

from collections.abc import Sequence
from dataclasses import replace

from app.rounds.outlook import DayPlan
from app.study.queue import Queue, Row, Waiting


def planned(row: Queue, plan: DayPlan, new: Sequence[Waiting], looks: Sequence[Waiting]) -> Queue:
    """The queue, whose new cards are of other topics, with the plan's own.

    `new` and `looks` are those that are still to be shown; of the looks none is due by itself.
    """
    by_id = {card.card_id: card for card in new}
    share = [by_id[card_id] for card_id in plan.new if card_id in by_id]
    return replace(row, reviews=row.reviews.then(Row.of(looks)), new=Row.of(share).then(row.new))

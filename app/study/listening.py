"""Cards to listen to, away from the keyboard: what is due first, then others of what was chosen. Nothing is written."""

from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.study import store, store_queue
from app.study.cards import Card
from app.study.chosen import Chosen
from app.study.service import check

MOST = 60  # cards: an hour of listening


def to_hear(conn: Connection, learner: Learner, now: datetime, chosen: Chosen) -> tuple[list[Card], int]:
    """The cards, and how many of them, at the front, are due. Raises NotFound for a deck or tag that is not there."""
    check(conn, chosen)
    due = store_queue.due(conn, learner.id, learner.day(now), chosen, MOST)
    others = [card for card in store_queue.cards(conn, learner.id, chosen, MOST) if card not in due]
    ids = [*due, *others[: MOST - len(due)]]
    return store.cards(conn, learner.id, ids), len(due)

"""What the progress room tells: days, recall, what comes, topics, and one card's own history."""

from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.progress.history import History
from app.progress.history import history as card_history
from app.study import service as study

ANSWERS = 50  # of a card, that its history shows


def history(conn: Connection, learner: Learner, now: datetime, card_id: str) -> History:
    """A card's newest answers, and the forgetting curve that they make."""
    return card_history(
        study.history(conn, learner, card_id, ANSWERS),
        study.state_of(conn, learner, card_id).due_day,
        learner.day(now),
        study.recall(learner),
        learner.prefers.retention,
    )

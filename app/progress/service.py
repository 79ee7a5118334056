"""What the progress room tells: days, recall, what comes, topics, and one card's own history."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.progress import stats, store, views
from app.progress.history import History
from app.progress.history import history as card_history
from app.progress.stats import Due, Review
from app.progress.views import AHEAD, YEAR, ProgressView, TopicsView
from app.study import service as study
from app.study.cards import EventId

ANSWERS = 50  # of a card, that its history shows
CHUNK = 5000  # answers that are read at once when all are written out


def overview(conn: Connection, learner: Learner, now: datetime) -> ProgressView:
    """Days, minutes, recall, and what comes."""
    today = learner.day(now)
    return views.progress(
        store.days(conn, learner.id), forecast(conn, learner, now), today, learner.prefers.retention
    )


def days(conn: Connection, learner: Learner) -> list[stats.Day]:
    return store.days(conn, learner.id)


def forecast(conn: Connection, learner: Learner, now: datetime) -> list[Due]:
    """How many cards come on each of the next days, as they stand."""
    today = learner.day(now)
    return stats.forecast(store.due(conn, learner.id, views.ahead(today)), today, AHEAD)


def topics(conn: Connection, learner: Learner, now: datetime) -> TopicsView:
    """Where the learner stands with each deck and each level."""
    found = store.groups(conn, learner.id, stats.last(YEAR, learner.day(now)))
    return views.topics(found, store.deck_titles(conn), learner.prefers.retention)


def reviews(conn: Connection, learner: Learner, after: int) -> list[Review]:
    """The next answers after the event `after`, oldest first; nothing at the end."""
    return store.reviews(conn, learner.id, after, CHUNK)


def history(
    conn: Connection, learner: Learner, now: datetime, card_id: str, takes: Mapping[EventId, int]
) -> History:
    """A card's newest answers, with the spoken takes that they rated, and the forgetting curve that they make."""
    return card_history(
        study.history(conn, learner, card_id, ANSWERS),
        study.state_of(conn, learner, card_id).due_day,
        learner.day(now),
        study.recall(learner),
        learner.prefers.retention,
        takes,
    )

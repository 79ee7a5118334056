"""SQL of takes over time: of every card, for the history and for the archive."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from app.accounts.learner import LearnerId
from app.db.tables import card, recording, take
from app.drill.history.past import SaidCard
from app.drill.pitch import TakeId
from app.study.cards import EventId
from app.study.scheduling import CardId


def cards(
    conn: Connection, learner_id: LearnerId, limit: int | None = None, before: TakeId | None = None
) -> list[SaidCard]:
    """The cards that were said, the latest first, also those that have left the decks.

    `before` leaves out those that were said since that take, itself one of them.
    """
    newest = func.max(take.c.id)
    latest: Any = func.max(take.c.at, type_=take.c.at.type).label("latest")
    query = (
        select(card.c.id, card.c.words, func.count().label("takes"), newest.label("newest"), latest)
        .join(take, take.c.card_id == card.c.id)
        .where(take.c.learner_id == learner_id)
        .group_by(card.c.id, card.c.words)
        .order_by(newest.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.having(newest < before)
    return [
        SaidCard(CardId(row.id), row.words, row.takes, TakeId(row.newest), _moment(row.latest))
        for row in conn.execute(query)
    ]


def words(conn: Connection, card_ids: Collection[CardId]) -> dict[CardId, str]:
    """What each of these cards asks, also of those that have left the decks."""
    rows = conn.execute(select(card.c.id, card.c.words).where(card.c.id.in_(card_ids)))
    return {CardId(row.id): row.words for row in rows}


def count(conn: Connection, learner_id: LearnerId, card_id: CardId) -> int:
    """How often the card was said."""
    query = select(func.count()).where(take.c.learner_id == learner_id, take.c.card_id == card_id)
    return conn.scalar(query) or 0


def with_sound(conn: Connection, learner_id: LearnerId, card_id: CardId) -> set[int]:
    """The recordings of the card whose sound is kept."""
    query = select(recording.c.id).where(
        recording.c.learner_id == learner_id, recording.c.card_id == card_id, recording.c.deleted_at.is_(None)
    )
    return set(conn.scalars(query))


def by_event(conn: Connection, learner_id: LearnerId, card_id: CardId) -> dict[EventId, TakeId]:
    query = select(take.c.event_id, take.c.id).where(
        take.c.learner_id == learner_id, take.c.card_id == card_id
    )
    return {EventId(row.event_id): TakeId(row.id) for row in conn.execute(query)}


def _moment(value: Any) -> datetime:
    assert isinstance(value, datetime)
    return value

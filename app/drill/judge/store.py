"""SQL of what judges said."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.accounts.learner import LearnerId
from app.db.tables import event, opinion, take
from app.drill.pitch import TakeId


def keep(
    conn: Connection,
    learner_id: LearnerId,
    key: str,
    *,
    judge: str,
    model: str,
    body: dict[str, object],
    at: datetime,
) -> None:
    """Keep what a judge said of an attempt, in place of what it had said before."""
    said = {"model": model, "body": body, "at": at}
    row = upsert(opinion).values(learner_id=learner_id, key=key, judge=judge, **said)
    conn.execute(row.on_conflict_do_update(index_elements=["learner_id", "key", "judge"], set_=said))


def latest(conn: Connection, learner_id: LearnerId, key: str) -> Row[Any] | None:
    """The newest opinion of an attempt, whichever judge's it is."""
    query = select(opinion).where(opinion.c.learner_id == learner_id, opinion.c.key == key)
    return conn.execute(query.order_by(opinion.c.at.desc(), opinion.c.id.desc()).limit(1)).one_or_none()


def idem_of(conn: Connection, learner_id: LearnerId, take_id: TakeId) -> str:
    """The key under which the log has the rating of a take."""
    query = (
        select(event.c.idem)
        .join(take, take.c.event_id == event.c.id)
        .where(take.c.learner_id == learner_id, take.c.id == take_id)
    )
    return str(conn.execute(query).scalar_one())

"""SQL of learners."""

from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from app.accounts.learner import Learner, LearnerId
from app.db.tables import learner
from app.db.tables import preference as chosen

FIRST = LearnerId(1)
ROLLOVER = "rollover"  # the preference that says that the learner's own hour is meant to stay


def ensure_first(conn: Connection, *, rollover: int, now: datetime) -> None:
    """There is always one learner, who needs no sign-in; the rollover hour follows the settings until one is chosen."""
    known = conn.scalar(select(learner.c.id).where(learner.c.id == FIRST))
    if known is None:
        conn.execute(
            insert(learner).values(id=FIRST, name="you", zone=None, rollover=rollover, created_at=now)
        )
    elif preference(conn, FIRST, ROLLOVER) is None:
        set_rollover(conn, FIRST, rollover)


def get(conn: Connection, learner_id: LearnerId, default_zone: str) -> Learner:
    row = conn.execute(select(learner).where(learner.c.id == learner_id)).one()
    return Learner(LearnerId(row.id), row.zone or default_zone or "UTC", row.rollover)


def has_zone(conn: Connection, learner_id: LearnerId) -> bool:
    return conn.scalar(select(learner.c.zone).where(learner.c.id == learner_id)) is not None


def set_zone_if_unknown(conn: Connection, learner_id: LearnerId, zone: str) -> None:
    conn.execute(
        update(learner).where(learner.c.id == learner_id, learner.c.zone.is_(None)).values(zone=zone)
    )


def set_zone(conn: Connection, learner_id: LearnerId, zone: str) -> None:
    conn.execute(update(learner).where(learner.c.id == learner_id).values(zone=zone))


def set_rollover(conn: Connection, learner_id: LearnerId, hour: int) -> None:
    conn.execute(update(learner).where(learner.c.id == learner_id).values(rollover=hour))


def preference(conn: Connection, learner_id: LearnerId, name: str) -> str | None:
    return conn.scalar(select(chosen.c.value).where(chosen.c.learner_id == learner_id, chosen.c.name == name))


def set_preference(conn: Connection, learner_id: LearnerId, name: str, value: str) -> None:
    row = upsert(chosen).values(learner_id=learner_id, name=name, value=value)
    conn.execute(row.on_conflict_do_update(index_elements=["learner_id", "name"], set_={"value": value}))


def drop_preference(conn: Connection, learner_id: LearnerId, name: str) -> None:
    conn.execute(delete(chosen).where(chosen.c.learner_id == learner_id, chosen.c.name == name))

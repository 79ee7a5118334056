"""SQL of answers that are typed and not rated yet."""

from datetime import datetime

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert

from app.accounts.learner import LearnerId
from app.db.tables import draft


def of(conn: Connection, learner_id: LearnerId, key: str) -> str | None:
    """The text of the attempt with this key; None: nothing was typed."""
    return conn.scalar(select(draft.c.text).where(draft.c.learner_id == learner_id, draft.c.key == key))


def keep(conn: Connection, learner_id: LearnerId, key: str, text: str, now: datetime) -> None:
    row = insert(draft).values(learner_id=learner_id, key=key, text=text, at=now)
    conn.execute(
        row.on_conflict_do_update(index_elements=["learner_id", "key"], set_={"text": text, "at": now})
    )


def forget(conn: Connection, learner_id: LearnerId, before: datetime) -> None:
    """Drop the texts that nobody has touched since `before`; takes have texts of their own."""
    conn.execute(delete(draft).where(draft.c.learner_id == learner_id, draft.c.at < before))

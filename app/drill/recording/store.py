"""SQL of recordings."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from app.accounts.learner import LearnerId
from app.db.tables import asked, card, recording, take
from app.drill.recording.sound import Recording, RecordingId
from app.study.scheduling import CardId

r = recording.c
_rated = exists(select(1).where(take.c.recording_id == r.id))
_kept = r.deleted_at.is_(None)
# The drill rates what it asks. What was said to a card that is read an interview keeps, and it shows its open question.
_of_drill = exists(select(1).where(card.c.id == r.card_id, card.c.queue == "drill"))
_asked_now = exists(
    select(1).where(
        asked.c.learner_id == r.learner_id,
        asked.c.card_id == r.card_id,
        asked.c.done_at.is_(None),
        func.json_extract(asked.c.attempt, "$.key") == r.key,
    )
)


def add(
    conn: Connection, learner_id: LearnerId, card_id: CardId, key: str, mime: str, now: datetime, past: int
) -> None:
    """Its number is a new one, and larger than `past`."""
    newest = conn.scalar(select(func.max(r.id))) or 0
    values = {"learner_id": learner_id, "card_id": card_id, "key": key, "mime": mime, "started_at": now}
    conn.execute(insert(recording).values(id=max(newest, past) + 1, **values))


def by_key(conn: Connection, learner_id: LearnerId, key: str) -> Recording | None:
    return _one(conn, r.learner_id == learner_id, r.key == key)


def by_id(conn: Connection, learner_id: LearnerId, recording_id: RecordingId) -> Recording | None:
    return _one(conn, r.learner_id == learner_id, r.id == recording_id)


def of_learner(conn: Connection, learner_id: LearnerId) -> list[Recording]:
    """Those whose sound is kept, oldest first."""
    return _all(conn, _recordings().where(r.learner_id == learner_id, _kept))


def unrated(conn: Connection, learner_id: LearnerId) -> list[Recording]:
    """Those that the drill can rate and no take has, newest first; without what an interview asks at the moment."""
    query = _recordings().where(r.learner_id == learner_id, _kept, ~_rated, _of_drill, ~_asked_now)
    return _all(conn, query.order_by(None).order_by(r.id.desc()))


def of_everybody(conn: Connection, *, kept: bool = True) -> list[Recording]:
    """All whose sound is kept, or those whose sound was deleted, oldest first."""
    return _all(conn, _recordings().where(_kept if kept else r.deleted_at.is_not(None)))


def end(conn: Connection, recording_id: RecordingId, now: datetime, size: int, lost: str) -> None:
    """It has ended; one that had ended stays as it is."""
    change = update(recording).where(r.id == recording_id, r.ended_at.is_(None))
    conn.execute(change.values(ended_at=now, size=size, lost=lost))


def remove(conn: Connection, recording_id: RecordingId) -> None:
    conn.execute(delete(recording).where(r.id == recording_id))


def forget(conn: Connection, ids: Collection[RecordingId], now: datetime) -> None:
    """Their sound is gone; they count as ended."""
    gone = update(recording).where(r.id.in_(ids), _kept)
    conn.execute(gone.values(deleted_at=now, ended_at=func.coalesce(r.ended_at, now)))


def _recordings() -> Select[Any]:
    return select(*r, _rated.label("rated")).order_by(r.id)


def _one(conn: Connection, *where: ColumnElement[bool]) -> Recording | None:
    row = conn.execute(_recordings().where(*where)).one_or_none()
    return None if row is None else _recording(row)


def _all(conn: Connection, query: Select[Any]) -> list[Recording]:
    return [_recording(row) for row in conn.execute(query)]


def _recording(row: Row[Any]) -> Recording:
    return Recording(
        id=RecordingId(row.id),
        learner_id=LearnerId(row.learner_id),
        card_id=CardId(row.card_id),
        key=row.key,
        mime=row.mime,
        size=row.size,
        started_at=row.started_at,
        ended_at=row.ended_at,
        lost=row.lost,
        deleted_at=row.deleted_at,
        rated=bool(row.rated),
    )

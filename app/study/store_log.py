"""SQL of the log: answers and undos, which are only ever added, and the settings they were given under."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import cast

from sqlalchemy import Connection, Row, Select, Text, exists, insert, select, type_coerce
from sqlalchemy.dialects.sqlite import insert as upsert

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.study.cards import Buried, Damaged, Event, EventId
from app.study.memory import Grade
from app.study.scheduling import CardId, CardState

UNREADABLE = (AttributeError, KeyError, TypeError, ValueError)  # what a damaged row makes of reading it
UNDONE = exists(select(1).where(t.undo.c.event_id == t.event.c.id))


def snapshot(conn: Connection, learner: LearnerId, body: dict[str, object], now: datetime) -> int:
    """The id of the settings `body`, kept once for each learner."""
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    kept = t.settings_snapshot
    conn.execute(
        upsert(kept)
        .values(learner_id=learner, hash=digest, body=body, created_at=now)
        .on_conflict_do_nothing()
    )
    found: int = conn.execute(
        select(kept.c.id).where(kept.c.learner_id == learner, kept.c.hash == digest)
    ).scalar_one()
    return found


def snapshots(conn: Connection) -> dict[int, str]:
    """The JSON text of every snapshot; what of it can be read is for the caller to find out."""
    kept = t.settings_snapshot
    return {row.id: row.body for row in conn.execute(select(kept.c.id, type_coerce(kept.c.body, Text)))}


def add_event(
    conn: Connection,
    learner: LearnerId,
    *,
    card_id: CardId,
    kind: str,
    at: datetime,
    study_day: date,
    day_ends: datetime,
    offset_minutes: int,
    grade: Grade,
    ms: int | None,
    before: CardState,
    after: CardState,
    snapshot_id: int,
    algorithm: str,
    buried: Iterable[Buried],
    detail: dict[str, object],
    idem: str,
) -> EventId:
    added = conn.execute(
        insert(t.event).values(
            learner_id=learner,
            card_id=card_id,
            kind=kind,
            at=at,
            study_day=study_day,
            offset_minutes=offset_minutes,
            grade=int(grade),
            ms=ms,
            before=before.to_json(),
            after=after.to_json(),
            snapshot_id=snapshot_id,
            algorithm=algorithm,
            detail={
                **detail,
                "day_ends": day_ends.isoformat(),
                "buried": [sibling.to_json() for sibling in buried],
            },
            idem=idem,
        )
    )
    return EventId(cast("tuple[int]", added.inserted_primary_key)[0])


def event_by_idem(conn: Connection, learner: LearnerId, idem: str) -> Event | None:
    return _one(conn, _events(learner).where(t.event.c.idem == idem))


def event(conn: Connection, learner: LearnerId, event_id: int) -> Event | None:
    return _one(conn, _events(learner).where(t.event.c.id == event_id))


def any_event(conn: Connection, learner: LearnerId) -> bool:
    return conn.scalar(select(t.event.c.id).where(t.event.c.learner_id == learner).limit(1)) is not None


def newest_of_note(conn: Connection, learner: LearnerId, note_key: str) -> EventId | None:
    """The newest answer to a card of the note that stands."""
    found = conn.scalar(
        _standing_answers(learner).where(t.card.c.note_key == note_key).order_by(t.event.c.id.desc()).limit(1)
    )
    return EventId(found) if found else None


def newest_of_day(conn: Connection, learner: LearnerId, day: date) -> EventId | None:
    """The newest study answer of the day that stands: what the undo button takes back."""
    found = conn.scalar(
        _standing_answers(learner)
        .where(t.event.c.study_day == day, t.event.c.kind == "review")
        .order_by(t.event.c.id.desc())
        .limit(1)
    )
    return EventId(found) if found else None


def history(conn: Connection, learner: LearnerId, card_id: CardId, limit: int) -> list[Event]:
    """The card's answers, newest first, undone ones included."""
    query = _events(learner).where(t.event.c.card_id == card_id).order_by(t.event.c.id.desc()).limit(limit)
    return [_event(row) for row in conn.execute(query)]


def add_undo(conn: Connection, event_id: EventId, at: datetime) -> None:
    conn.execute(insert(t.undo).values(event_id=event_id, kind="undo", at=at))


def log(conn: Connection, learner: LearnerId) -> Iterator[Event | Damaged]:
    """Every answer of the learner, oldest first. One that cannot be read costs the others nothing but time."""
    try:
        yield from [_event(row) for row in conn.execute(_events(learner).order_by(t.event.c.id))]
    except UNREADABLE:
        answers = select(t.event.c.id, t.event.c.card_id).where(
            t.event.c.learner_id == learner, t.event.c.grade.is_not(None)
        )
        for row in conn.execute(answers.order_by(t.event.c.id)).all():
            yield _event_or_damage(conn, learner, EventId(row.id), CardId(row.card_id))


def _event_or_damage(
    conn: Connection, learner: LearnerId, event_id: EventId, card_id: CardId
) -> Event | Damaged:
    try:
        found = event(conn, learner, event_id)
    except UNREADABLE as error:
        return Damaged(event_id, card_id, f"{type(error).__name__}: {error}")
    return found or Damaged(event_id, card_id, "its card is gone")


def learners(conn: Connection) -> list[LearnerId]:
    return [LearnerId(found) for found in conn.scalars(select(t.learner.c.id).order_by(t.learner.c.id))]


def _standing_answers(learner: LearnerId) -> Select[int]:
    return (
        select(t.event.c.id)
        .join(t.card, t.card.c.id == t.event.c.card_id)
        .where(t.event.c.learner_id == learner, t.event.c.grade.is_not(None), ~UNDONE)
    )


def _events(learner: LearnerId) -> Select[object]:
    return (
        select(t.event, t.card.c.note_key, UNDONE.label("undone"))
        .join(t.card, t.card.c.id == t.event.c.card_id)
        .where(t.event.c.learner_id == learner, t.event.c.grade.is_not(None))
    )


def _one(conn: Connection, query: Select[object]) -> Event | None:
    row = conn.execute(query).one_or_none()
    return _event(row) if row else None


def _event(row: Row[object]) -> Event:
    return Event(
        id=EventId(row.id),
        card_id=CardId(row.card_id),
        note_key=row.note_key,
        kind=row.kind,
        at=row.at,
        study_day=row.study_day,
        day_ends=datetime.fromisoformat(row.detail["day_ends"]),
        grade=Grade(row.grade),
        ms=row.ms,
        before=CardState.from_json(row.before),
        after=CardState.from_json(row.after),
        snapshot_id=row.snapshot_id,
        algorithm=row.algorithm,
        buried=tuple(Buried.from_json(body) for body in row.detail["buried"]),
        undone=bool(row.undone),
        drawn=row.detail.get("drawn", {}),
    )

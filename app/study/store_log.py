"""SQL of the log: answers and changes of marks, which are only ever added, and the settings they were given under.

Undo and redo are in store_undo.py.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Text,
    func,
    insert,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.study.cards import Buried, Change, Damaged, Entry, Event, EventId, Moved
from app.study.marks import KINDS, Marks
from app.study.memory import Grade
from app.study.scheduling import CardId, CardState

MOVED = "reschedule"
UNREADABLE = (AttributeError, KeyError, TypeError, ValueError)  # what a damaged row makes of reading it
# How often an event was undone or redone. Undo and redo take turns, so an odd number stands for undone.
TURNS = select(func.count()).where(t.undo.c.event_id == t.event.c.id).correlate(t.event).scalar_subquery()
UNDONE = TURNS % 2 == 1


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
    snapshot_id: int | None,
    algorithm: str | None,
    buried: Iterable[Buried],
    leech: bool,
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
                **({"leech": True} if leech else {}),
            },
            idem=idem,
        )
    )
    return EventId(cast("tuple[int]", added.inserted_primary_key)[0])


def add_change(
    conn: Connection,
    learner: LearnerId,
    *,
    card_id: CardId,
    kind: str,
    at: datetime,
    study_day: date,
    offset_minutes: int,
    before: Marks | CardState,
    after: Marks | CardState,
) -> EventId:
    """A change that is no answer: of marks, or of the day on which a card comes."""
    added = conn.execute(
        insert(t.event).values(
            learner_id=learner,
            card_id=card_id,
            kind=kind,
            at=at,
            study_day=study_day,
            offset_minutes=offset_minutes,
            before=before.to_json(),
            after=after.to_json(),
        )
    )
    return EventId(cast("tuple[int]", added.inserted_primary_key)[0])


def event_by_idem(conn: Connection, learner: LearnerId, idem: str) -> Event | None:
    return _one(conn, _answers(learner).where(t.event.c.idem == idem))


def event(conn: Connection, learner: LearnerId, event_id: int) -> Event | None:
    """The answer of this id."""
    return _one(conn, _answers(learner).where(t.event.c.id == event_id))


def entry(conn: Connection, learner: LearnerId, event_id: int) -> Entry | None:
    """The answer, or the change, of this id."""
    row = conn.execute(_events(learner).where(t.event.c.id == event_id)).one_or_none()
    return _entry(row) if row else None


def any_event(conn: Connection, learner: LearnerId) -> bool:
    return conn.scalar(select(t.event.c.id).where(t.event.c.learner_id == learner).limit(1)) is not None


def history(conn: Connection, learner: LearnerId, card_id: CardId, limit: int) -> list[Event]:
    """The card's answers, newest first, undone ones included."""
    query = _answers(learner).where(t.event.c.card_id == card_id).order_by(t.event.c.id.desc()).limit(limit)
    return [_event(row) for row in conn.execute(query)]


def log(conn: Connection, learner: LearnerId) -> Iterator[Entry | Damaged]:
    """Every event of the learner, oldest first. One that cannot be read costs the others nothing but time."""
    try:
        yield from [_entry(row) for row in conn.execute(_events(learner).order_by(t.event.c.id))]
    except UNREADABLE:
        events = select(t.event.c.id, t.event.c.card_id).where(t.event.c.learner_id == learner, _known())
        for row in conn.execute(events.order_by(t.event.c.id)).all():
            yield _entry_or_damage(conn, learner, EventId(row.id), CardId(row.card_id))


def _entry_or_damage(
    conn: Connection, learner: LearnerId, event_id: EventId, card_id: CardId
) -> Entry | Damaged:
    try:
        found = entry(conn, learner, event_id)
    except UNREADABLE as error:
        return Damaged(event_id, card_id, f"{type(error).__name__}: {error}")
    return found or Damaged(event_id, card_id, "its card is gone")


def learners(conn: Connection) -> list[LearnerId]:
    return [LearnerId(found) for found in conn.scalars(select(t.learner.c.id).order_by(t.learner.c.id))]


def _known() -> ColumnElement[bool]:
    return or_(t.event.c.grade.is_not(None), t.event.c.kind.in_((*KINDS, MOVED)))


def _events(learner: LearnerId) -> Select[object]:
    return (
        select(t.event, t.card.c.note_key, TURNS.label("turns"))
        .join(t.card, t.card.c.id == t.event.c.card_id)
        .where(t.event.c.learner_id == learner, _known())
    )


def _answers(learner: LearnerId) -> Select[object]:
    return _events(learner).where(t.event.c.grade.is_not(None))


def _one(conn: Connection, query: Select[object]) -> Event | None:
    row = conn.execute(query).one_or_none()
    return _event(row) if row else None


def _entry(row: Row[object]) -> Entry:
    if row.kind == MOVED:
        return _moved(row)
    return _change(row) if row.kind in KINDS else _event(row)


def _moved(row: Row[object]) -> Moved:
    return Moved(
        id=EventId(row.id),
        card_id=CardId(row.card_id),
        note_key=row.note_key,
        kind=row.kind,
        study_day=row.study_day,
        before=CardState.from_json(row.before),
        after=CardState.from_json(row.after),
        undone=row.turns % 2 == 1,
        turns=row.turns,
    )


def _change(row: Row[object]) -> Change:
    return Change(
        id=EventId(row.id),
        card_id=CardId(row.card_id),
        note_key=row.note_key,
        kind=row.kind,
        before=Marks.from_json(row.before),
        after=Marks.from_json(row.after),
        undone=row.turns % 2 == 1,
        turns=row.turns,
    )


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
        undone=row.turns % 2 == 1,
        turns=row.turns,
        leech=row.detail.get("leech", False),
        drawn=row.detail.get("drawn", {}),
    )

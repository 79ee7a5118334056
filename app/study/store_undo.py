"""SQL of undo and redo, which are rows of their own: what may be taken back, and what may be given again."""

from datetime import date, datetime

from sqlalchemy import Connection, ScalarSelect, insert, select

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.study.cards import EventId
from app.study.marks import KINDS
from app.study.store_log import UNDONE

MOVING = ("review", "drill", *KINDS)  # what changes a card's state or marks; a cram answer does not
STUDYING = ("review", "cram", *KINDS)  # what the study room's undo takes back


def newest_of_note(conn: Connection, learner: LearnerId, note_key: str) -> EventId | None:
    """The newest answer to a card of the note, or change of its marks, that stands."""
    found = conn.scalar(
        select(t.event.c.id)
        .join(t.card, t.card.c.id == t.event.c.card_id)
        .where(
            t.event.c.learner_id == learner,
            t.event.c.kind.in_(MOVING),
            t.card.c.note_key == note_key,
            ~UNDONE,
        )
        .order_by(t.event.c.id.desc())
        .limit(1)
    )
    return EventId(found) if found else None


def newest_of_day(conn: Connection, learner: LearnerId, day: date) -> tuple[EventId, str] | None:
    """The newest event of the day that stands, and its kind: what the undo button takes back."""
    e = t.event.c
    row = conn.execute(
        select(e.id, e.kind)
        .where(e.learner_id == learner, e.study_day == day, e.kind.in_(STUDYING), ~UNDONE)
        .order_by(e.id.desc())
        .limit(1)
    ).one_or_none()
    return (EventId(row.id), row.kind) if row else None


def redoable(conn: Connection, learner: LearnerId, day: date) -> tuple[EventId, str] | None:
    """The event of the day that was undone last and may be redone, and its kind; none after anything new."""
    e, u, later = t.event.c, t.undo.c, t.undo.alias()
    row = conn.execute(
        select(e.id, e.kind)
        .join(t.undo, u.event_id == e.id)
        .where(
            e.learner_id == learner,
            e.study_day == day,
            e.kind.in_(STUDYING),
            u.kind == "undo",
            u.newest == _newest(learner, day),
            ~select(1).where(later.c.event_id == u.event_id, later.c.id > u.id).exists(),
        )
        .order_by(u.id.desc())
        .limit(1)
    ).one_or_none()
    return (EventId(row.id), row.kind) if row else None


def add_undo(
    conn: Connection, learner: LearnerId, event_id: EventId, kind: str, at: datetime, day: date
) -> None:
    """Add an "undo" or a "redo" of the event, on the study day `day`."""
    row = {"event_id": event_id, "kind": kind, "at": at, "newest": _newest(learner, day)}
    conn.execute(insert(t.undo).values(row))


def _newest(learner: LearnerId, day: date) -> ScalarSelect[int]:
    """The newest of the study room's events of the day, whether it stands or not."""
    e = t.event.alias()
    return (
        select(e.c.id)
        .where(e.c.learner_id == learner, e.c.study_day == day, e.c.kind.in_(STUDYING))
        .order_by(e.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )

"""SQL of undo and redo, which are rows of their own: what may be taken back, and what may be given again."""

from datetime import date, datetime
from functools import cache
from typing import Any

from sqlalchemy import BindParameter, Connection, ScalarSelect, Select, bindparam, func, insert, select

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.db.types import Day
from app.study.cards import EventId
from app.study.store_log import UNDONE

# Told by what they are not, since an index by kind would lead through the events of all days.
MOVING = t.event.c.kind != "cram"  # what changes a card's state or marks
STUDYING = t.event.c.kind != "drill"  # what the study room's undo takes back


def newest_of_note(conn: Connection, learner: LearnerId, note_key: str) -> EventId | None:
    """The newest answer to a card of the note, or change of its marks, that stands."""
    cards = select(t.card.c.id).where(t.card.c.note_key == note_key)
    newest = func.max(t.event.c.id, type_=t.event.c.id.type)
    its = (
        t.event.c.learner_id + 0 == learner
    )  # no column alone: by the card's index, not through all of a learner's
    found = conn.scalar(select(newest).where(t.event.c.card_id.in_(cards), its, MOVING, ~UNDONE))
    return EventId(found) if found else None


def newest_of_day(conn: Connection, learner: LearnerId, day: date) -> tuple[EventId, str] | None:
    """The newest event of the day that stands, and its kind: what the undo button takes back."""
    row = conn.execute(_newest_of_day(), {"learner": learner, "day": day}).one_or_none()
    return (EventId(row.id), row.kind) if row else None


def redoable(conn: Connection, learner: LearnerId, day: date) -> tuple[EventId, str] | None:
    """The event of the day that was undone last and may be redone, and its kind; none after anything new."""
    row = conn.execute(_redoable(), {"learner": learner, "day": day}).one_or_none()
    return (EventId(row.id), row.kind) if row else None


# Both are kept, since every card that is shown asks, and to build them takes longer than to run them.
WHO: BindParameter[int] = bindparam("learner")
DAY: BindParameter[date] = bindparam("day", type_=Day())


@cache
def _newest_of_day() -> Select[int, str]:
    e = t.event.c
    return (
        select(e.id, e.kind)
        .where(e.learner_id == WHO, e.study_day == DAY, STUDYING, ~UNDONE)
        .order_by(e.id.desc())
        .limit(1)
    )


@cache
def _redoable() -> Select[int, str]:
    e, u, later = t.event.c, t.undo.c, t.undo.alias()
    return (
        select(e.id, e.kind)
        .join(t.undo, u.event_id == e.id)
        .where(
            e.learner_id == WHO,
            e.study_day == DAY,
            STUDYING,
            u.kind == "undo",
            u.newest == _newest(WHO, DAY),
            ~select(1).where(later.c.event_id == u.event_id, later.c.id > u.id).exists(),
        )
        .order_by(u.id.desc())
        .limit(1)
    )


def add_undo(
    conn: Connection, learner: LearnerId, event_id: EventId, kind: str, at: datetime, day: date
) -> None:
    """Add an "undo" or a "redo" of the event, on the study day `day`."""
    row = {"event_id": event_id, "kind": kind, "at": at, "newest": _newest(learner, day)}
    conn.execute(insert(t.undo).values(row))


def _newest(learner: Any, day: Any) -> ScalarSelect[int]:
    """The newest of the study room's events of the day, whether it stands or not."""
    e = t.event.alias()
    return (
        select(e.c.id)
        .where(e.c.learner_id == learner, e.c.study_day == day, e.c.kind != "drill")
        .order_by(e.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )

"""SQL of spoken cards and of takes."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, exists, func, insert, or_, select

from app.accounts.learner import LearnerId
from app.db.tables import card, deck, event, note, take, undo
from app.drill.attempt import Attempt
from app.drill.keeping import Kept
from app.drill.pitch import Listed, Pitch, Point, Take, TakeId
from app.drill.stages import Stage
from app.study.cards import EventId
from app.study.scheduling import CardId

_undone = exists(select(1).where(undo.c.event_id == take.c.event_id))


def pitches(conn: Connection, learner_id: LearnerId) -> list[Listed]:
    """Every spoken card of the decks in the decks' order, with its latest take, in one query."""
    latest = (
        select(func.max(take.c.id))
        .where(take.c.card_id == card.c.id, take.c.learner_id == learner_id, ~_undone)
        .correlate(card)
        .scalar_subquery()
    )
    query = (
        select(
            card.c.id.label("card"),
            card.c.words,
            note.c.level,
            note.c.body,
            *_take_columns(),
        )
        .join(note, note.c.key == card.c.note_key)
        .join(deck, deck.c.name == note.c.deck_name)
        .outerjoin(take, take.c.id == latest)
        .outerjoin(event, event.c.id == take.c.event_id)
        .where(card.c.queue == "drill", card.c.retired_at.is_(None), _mine(learner_id))
        .order_by(deck.c.position, note.c.position)
    )
    return [
        Listed(
            card_id=CardId(row.card),
            level=row.level,
            words=row.words,
            planned_s=row.body["time_s"],
            last=None if row.id is None else _take(row),
        )
        for row in conn.execute(query)
    ]


def pitch(conn: Connection, learner_id: LearnerId, card_id: CardId) -> Pitch | None:
    query = (
        select(card, note.c.deck_name, deck.c.title, note.c.level, note.c.source, note.c.body)
        .join(note, note.c.key == card.c.note_key)
        .outerjoin(deck, deck.c.name == note.c.deck_name)
        .where(card.c.id == card_id, card.c.queue == "drill", _mine(learner_id))
    )
    row = conn.execute(query).one_or_none()
    if row is None:
        return None
    return Pitch(
        card_id=CardId(row.id),
        deck=row.title or row.deck_name,
        level=row.level,
        source=row.source,
        front=row.front,
        words=row.words,
        planned_s=row.body["time_s"],
        points=tuple(Point.of(p) for p in row.body["points"]),
        model_html=row.body.get("model_html", ""),
        retired=row.retired_at is not None,
        next=tuple(row.body.get("next", ())),
        stages=tuple(Stage.of(stage) for stage in row.body.get("stages", ())),
        say=row.body.get("say", ""),
    )


def may_say(conn: Connection, learner_id: LearnerId, card_id: CardId) -> bool:
    """Whether there is such a card, to be said or to be read, among those that the learner may be asked."""
    query = select(card.c.id).join(note, note.c.key == card.c.note_key)
    return conn.scalar(query.where(card.c.id == card_id, _mine(learner_id))) is not None


def add_take(
    conn: Connection,
    attempt: Attempt,
    pitch: Pitch,
    *,
    event_id: EventId,
    at: datetime,
    ticks: tuple[str, ...],
    said: Kept,
) -> None:
    """Keep the take. A quiet take is one of which there is nothing but its ticks."""
    conn.execute(
        insert(take).values(
            learner_id=attempt.learner_id,
            card_id=attempt.card_id,
            event_id=event_id,
            at=at,
            planned_s=pitch.planned_s,
            spoken_ms=attempt.spoken_ms,
            ticks=list(ticks),
            points=[p.body() for p in pitch.points],
            interrupted=attempt.interrupted,
            notes_shown=attempt.notes_shown,
            quiet=said.recording is None and not attempt.typed,
            recording_id=said.recording.id if said.recording else None,
            text=said.text,
            pace=said.pace.body() if said.pace else None,
            marks=said.marks,
        )
    )


def take_by_id(conn: Connection, learner_id: LearnerId, take_id: TakeId) -> Take | None:
    return _one(conn, learner_id, take.c.id == take_id)


def take_by_event(conn: Connection, learner_id: LearnerId, event_id: EventId) -> Take | None:
    return _one(conn, learner_id, take.c.event_id == event_id)


def take_by_idem(conn: Connection, learner_id: LearnerId, idem: str) -> Take | None:
    return _one(conn, learner_id, event.c.idem == idem)


def takes(
    conn: Connection, learner_id: LearnerId, card_id: CardId, limit: int, before: TakeId | None = None
) -> list[Take]:
    """The latest takes of a card, or the latest `before` one, newest first; an undone rating is marked."""
    query = _takes(learner_id).where(take.c.card_id == card_id)
    if before is not None:
        query = query.where(take.c.id < before)
    return [_take(row) for row in conn.execute(query.order_by(take.c.id.desc()).limit(limit))]


def all_takes(conn: Connection, learner_id: LearnerId) -> list[Take]:
    """Every take of every card, card by card, each card's newest first."""
    query = _takes(learner_id).order_by(take.c.card_id, take.c.id.desc())
    return [_take(row) for row in conn.execute(query)]


def _one(conn: Connection, learner_id: LearnerId, where: ColumnElement[bool]) -> Take | None:
    row = conn.execute(_takes(learner_id).where(where)).one_or_none()
    return None if row is None else _take(row)


def _takes(learner_id: LearnerId) -> Select[Any]:
    return (
        select(*_take_columns())
        .join(event, event.c.id == take.c.event_id)
        .where(take.c.learner_id == learner_id)
    )


def _take_columns() -> tuple[ColumnElement[Any], ...]:
    return (*take.c, event.c.grade, _undone.label("undone"))


def _mine(learner_id: LearnerId) -> ColumnElement[bool]:
    return or_(note.c.owner_id.is_(None), note.c.owner_id == learner_id)


def _take(row: Row[Any]) -> Take:
    return Take(
        id=TakeId(row.id),
        card_id=CardId(row.card_id),
        event_id=EventId(row.event_id),
        at=row.at,
        planned_s=row.planned_s,
        spoken_ms=row.spoken_ms,
        ticks=tuple(row.ticks),
        points=tuple(Point.of(p) for p in row.points),
        interrupted=row.interrupted,
        notes_shown=row.notes_shown,
        grade=row.grade,
        undone=bool(row.undone),
        recording_id=row.recording_id,
        text=row.text,
        pace=row.pace,
        marks=row.marks,
    )

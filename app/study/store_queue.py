"""SQL of the day's queue: the candidates, never more of them than the limits can show, and what was done today."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, case, false, func, or_, select

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.library.values import LEVELS
from app.study.queue import Limits, Tally, Waiting
from app.study.scheduling import CardId
from app.study.store_log import UNDONE

PACE_OVER = 200  # answers
STATE = t.card_state
STEPS = ("learning", "relearning")
FILE_ORDER = (t.note.c.position, t.card.c.ord)


def learning(conn: Connection, learner: LearnerId, today: date, deck: str | None) -> list[Waiting]:
    """Cards in their steps whose turn comes today."""
    return _waiting(conn, _due(learner, today, deck).where(STATE.c.state.in_(STEPS)))


def reviews(
    conn: Connection, learner: LearnerId, today: date, deck: str | None, limits: Limits
) -> list[Waiting]:
    """The longest due reviews of each tree of decks."""
    due = _due(learner, today, deck).where(STATE.c.state == "review")
    return _waiting(conn, _first_of_each_tree(due, (STATE.c.due_day, t.card.c.id), limits.reviews))


def new(conn: Connection, learner: LearnerId, today: date, deck: str | None, limits: Limits) -> list[Waiting]:
    """The first new cards of each tree of decks: core ones, then by level, then as the files have them."""
    unseen = or_(STATE.c.card_id.is_(None), and_(STATE.c.state == "new", _shown(today)))
    query = _cards(learner, deck).where(unseen)
    by_level = case({level: at for at, level in enumerate(LEVELS)}, value=t.note.c.level, else_=len(LEVELS))
    order = (t.note.c.core.desc(), by_level, t.deck.c.position, *FILE_ORDER)
    return _waiting(conn, _first_of_each_tree(query, order, limits.new))


def done(conn: Connection, learner: LearnerId, today: date) -> dict[str, Tally]:
    """For each deck, today's answers that stand and were the first to a new card, or to a due review."""
    was = func.json_extract(t.event.c.before, "$.state")
    query = (
        select(
            t.note.c.deck_name,
            func.count().filter(was == "new").label("new"),
            func.count().filter(was == "review").label("reviews"),
        )
        .join(t.card, t.card.c.id == t.event.c.card_id)
        .join(t.note, t.note.c.key == t.card.c.note_key)
        .where(
            t.event.c.learner_id == learner, t.event.c.study_day == today, t.event.c.kind == "review", ~UNDONE
        )
        .group_by(t.note.c.deck_name)
    )
    return {row.deck_name: Tally(row.new, row.reviews) for row in conn.execute(query)}


def next_day(conn: Connection, learner: LearnerId, today: date, deck: str | None) -> date | None:
    """The next study day on which a card comes that is in the queue already; None: none is."""
    later = and_(STATE.c.suspended.is_(False), STATE.c.state != "new", STATE.c.due_day > today)
    soonest = func.min(STATE.c.due_day, type_=STATE.c.due_day.type)
    found: date | None = conn.scalar(_cards(learner, deck).where(later).with_only_columns(soonest))
    return found


def left_over(conn: Connection, learner: LearnerId, today: date, deck: str | None, limits: Limits) -> bool:
    """Whether cards wait for tomorrow: beyond today's limits, or hidden by a sibling. A limit of 0 lets none come."""
    unseen = or_(STATE.c.card_id.is_(None), STATE.c.state == "new")
    waits = or_(unseen if limits.new else false(), STATE.c.due_day <= today if limits.reviews else false())
    query = _cards(learner, deck).where(waits, or_(STATE.c.suspended.is_(None), STATE.c.suspended.is_(False)))
    return conn.execute(query.limit(1)).first() is not None


def has_deck(conn: Connection, deck: str) -> bool:
    """Whether there is such a deck, or one below that name."""
    return (
        conn.execute(select(t.deck.c.name).where(_within(t.deck.c.name, deck)).limit(1)).first() is not None
    )


def spoken(conn: Connection, learner: LearnerId) -> list[CardId]:
    """All spoken cards in file order."""
    query = _cards(learner, None, queue="drill").order_by(t.deck.c.position, *FILE_ORDER)
    return [CardId(row.id) for row in conn.execute(query)]


def spent(conn: Connection, learner: LearnerId) -> tuple[int, float]:
    """How many answers were given lately, and the seconds that they took in all."""
    latest = (
        select(t.event.c.ms)
        .where(t.event.c.learner_id == learner, t.event.c.kind == "review", t.event.c.ms.is_not(None))
        .order_by(t.event.c.id.desc())
        .limit(PACE_OVER)
        .subquery()
    )
    row = conn.execute(select(func.count().label("answers"), func.total(latest.c.ms).label("ms"))).one()
    return row.answers, row.ms / 1000


def _cards(learner: LearnerId, deck: str | None, queue: str = "study") -> Select[object]:
    """Cards that the learner may be shown, each with its state if there is one."""
    query = (
        select(
            t.card.c.id,
            t.note.c.deck_name,
            t.note.c.level,
            t.note.c.core,
            t.deck.c.position.label("deck_position"),
            t.note.c.position,
            t.card.c.ord,
            STATE.c.due_day,
            STATE.c.due_at,
        )
        .join(t.note, t.note.c.key == t.card.c.note_key)
        .join(t.deck, t.deck.c.name == t.note.c.deck_name)
        .outerjoin(STATE, and_(STATE.c.card_id == t.card.c.id, STATE.c.learner_id == learner))
        .where(
            t.card.c.queue == queue,
            t.card.c.retired_at.is_(None),
            or_(t.note.c.owner_id.is_(None), t.note.c.owner_id == learner),
        )
    )
    return query.where(_within(t.note.c.deck_name, deck)) if deck else query


def _due(learner: LearnerId, today: date, deck: str | None) -> Select[object]:
    return _cards(learner, deck).where(STATE.c.learner_id == learner, STATE.c.due_day <= today, _shown(today))


def _shown(today: date) -> ColumnElement[bool]:
    return and_(
        STATE.c.suspended.is_(False), or_(STATE.c.buried_until.is_(None), STATE.c.buried_until <= today)
    )


def _within(name: ColumnElement[str], deck: str) -> ColumnElement[bool]:
    """As queue.within: the deck itself, or one below it."""
    return or_(
        name == deck, func.substr(name, 1, len(deck) + 1) == f"{deck}/"
    )  # LIKE knows no capital letters


def _tree() -> ColumnElement[str]:
    """As queue.tree: a deck's name up to the first slash."""
    name = t.note.c.deck_name
    return func.substr(name, 1, func.instr(name.concat("/"), "/") - 1)


def _first_of_each_tree(
    query: Select[object], order: Sequence[ColumnElement[Any]], limit: int
) -> Select[object]:
    nth = func.row_number().over(partition_by=_tree(), order_by=order).label("nth")
    ranked = query.add_columns(nth).subquery()
    return select(ranked).where(ranked.c.nth <= limit)


def _waiting(conn: Connection, query: Select[object]) -> list[Waiting]:
    return [_one(row) for row in conn.execute(query)]


def _one(row: Row[object]) -> Waiting:
    due_at: datetime | None = row.due_at
    place = (row.deck_position, row.position, row.ord)
    return Waiting(CardId(row.id), row.deck_name, row.level, place, row.due_day, due_at, row.core)

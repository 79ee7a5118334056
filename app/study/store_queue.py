"""SQL of the day's queue: cards that are told one by one, and what was done today.

What is only counted, reviews and new cards, is in store_heaps.py.
"""

from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, case, func, or_, select

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.library.values import LEVELS
from app.study.chosen import Chosen
from app.study.memory import Grade
from app.study.queue import Limits, Tally, Waiting
from app.study.scheduling import CardId
from app.study.store_fresh import (
    DAY,
    STATEMENTS,
    WHO,
    few_of_tag,
    first_of_deck,
    fits,
    new_of_tag,
    within,
)
from app.study.store_log import UNDONE

PACE_OVER = 200  # answers
MOST_AHEAD = 500  # cards
STATE = t.card_state
STEPS = ("learning", "relearning")
COLUMNS = (
    t.card.c.id,
    t.note.c.deck_name,
    t.note.c.level,
    t.note.c.core,
    t.deck.c.position.label("deck_position"),
    t.note.c.position,
    t.card.c.ord,
)
FILE_ORDER = (t.note.c.position, t.card.c.ord)
BY_LEVEL = case({level: at for at, level in enumerate(LEVELS)}, value=t.note.c.level, else_=len(LEVELS))


def learning(conn: Connection, learner: LearnerId, today: date, chosen: Chosen) -> list[Waiting]:
    """Cards in their steps whose turn comes today."""
    return [_one(row) for row in conn.execute(_learning(chosen), {"learner": learner, "today": today})]


@lru_cache(maxsize=STATEMENTS)
def _learning(chosen: Chosen) -> Select[object]:
    return _due(WHO, DAY, chosen).where(STATE.c.state.in_(STEPS))


def ahead(conn: Connection, learner: LearnerId, today: date, chosen: Chosen) -> list[Waiting]:
    """Reviews that are due by the last of the days ahead, soonest first; one that was answered today is over."""
    until = today + timedelta(days=chosen.ahead)
    due = _due(learner, until, chosen, shown_on=today).where(
        STATE.c.state == "review", or_(STATE.c.due_day <= today, STATE.c.last_day < today)
    )
    return _waiting(conn, due.order_by(STATE.c.due_day, t.card.c.shuffle, t.card.c.id).limit(MOST_AHEAD))


def new_among(
    conn: Connection, learner: LearnerId, today: date, chosen: Chosen, ids: Collection[CardId]
) -> list[Waiting]:
    """Those of these cards that are still new and may be shown."""
    unseen = or_(STATE.c.card_id.is_(None), and_(STATE.c.state == "new", _shown(today)))
    return _waiting(conn, of_library(learner, chosen).where(t.card.c.id.in_(ids), unseen))


def unlooked(
    conn: Connection, learner: LearnerId, today: date, chosen: Chosen, since: Mapping[CardId, date]
) -> list[Waiting]:
    """Those of these cards that were not answered from their day on, in no minute step and due on a later day."""
    found: list[Waiting] = []
    for day in sorted(set(since.values())):
        ids = [card_id for card_id, its_day in since.items() if its_day == day]
        waits = and_(STATE.c.learner_id == learner, STATE.c.state == "review", _shown(today))
        late = and_(STATE.c.last_day < day, STATE.c.due_day > today)
        found += _waiting(conn, of_library(learner, chosen).where(t.card.c.id.in_(ids), waits, late))
    return found


def due(conn: Connection, learner: LearnerId, today: date, chosen: Chosen, limit: int) -> list[CardId]:
    """Cards that are due, the longest first."""
    query = _due(learner, today, chosen).order_by(STATE.c.due_day, t.card.c.id).limit(limit)
    return [CardId(row.id) for row in conn.execute(query)]


def cards(conn: Connection, learner: LearnerId, chosen: Chosen, limit: int) -> list[CardId]:
    """The chosen cards, due or not, in the order in which new ones would come; suspended ones are left out."""
    query = of_library(learner, chosen).where(in_use())
    order = (t.note.c.core.desc(), BY_LEVEL, t.deck.c.position, *FILE_ORDER)
    return [CardId(row.id) for row in conn.execute(query.order_by(*order).limit(limit))]


def crammed(conn: Connection, learner: LearnerId, began: int) -> dict[CardId, Grade]:
    """The last grade of each card that was answered in the cram which `began` after that event, oldest first."""
    e = t.event.c
    rows = conn.execute(
        select(e.card_id, e.grade)
        .where(e.learner_id == learner, e.kind == "cram", e.id > began, ~UNDONE)
        .order_by(e.id)
    )
    given: dict[CardId, Grade] = {}
    for row in rows:
        given.pop(CardId(row.card_id), None)
        given[CardId(row.card_id)] = Grade(row.grade)
    return given


def newest_cram(conn: Connection, learner: LearnerId) -> int:
    """The learner's newest event of kind cram; 0 where there is none."""
    e = t.event.c
    newest = select(e.id).where(e.learner_id == learner, e.kind == "cram").order_by(e.id.desc()).limit(1)
    return conn.scalar(newest) or 0


def done(conn: Connection, learner: LearnerId, today: date) -> dict[str, Tally]:
    """For each deck, today's answers that stand and were the first to a new card, or to a due review."""
    rows = conn.execute(_done_by_deck(), {"learner": learner, "today": today})
    return {row.deck_name: Tally(row.new, row.reviews) for row in rows}


@cache
def _done_by_deck() -> Select[int, int, str]:
    return _done(WHO, DAY).add_columns(t.note.c.deck_name).group_by(t.note.c.deck_name)


def done_of(conn: Connection, learner: LearnerId, today: date, chosen: Chosen) -> Tally:
    """The same of the chosen cards alone."""
    row = conn.execute(_done(learner, today).where(*fits(chosen, t.note))).one()
    return Tally(row.new, row.reviews)


def next_day(conn: Connection, learner: LearnerId, today: date, chosen: Chosen) -> date | None:
    """The next study day on which a card comes that is in the queue already; None: none is."""
    later = of_library(learner, chosen).where(
        STATE.c.learner_id == learner, STATE.c.suspended.is_(False), STATE.c.due_day > today
    )
    soonest = (
        conn.scalar(
            later.with_only_columns(STATE.c.due_day)
            .where(STATE.c.state == state)
            .order_by(STATE.c.due_day)
            .limit(1)
        )
        for state in ("review", *STEPS)  # one by one, each in the order of its index
    )
    return min((day for day in soonest if day is not None), default=None)


def left_over(conn: Connection, learner: LearnerId, today: date, chosen: Chosen, limits: Limits) -> bool:
    """Whether cards wait for tomorrow: beyond today's limits, or hidden by a sibling. A limit of 0 lets none come."""
    if few_of_tag(conn, chosen.tag):
        new: Select[Any] = new_of_tag(learner, None, chosen)
    else:
        new = select(t.deck.c.name).where(first_of_deck(learner, None, chosen, 1).exists())
    if limits.new and conn.execute(new.limit(1)).first():
        return True
    due = of_library(learner, chosen).where(
        STATE.c.learner_id == learner, STATE.c.suspended.is_(False), STATE.c.due_day <= today
    )
    return bool(limits.reviews) and any(
        conn.execute(due.where(STATE.c.state == state).limit(1)).first() for state in ("review", *STEPS)
    )


def has_deck(conn: Connection, deck: str) -> bool:
    """Whether there is such a deck, or one below that name."""
    return conn.execute(select(t.deck.c.name).where(within(t.deck.c.name, deck)).limit(1)).first() is not None


def has_tag(conn: Connection, tag: str) -> bool:
    return conn.execute(select(t.note_tag.c.tag).where(t.note_tag.c.tag == tag).limit(1)).first() is not None


def spoken(conn: Connection, learner: LearnerId) -> list[CardId]:
    """All spoken cards in file order."""
    query = of_library(learner, Chosen(), queue="drill").order_by(t.deck.c.position, *FILE_ORDER)
    return [CardId(row.id) for row in conn.execute(query)]


def spent(conn: Connection, learner: LearnerId) -> tuple[int, float]:
    """How many answers were given lately, and the seconds that they took in all."""
    row = conn.execute(_spent(), {"learner": learner}).one()
    return row.answers, row.ms / 1000


@cache
def _spent() -> Select[int, float]:
    latest = (
        select(t.event.c.ms)
        .where(t.event.c.learner_id == WHO, t.event.c.kind == "review", t.event.c.ms.is_not(None))
        .order_by(t.event.c.id.desc())
        .limit(PACE_OVER)
        .subquery()
    )
    return select(func.count().label("answers"), func.total(latest.c.ms).label("ms"))


def of_library(learner: Any, chosen: Chosen, queue: str = "study") -> Select[object]:
    """Cards that the learner may be shown, each with its state if there is one."""
    # Nearly all cards are to be studied, so an index by queue is for the spoken ones: no column alone keeps it away.
    of_queue = t.card.c.queue == queue if queue == "drill" else t.card.c.queue.concat("") == queue
    return (
        select(*COLUMNS, STATE.c.due_day, STATE.c.due_at)
        .select_from(t.card)
        .join(t.note, t.note.c.key == t.card.c.note_key)
        .join(t.deck, t.deck.c.name == t.note.c.deck_name)
        .outerjoin(STATE, and_(STATE.c.card_id == t.card.c.id, STATE.c.learner_id == learner))
        .where(
            of_queue,
            t.card.c.retired_at.is_(None),
            or_(t.note.c.owner_id.is_(None), t.note.c.owner_id == learner),
            *fits(chosen, t.note),
        )
    )


def _done(learner: Any, today: Any) -> Select[int, int]:
    """Counts of today's first answers: to new cards, and to reviews that were due by then."""
    review = t.event.c.kind == "review"  # counted here, since an index by kind would lead through all days
    was = func.json_extract(t.event.c.before, "$.state")
    due = func.json_extract(t.event.c.before, "$.due_day") <= t.event.c.study_day
    return (
        select(
            func.count().filter(review, was == "new").label("new"),
            func.count().filter(review, was == "review", due).label("reviews"),
        )
        .select_from(t.event)
        .join(t.card, t.card.c.id == t.event.c.card_id)
        .join(t.note, t.note.c.key == t.card.c.note_key)
        .where(t.event.c.learner_id == learner, t.event.c.study_day == today, ~UNDONE)
    )


def _due(learner: Any, until: Any, chosen: Chosen, shown_on: date | None = None) -> Select[object]:
    return of_library(learner, chosen).where(
        STATE.c.learner_id == learner, STATE.c.due_day <= until, _shown(shown_on or until)
    )


def _shown(today: Any) -> ColumnElement[bool]:
    return and_(
        STATE.c.suspended.is_(False), or_(STATE.c.buried_until.is_(None), STATE.c.buried_until <= today)
    )


def in_use() -> ColumnElement[bool]:
    return or_(STATE.c.suspended.is_(None), STATE.c.suspended.is_(False))


def _waiting(conn: Connection, query: Select[object]) -> list[Waiting]:
    return [_one(row) for row in conn.execute(query)]


def _one(row: Row[object]) -> Waiting:
    due_at: datetime | None = row.due_at
    place = (row.deck_position, row.position, row.ord)
    return Waiting(CardId(row.id), row.deck_name, row.level, place, row.due_day, due_at, row.core)

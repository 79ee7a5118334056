"""SQL of single cards and of where a learner stands with them.

The log is in store_log.py, the day's candidates are in store_queue.py.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, bindparam, delete, func, or_, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.study.cards import Card, Standing
from app.study.marks import Marks
from app.study.memory import Memory
from app.study.scheduling import CardId, CardState

SAID = "said "  # begins the key of a draft that is no attempt of the drill
NEW = Standing(CardState(), buried_until=None, suspended=False, version=0)


def card(conn: Connection, learner: LearnerId, card_id: CardId) -> Card | None:
    """The card with its learner's standing, retired or not; None for an unknown id."""
    return next(iter(cards(conn, learner, [card_id])), None)


def cards(conn: Connection, learner: LearnerId, card_ids: Sequence[CardId]) -> list[Card]:
    """As `card`, those of them that there are, in the same order."""
    standing = standings(conn, learner, card_ids)
    found = {row.id: _card(row, standing[row.id]) for row in conn.execute(_whole(), {"ids": list(card_ids)})}
    return [found[card_id] for card_id in card_ids if card_id in found]


@cache
def _whole() -> Select[Any]:
    """Kept, since every card that is shown is read by it, and to build it takes longer than to run it."""
    tags = (
        select(func.json_group_array(t.note_tag.c.tag))
        .where(t.note_tag.c.note_key == t.note.c.key)
        .scalar_subquery()
    )
    return (
        select(
            t.card,
            t.note.c.deck_name,
            t.note.c.kind,
            t.note.c.level,
            t.note.c.source,
            t.note.c.demo,
            t.note.c.revision,
            t.note.c.body,
            t.deck.c.title,
            tags.label("tags"),
        )
        .join(t.note, t.note.c.key == t.card.c.note_key)
        .join(t.deck, t.deck.c.name == t.note.c.deck_name)
        .where(t.card.c.id.in_(bindparam("ids", expanding=True)))
    )


def standings(conn: Connection, learner: LearnerId, card_ids: Sequence[CardId]) -> dict[CardId, Standing]:
    """The standing of each card; those never answered stand as new."""
    state = t.card_state
    rows = conn.execute(select(state).where(state.c.learner_id == learner, state.c.card_id.in_(card_ids)))
    return dict.fromkeys(card_ids, NEW) | {CardId(row.card_id): _standing(row) for row in rows}


def siblings(conn: Connection, learner: LearnerId, one: Card) -> dict[CardId, Standing]:
    """The other cards of the same note that may still be shown."""
    rows = conn.execute(
        select(t.card.c.id.label("sibling"), t.card_state)
        .outerjoin(
            t.card_state,
            and_(t.card_state.c.card_id == t.card.c.id, t.card_state.c.learner_id == learner),
        )
        .where(t.card.c.note_key == one.note_key, t.card.c.id != one.id, t.card.c.retired_at.is_(None))
        .order_by(t.card.c.ord)
    )
    return {CardId(row.sibling): _standing(row) if row.card_id else NEW for row in rows}


def put_state(conn: Connection, learner: LearnerId, card_id: CardId, state: CardState) -> None:
    memory = state.memory
    _put(
        conn,
        learner,
        card_id,
        state=state.state,
        stability=memory.stability if memory else None,
        difficulty=memory.difficulty if memory else None,
        due_day=state.due_day,
        due_at=state.due_at,
        last_day=state.last_day,
        interval=state.interval,
        step=state.step,
        lapses=state.lapses,
        reps=state.reps,
    )


def put_buried(conn: Connection, learner: LearnerId, card_id: CardId, until: date | None) -> None:
    _put(conn, learner, card_id, buried_until=until)


def put_suspended(conn: Connection, learner: LearnerId, card_id: CardId, suspended: bool) -> None:
    """Suspend the card along with an answer, which has counted the change."""
    _put(conn, learner, card_id, counts=False, suspended=suspended)


def put_marks(conn: Connection, learner: LearnerId, card_id: CardId, marks: Marks, *, moves: bool) -> None:
    """Set all marks of a card. `moves`: whether the change takes it out of a queue, or back."""
    _put(
        conn,
        learner,
        card_id,
        counts=moves,
        buried_until=marks.buried_until,
        suspended=marks.suspended,
        flag=marks.flag,
        remark=marks.remark,
    )


def said(conn: Connection, learner: LearnerId, key: str) -> dict[str, str]:
    """What was said to the showing with this key, before its reveal; nothing where nothing was."""
    d = t.draft.c
    kept = conn.scalar(select(d.text).where(d.learner_id == learner, d.key == SAID + key))
    found: dict[str, str] = json.loads(kept) if kept else {}
    return found


def keep_said(conn: Connection, learner: LearnerId, key: str, told: Mapping[str, str], now: datetime) -> None:
    """Keep it until the card is graded: it is too long for an address, and not the address's to tell."""
    row = upsert(t.draft).values(learner_id=learner, key=SAID + key, text=json.dumps(told), at=now)
    conn.execute(row.on_conflict_do_update(set_={"text": row.excluded.text, "at": now}))


def forget_said(conn: Connection, learner: LearnerId, key: str, before: datetime) -> None:
    """Drop what was said to this showing, and to those of before that were never graded."""
    d = t.draft.c
    old = and_(d.key.startswith(SAID), d.at < before)
    conn.execute(delete(t.draft).where(d.learner_id == learner, or_(d.key == SAID + key, old)))


def _put(
    conn: Connection, learner: LearnerId, card_id: CardId, counts: bool = True, **values: object
) -> None:
    """Set columns of a card's state, which begins as new, and count the change if it `counts`."""
    step = int(counts)
    row = upsert(t.card_state).values(
        learner_id=learner, card_id=card_id, version=step, **{"state": "new", **values}
    )
    conn.execute(row.on_conflict_do_update(set_={**values, "version": t.card_state.c.version + step}))


def all_standings(conn: Connection, learner: LearnerId) -> dict[CardId, Standing]:
    state = t.card_state
    rows = conn.execute(select(state).where(state.c.learner_id == learner))
    return {CardId(row.card_id): _standing(row) for row in rows}


def _card(row: Row[Any], standing: Standing) -> Card:
    return Card(
        id=CardId(row.id),
        note_key=row.note_key,
        deck=row.deck_name,
        deck_title=row.title,
        kind=row.kind,
        queue=row.queue,
        level=row.level,
        tags=tuple(sorted(json.loads(row.tags))),
        source=row.source,
        demo=row.demo,
        front=row.front,
        back=row.back,
        words=row.words,
        retired=row.retired_at is not None,
        note_revision=row.revision,
        standing=standing,
        drawn=row.body.get("drawn"),
        next=tuple(row.body.get("next", ())),
        say=row.body.get("say", ""),
        markable=row.body.get("markable", {}),
        claims=tuple(row.body.get("expects", ())),
    )


def _standing(row: Row[object]) -> Standing:
    known = row.stability is not None
    return Standing(
        CardState(
            state=row.state,
            memory=Memory(row.stability, row.difficulty) if known else None,
            due_day=row.due_day,
            due_at=row.due_at,
            last_day=row.last_day,
            interval=row.interval,
            step=row.step,
            lapses=row.lapses,
            reps=row.reps,
        ),
        row.buried_until,
        row.suspended,
        row.version,
        row.flag,
        row.remark,
    )

"""SQL of rounds, and of the cards that they ask for as they stood this morning."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, func, insert, or_, select, update

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.rounds.cards import Round, RoundCard, RoundId
from app.study.memory import Memory
from app.study.scheduling import CardId, CardState

PITCH_OVERHEAD_S = 60  # getting ready, ticking and rating
PACE_OVER = 200  # answers
ANSWERS = ("review", "drill")  # the events that move a card
UNDONE = (
    select(func.count()).where(t.undo.c.event_id == t.event.c.id).scalar_subquery() % 2 == 1
)  # undone and redone, an answer stands


def rounds(conn: Connection, learner: LearnerId) -> list[Round]:
    """All rounds of the learner, the earliest first."""
    mine = select(t.round).where(t.round.c.learner_id == learner)
    return [_round(row) for row in conn.execute(mine.order_by(t.round.c.date, t.round.c.id))]


def add(conn: Connection, learner: LearnerId, made: Round, now: datetime) -> RoundId:
    added = conn.execute(insert(t.round).values(learner_id=learner, created_at=now, **_values(made)))
    (number,) = added.inserted_primary_key or (None,)
    assert number is not None
    return RoundId(number)


def change(conn: Connection, learner: LearnerId, changed: Round) -> None:
    conn.execute(update(t.round).where(_one(learner, changed.id)).values(**_values(changed)))


def remove(conn: Connection, learner: LearnerId, round_id: RoundId) -> None:
    conn.execute(delete(t.round).where(_one(learner, round_id)))


def debriefed(conn: Connection, learner: LearnerId, round_id: RoundId, now: datetime) -> None:
    conn.execute(update(t.round).where(_one(learner, round_id)).values(debriefed_at=now))


def decks(conn: Connection) -> list[tuple[str, str]]:
    """Name and title of each deck that has live cards, in the library's order."""
    live = select(t.note.c.deck_name).join(t.card, t.card.c.note_key == t.note.c.key)
    query = select(t.deck.c.name, t.deck.c.title).where(
        t.deck.c.name.in_(live.where(t.card.c.retired_at.is_(None)))
    )
    return [(row.name, row.title) for row in conn.execute(query.order_by(t.deck.c.position, t.deck.c.name))]


def cards(
    conn: Connection, learner: LearnerId, before: date | None = None, *, suspended: bool = False
) -> list[RoundCard]:
    """Every live card in the library's order, as it stands, or stood before that day's first answer."""
    state = t.card_state
    query: Select[Any] = (
        select(
            t.card.c.id,
            t.card.c.words,
            t.card.c.queue,
            t.card.c.ord,
            t.note.c.deck_name,
            t.deck.c.title,
            t.note.c.kind,
            t.note.c.level,
            t.note.c.core,
            func.json_extract(t.note.c.body, "$.time_s").label("time_s"),
            t.deck.c.position.label("deck_position"),
            t.note.c.position,
            state.c.state,
            state.c.stability,
            state.c.difficulty,
            state.c.last_day,
            state.c.due_day,
        )
        .join(t.note, t.note.c.key == t.card.c.note_key)
        .join(t.deck, t.deck.c.name == t.note.c.deck_name)
        .outerjoin(state, and_(state.c.card_id == t.card.c.id, state.c.learner_id == learner))
        .where(
            t.card.c.retired_at.is_(None),
            or_(t.note.c.owner_id.is_(None), t.note.c.owner_id == learner),
        )
        .order_by(t.deck.c.position, t.note.c.position, t.card.c.ord)
    )
    if not suspended:
        query = query.where(or_(state.c.suspended.is_(None), state.c.suspended.is_(False)))
    morning = _before_today(conn, learner, before) if before else {}
    return [_card(row, morning) for row in conn.execute(query)]


def lapses(conn: Connection, learner: LearnerId) -> dict[CardId, int]:
    """How often each card was forgotten after it had been learned, of those that were."""
    state = t.card_state.c
    rows = conn.execute(
        select(state.card_id, state.lapses).where(state.learner_id == learner, state.lapses > 0)
    )
    return {CardId(row.card_id): row.lapses for row in rows}


def begun_today(conn: Connection, learner: LearnerId, today: date) -> frozenset[CardId]:
    """The cards that were new this morning and are not any more."""
    before = _before_today(conn, learner, today)
    return frozenset(card for card, state in before.items() if state.state == "new")


def spent_before(conn: Connection, learner: LearnerId, today: date) -> tuple[int, float]:
    """How many answers were given lately, before today, and the seconds that they took in all."""
    e = t.event.c
    latest = (
        select(e.ms)
        .where(e.learner_id == learner, e.kind == "review", e.ms.is_not(None), e.study_day < today)
        .order_by(e.id.desc())
        .limit(PACE_OVER)
        .subquery()
    )
    row = conn.execute(select(func.count().label("answers"), func.total(latest.c.ms).label("ms"))).one()
    return row.answers, row.ms / 1000


def stamp(conn: Connection) -> tuple[int, str]:
    """Changes whenever a deck file was read anew."""
    row = conn.execute(
        select(func.count().label("files"), func.max(t.deck_file.c.read_at, type_=t.deck_file.c.read_at.type))
    ).one()
    return row.files, str(row[1])


def _before_today(conn: Connection, learner: LearnerId, today: date) -> dict[CardId, CardState]:
    """The state before today's first answer that stands, of each card that has one."""
    e = t.event.c
    query = select(e.card_id, e.before).where(
        e.learner_id == learner, e.study_day == today, e.kind.in_(ANSWERS), ~UNDONE
    )
    rows = conn.execute(query.order_by(e.id.desc()))
    return {CardId(row.card_id): CardState.from_json(row.before) for row in rows}


def _card(row: Row[Any], morning: Mapping[CardId, CardState]) -> RoundCard:
    card_id = CardId(row.id)
    known = row.stability is not None
    memory = Memory(row.stability, row.difficulty) if known else None
    last_day, due_day = row.last_day, row.due_day
    if card_id in morning:
        was = morning[card_id]
        memory, last_day, due_day = was.memory, was.last_day, was.due_day
    return RoundCard(
        id=card_id,
        words=row.words,
        deck=row.deck_name,
        deck_title=row.title,
        level=row.level,
        core=row.core,
        spoken=row.queue == "drill",
        seconds=float(row.time_s or 0) + PITCH_OVERHEAD_S if row.queue == "drill" else 0.0,
        place=(row.deck_position, row.position, row.ord),
        memory=memory,
        last_day=last_day,
        due_day=due_day,
        kind=row.kind,
    )


def _round(row: Row[Any]) -> Round:
    return Round(
        RoundId(row.id), row.name, row.date, tuple(row.topics), row.level, row.minutes, row.debriefed_at
    )


def _values(made: Round) -> dict[str, object]:
    return {
        "name": made.name,
        "date": made.date,
        "topics": list(made.topics),
        "level": made.level,
        "minutes": made.minutes,
    }


def _one(learner: LearnerId, round_id: RoundId) -> ColumnElement[bool]:
    return and_(t.round.c.learner_id == learner, t.round.c.id == round_id)

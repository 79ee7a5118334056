"""SQL of mock interviews: who may be asked what, and what was asked."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Any, cast

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, Row, and_, exists, func, insert, or_, select, update

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.drill.attempt import Attempt
from app.drill.pitch import TakeId
from app.mock.course import Question, Turn
from app.mock.interview import Asked, Interview, InterviewId
from app.mock.plan import ANSWER_S, Candidate, Wish
from app.study.cards import EventId
from app.study.memory import Memory
from app.study.scheduling import CardId

ALOUD = ("question", "number", "estimate")  # kinds of cards to read that one can answer by speaking
SLOW = {"estimate": 90}
STATE = t.card_state
_ATTEMPT: TypeAdapter[Attempt] = TypeAdapter(Attempt)
_undone = exists(select(1).where(t.undo.c.event_id == t.take.c.event_id))
# How often a rating was taken back or given again: an odd number stands for taken back, as in study/store_log.py.
_turns = (
    select(func.count()).where(t.undo.c.event_id == t.asked.c.event_id).correlate(t.asked).scalar_subquery()
)


def candidates(
    conn: Connection, learner: LearnerId, today: date, decks: tuple[str, ...]
) -> list[tuple[Candidate, Memory | None, date | None]]:
    """Each card that may be asked; with its memory and the day of its last answer, by which its recall is known."""
    latest = (
        select(func.max(t.take.c.id))
        .where(t.take.c.card_id == t.card.c.id, t.take.c.learner_id == learner, ~_undone)
        .correlate(t.card)
        .scalar_subquery()
    )
    n, s = t.note.c, STATE.c
    query = (
        select(t.card.c.id, n.deck_name, n.level, n.core, n.kind, n.body, s.lapses, s.stability, s.difficulty)
        .add_columns(s.due_day, s.last_day, t.take.c.ticks, t.take.c.points)
        .select_from(t.card)
        .join(t.note, n.key == t.card.c.note_key)
        .join(t.deck, t.deck.c.name == n.deck_name)
        .outerjoin(STATE, and_(s.card_id == t.card.c.id, s.learner_id == learner))
        .outerjoin(t.take, t.take.c.id == latest)
        .where(_askable(learner))
        .order_by(t.deck.c.position, n.position)
    )
    if decks:
        query = query.where(n.deck_name.in_(decks))
    return [_candidate(row, today) for row in conn.execute(query)]


def questions(conn: Connection, learner: LearnerId, ids: Iterable[str]) -> list[Question]:
    """Those of these cards that may be asked, in the order given."""
    wanted = list(dict.fromkeys(ids))
    query = (
        select(t.card.c.id, t.note.c.level, t.note.c.kind, t.note.c.body)
        .join(t.note, t.note.c.key == t.card.c.note_key)
        .outerjoin(STATE, and_(STATE.c.card_id == t.card.c.id, STATE.c.learner_id == learner))
        .where(_askable(learner), t.card.c.id.in_(wanted))
    )
    found = {
        row.id: Question(CardId(row.id), row.level, _planned_s(row.kind, row.body))
        for row in conn.execute(query)
    }
    return [found[card_id] for card_id in wanted if card_id in found]


def next_of(conn: Connection, card_id: str) -> tuple[str, ...]:
    """The ids that a card names for what is asked next."""
    query = (
        select(t.note.c.body).join(t.card, t.card.c.note_key == t.note.c.key).where(t.card.c.id == card_id)
    )
    return tuple(conn.execute(query).scalar_one().get("next", ()))


def add(conn: Connection, learner: LearnerId, key: str, wish: Wish, now: datetime) -> InterviewId:
    row = {"learner_id": learner, "key": key, "level": wish.level, "decks": list(wish.decks), "drawn": []}
    row |= {"minutes": wish.minutes, "mode": wish.mode, "started_at": now}
    added = conn.execute(insert(t.interview).values(row))
    return InterviewId(cast("tuple[int]", added.inserted_primary_key)[0])


def put_drawn(conn: Connection, interview: InterviewId, drawn: Iterable[CardId]) -> None:
    conn.execute(update(t.interview).where(t.interview.c.id == interview).values(drawn=list(drawn)))


def put_ended(conn: Connection, interview: InterviewId, now: datetime) -> None:
    conn.execute(update(t.interview).where(t.interview.c.id == interview).values(ended_at=now))


def by_key(conn: Connection, learner: LearnerId, key: str) -> Interview | None:
    return _one(conn, t.interview.c.learner_id == learner, t.interview.c.key == key)


def one(conn: Connection, learner: LearnerId, interview: int) -> Interview | None:
    return _one(conn, t.interview.c.learner_id == learner, t.interview.c.id == interview)


def all_of(conn: Connection, learner: LearnerId, limit: int) -> list[Interview]:
    """The latest interviews, newest first."""
    query = select(t.interview).where(t.interview.c.learner_id == learner)
    return [_interview(row) for row in conn.execute(query.order_by(t.interview.c.id.desc()).limit(limit))]


def asked(
    conn: Connection, learner: LearnerId, interviews: Iterable[InterviewId]
) -> dict[InterviewId, list[Asked]]:
    """What was asked in each interview, in its order."""
    ids = list(interviews)
    a = t.asked.c
    query = (
        select(t.asked, t.note.c.level, t.card.c.queue, t.interview.c.mode, _turns.label("turns"))
        .join(t.interview, t.interview.c.id == a.interview_id)
        .join(t.card, t.card.c.id == a.card_id)
        .join(t.note, t.note.c.key == t.card.c.note_key)
        .where(a.learner_id == learner, a.interview_id.in_(ids))
        .order_by(a.interview_id, a.position)
    )
    found: dict[InterviewId, list[Asked]] = {interview: [] for interview in ids}
    for row in conn.execute(query):
        found[InterviewId(row.interview_id)].append(_asked(row))
    return found


def ask(
    conn: Connection, learner: LearnerId, interview: InterviewId, position: int, made: Question,
    *, follows: int | None, attempt: Attempt, now: datetime,
) -> None:  # fmt: skip
    row = {"interview_id": interview, "position": position, "learner_id": learner, "card_id": made.card_id}
    row |= {"follows": follows, "planned_s": made.planned_s, "attempt": _json(attempt), "asked_at": now}
    conn.execute(insert(t.asked).values(row))


def put_attempt(
    conn: Connection, interview: InterviewId, position: int, attempt: Attempt, text: str | None = None
) -> None:
    said = {} if text is None else {"text": text}
    conn.execute(update(t.asked).where(*_at(interview, position)).values(attempt=_json(attempt), **said))


def put_done(
    conn: Connection, interview: InterviewId, position: int, now: datetime, *,
    grade: int | None = None, event_id: EventId | None = None, take_id: TakeId | None = None,
) -> None:  # fmt: skip
    values = {"done_at": now, "grade": grade, "event_id": event_id, "take_id": take_id}
    conn.execute(update(t.asked).where(*_at(interview, position)).values(values))


def _at(interview: InterviewId, position: int) -> tuple[ColumnElement[bool], ...]:
    return t.asked.c.interview_id == interview, t.asked.c.position == position


def _askable(learner: LearnerId) -> ColumnElement[bool]:
    """Of a query that has the card, its note and, where there is one, its state."""
    return and_(
        t.card.c.retired_at.is_(None),
        or_(STATE.c.suspended.is_(None), STATE.c.suspended.is_(False)),
        or_(t.card.c.queue == "drill", t.note.c.kind.in_(ALOUD)),
        or_(t.note.c.owner_id.is_(None), t.note.c.owner_id == learner),
    )


def _planned_s(kind: str, body: Mapping[str, Any]) -> int:
    return int(body.get("time_s") or SLOW.get(kind, ANSWER_S))


def _candidate(row: Row[Any], today: date) -> tuple[Candidate, Memory | None, date | None]:
    memory = None if row.stability is None else Memory(row.stability, row.difficulty)
    missed = 1 - len(row.ticks) / len(row.points) if row.points else 0.0
    made = Candidate(
        card_id=CardId(row.id),
        deck=row.deck_name,
        level=row.level,
        core=row.core,
        spoken=row.kind == "spoken",
        planned_s=_planned_s(row.kind, row.body),
        lapses=row.lapses or 0,
        stability=row.stability,
        due=row.due_day is not None and row.due_day <= today,
        missed=missed,
    )
    return made, memory, row.last_day


def _one(conn: Connection, *where: ColumnElement[bool]) -> Interview | None:
    row = conn.execute(select(t.interview).where(*where)).one_or_none()
    return None if row is None else _interview(row)


def _interview(row: Row[Any]) -> Interview:
    return Interview(
        id=InterviewId(row.id),
        wish=Wish(row.level, tuple(row.decks), row.minutes, row.mode),
        drawn=tuple(map(CardId, row.drawn)),
        started_at=row.started_at,
        ended_at=row.ended_at,
    )


def _asked(row: Row[Any]) -> Asked:
    turn = Turn(
        row.position,
        CardId(row.card_id),
        row.level,
        row.planned_s,
        row.follows,
        row.asked_at,
        row.done_at,
        row.grade,
    )
    attempt = replace(_ATTEMPT.validate_python(row.attempt), typed=row.mode == "typed")
    return Asked(turn, attempt, row.queue == "drill", row.text, row.event_id, row.take_id, row.turns % 2 == 1)


def _json(attempt: Attempt) -> object:
    return _ATTEMPT.dump_python(attempt, mode="json", exclude_defaults=True)

"""SQL of what is summed up: the answers by day, what comes, and cards by deck and level.

Every query is answered by an index alone, or by `answered`, which is in the order of days.
"""

from datetime import date
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Select,
    Text,
    and_,
    case,
    func,
    or_,
    select,
    type_coerce,
)

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.progress.stats import CAP_S, MATURE, SPOKEN_CAP_S, Day, Group, Recall, Review, Share, Standing

A, S, N, C = t.answered.c, t.card_state.c, t.note.c, t.card.c
AHEAD = ("learning", "review", "relearning")


def days(conn: Connection, learner: LearnerId) -> list[Day]:
    """Every study day with an answer that stands, oldest first."""
    seconds = func.min(A.ms, case((A.kind == "review", 1000 * CAP_S), else_=1000 * SPOKEN_CAP_S)) / 1000.0
    young, mature = _young(), _mature()
    query = (
        select(
            A.study_day,
            func.count().label("answers"),
            func.count().filter(A.kind == "drill").label("spoken"),
            func.total(seconds).label("seconds"),
            func.count().filter(young, A.grade > 1).label("young_kept"),
            func.count().filter(young).label("young"),
            func.count().filter(mature, A.grade > 1).label("mature_kept"),
            func.count().filter(mature).label("mature"),
        )
        .where(A.learner_id == learner, A.undone.is_(False))
        .group_by(A.study_day)
        .order_by(A.study_day)
    )
    return [
        Day(
            row.study_day,
            row.answers,
            row.spoken,
            row.seconds,
            Recall(Share(row.young_kept, row.young), Share(row.mature_kept, row.mature)),
        )
        for row in conn.execute(query)
    ]


def due(conn: Connection, learner: LearnerId, until: date) -> dict[date, tuple[int, int]]:
    """Cards to read and cards to say that come up to `until`, by the day they are due; suspended ones do not come."""
    retired = select(C.id).where(C.queue.in_(("study", "drill")), C.retired_at.is_not(None))
    spoken = S.card_id.in_(select(C.id).where(C.queue == "drill"))
    query = (
        select(
            S.due_day, func.count().filter(~spoken).label("read"), func.count().filter(spoken).label("spoken")
        )
        .where(
            S.learner_id == learner,
            S.suspended.is_(False),
            S.state.in_(AHEAD),
            S.due_day <= until,
            S.card_id.not_in(retired),
        )
        .group_by(S.due_day)
    )
    return {row.due_day: (row.read, row.spoken) for row in conn.execute(query)}


def groups(conn: Connection, learner: LearnerId, since: date) -> list[Group]:
    """For each deck and level where the learner stands, and what was recalled from the study day `since` on."""
    seen = {(row.deck_name, row.level): row for row in conn.execute(_seen(learner))}
    shares = {
        (row.deck_name, row.level): Share(row.kept, row.of) for row in conn.execute(_shares(learner, since))
    }
    return [
        Group(
            row.deck_name,
            row.level,
            Standing(
                cards=row.cards,
                seen=its.seen if its else 0,
                mature=its.mature if its else 0,
                pitches=row.pitches,
                said=its.said if its else 0,
                share=shares.get((row.deck_name, row.level), Share()),
            ),
        )
        for row in conn.execute(_sizes(learner))
        for its in (seen.get((row.deck_name, row.level)),)
    ]


def deck_titles(conn: Connection) -> dict[str, str]:
    """Titles by name, in the order of the decks."""
    d = t.deck.c
    return {row.name: row.title for row in conn.execute(select(t.deck).order_by(d.origin.desc(), d.position))}


def _sizes(learner: LearnerId) -> Select[Any]:
    """How many cards to read and to say there are, of each deck and level that has any."""
    size = t.deck_size.c
    return (
        select(
            size.deck_name,
            size.level,
            func.total(size.cards).filter(size.queue == "study").cast(Integer).label("cards"),
            func.total(size.cards).filter(size.queue == "drill").cast(Integer).label("pitches"),
        )
        .where(size.owner_id.in_((0, learner)), size.cards > 0)
        .group_by(size.deck_name, size.level)
    )


def _seen(learner: LearnerId) -> Select[Any]:
    """The cards that the learner has seen, from their states: in a large library most are not."""
    read, spoken = C.queue == "study", C.queue == "drill"
    return (
        select(
            N.deck_name,
            N.level,
            func.count().filter(read).label("seen"),
            func.count().filter(read, S.state == "review", S.interval >= MATURE).label("mature"),
            func.count().filter(spoken).label("said"),
        )
        .select_from(t.card_state)
        .join(t.card, C.id == S.card_id)
        .join(t.note, N.key == C.note_key)
        .where(S.learner_id == learner, S.reps > 0, C.retired_at.is_(None))
        .where(or_(N.owner_id.is_(None), N.owner_id == learner))
        .group_by(N.deck_name, N.level)
    )


def _shares(learner: LearnerId, since: date) -> Select[Any]:
    return (
        select(
            N.deck_name,
            N.level,
            func.count().filter(A.grade > 1).label("kept"),
            func.count().label("of"),
        )
        .join_from(t.answered, t.card, C.id == A.card_id)
        .join(t.note, N.key == C.note_key)
        .where(A.learner_id == learner, A.study_day >= since, A.undone.is_(False), or_(_young(), _mature()))
        .group_by(N.deck_name, N.level)
    )


def _young() -> ColumnElement[bool]:
    return and_(A.kind == "review", A.first.is_(True), A.interval_before < MATURE)


def _mature() -> ColumnElement[bool]:
    return and_(A.kind == "review", A.first.is_(True), A.interval_before >= MATURE)


def reviews(conn: Connection, learner: LearnerId, after: int, limit: int) -> list[Review]:
    """The next `limit` answers after the event `after`, in the log's own order.

    The learner is added up so that SQLite takes no index of theirs, by which it would sort the whole log each time.
    """
    e = t.event.c
    undone = (
        select(t.undo.c.kind == "undo")
        .where(t.undo.c.event_id == e.id)
        .order_by(t.undo.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = (
        select(
            *(
                e.id,
                e.at,
                e.study_day,
                e.offset_minutes,
                e.card_id,
                N.deck_name,
                N.level,
                e.kind,
                e.grade,
                e.ms,
            ),
            func.coalesce(undone, 0).label("undone"),
            _part(e.before, "state").label("state_before"),
            _part(e.before, "interval").label("interval_before"),
            _part(e.after, "state").label("state_after"),
            _part(e.after, "interval").label("interval_after"),
            _part(e.after, "stability").label("stability_after"),
            _part(e.after, "difficulty").label("difficulty_after"),
        )
        .select_from(t.event)
        .join(t.card, C.id == e.card_id)
        .join(t.note, N.key == C.note_key)
        .where(e.id > after, e.learner_id + 0 == learner, e.grade.is_not(None))
        .order_by(e.id)
        .limit(limit)
    )
    return [Review(**row) for row in conn.execute(query).mappings()]


def _part(state: ColumnElement[object], name: str) -> ColumnElement[object]:
    """A part of a state as its JSON has it; null where it is no JSON."""
    text = type_coerce(state, Text)
    return case((func.json_valid(text) == 1, func.json_extract(text, f"$.{name}")))

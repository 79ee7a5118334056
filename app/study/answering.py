"""The write path of an answer and of its undo, for cards that are read and cards that are spoken alike.

One answer writes one event, the card's state and the siblings it hides, within the caller's transaction.
"""

from datetime import datetime, timedelta

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.study import store, store_fresh, store_log, store_undo
from app.study.cards import Buried, Card, Change, Entry, Event, Moved
from app.study.marks import MOVES, suspends
from app.study.memory import ALGORITHM, Grade
from app.study.queue import Limits
from app.study.scheduling import Next, SchedulerSettings, When, answers

KINDS = {"study": "review", "drill": "drill"}  # of an event, by the card's queue


def limits(learner: Learner) -> Limits:
    return Limits(learner.prefers.new_per_day, learner.prefers.reviews_per_day)


def settings(learner: Learner, card: Card) -> SchedulerSettings:
    """What schedules `card`: the learner's settings, without minute steps for a card that is spoken."""
    found = SchedulerSettings.of(learner.prefers)
    return found.without_steps() if card.queue == "drill" else found


def outcomes(learner: Learner, now: datetime, card: Card) -> dict[Grade, Next]:
    """What each grade would do to `card` at `now`."""
    return answers(card.standing.state, settings(learner, card), _when(learner, now), card.id)


def record(
    conn: Connection,
    learner: Learner,
    now: datetime,
    card: Card,
    grade: Grade,
    *,
    ms: int | None,
    idem: str,
    detail: dict[str, object],
) -> Event:
    """Write an answer to `card`, which the caller has checked. `detail` is kept with the event."""
    now = _kept(now)
    when = _when(learner, now)
    after = outcomes(learner, now, card)[grade].state
    buried = _hidden_by(conn, learner, card, when)
    leech = card.queue == "study" and not card.standing.suspended and suspends(card.standing.state, after)
    event_id = store_log.add_event(
        conn,
        learner.id,
        card_id=card.id,
        kind=KINDS[card.queue],
        at=now,
        study_day=when.day,
        day_ends=when.day_ends,
        offset_minutes=learner.offset_minutes(now),
        grade=grade,
        ms=ms,
        before=card.standing.state,
        after=after,
        snapshot_id=store_log.snapshot(conn, learner.id, _snapshot(learner, card), now),
        algorithm=ALGORITHM,
        buried=buried,
        leech=leech,
        detail=detail,
        idem=idem,
    )
    event = store_log.event(conn, learner.id, event_id)
    assert event is not None
    _apply(conn, learner, event)
    if card.queue == "study" and card.standing.state.state == "new":
        store_fresh.advance(conn, learner.id, card.deck)
    return event


def record_cram(
    conn: Connection,
    learner: Learner,
    now: datetime,
    card: Card,
    grade: Grade,
    *,
    ms: int | None,
    idem: str,
    detail: dict[str, object],
) -> Event:
    """Write an answer of a cram to the log. The card stays as it is."""
    when = _when(learner, _kept(now))
    event_id = store_log.add_event(
        conn,
        learner.id,
        card_id=card.id,
        kind="cram",
        at=when.now,
        study_day=when.day,
        day_ends=when.day_ends,
        offset_minutes=learner.offset_minutes(now),
        grade=grade,
        ms=ms,
        before=card.standing.state,
        after=card.standing.state,
        snapshot_id=None,
        algorithm=None,
        buried=(),
        leech=False,
        detail=detail,
        idem=idem,
    )
    event = store_log.event(conn, learner.id, event_id)
    assert event is not None
    return event


def take_back(conn: Connection, learner: Learner, now: datetime, event: Entry) -> None:
    """Undo `event`: its card and the siblings it hid stand as before. The log keeps both event and undo."""
    store_undo.add_undo(conn, learner.id, event.id, "undo", now, learner.day(now))
    if isinstance(event, Change):
        moves = event.kind in MOVES
        store.put_marks(conn, learner.id, event.card_id, event.before, moves=moves)
        return
    if event.kind == "cram":
        return
    store.put_state(conn, learner.id, event.card_id, event.before)
    if isinstance(event, Moved):
        return
    if event.leech:
        store.put_suspended(conn, learner.id, event.card_id, suspended=False)
    for sibling in event.buried:
        store.put_buried(conn, learner.id, sibling.card_id, sibling.before)


def give_again(conn: Connection, learner: Learner, now: datetime, event: Entry) -> None:
    """Redo `event`: all stands as it left it."""
    store_undo.add_undo(conn, learner.id, event.id, "redo", now, learner.day(now))
    if isinstance(event, Change):
        moves = event.kind in MOVES
        store.put_marks(conn, learner.id, event.card_id, event.after, moves=moves)
    else:
        _apply(conn, learner, event)


def _apply(conn: Connection, learner: Learner, event: Event | Moved) -> None:
    """What an answer does: to its card's state, to a leech, to the siblings. One of a cram does nothing."""
    if event.kind == "cram":
        return
    store.put_state(conn, learner.id, event.card_id, event.after)
    if isinstance(event, Moved):
        return
    if event.leech:
        store.put_suspended(conn, learner.id, event.card_id, suspended=True)
    for sibling in event.buried:
        store.put_buried(conn, learner.id, sibling.card_id, sibling.until)


def _kept(now: datetime) -> datetime:
    """The moment as the log keeps it, so that a replay gives the same."""
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def _when(learner: Learner, now: datetime) -> When:
    day = learner.day(now)
    return When(now, day, learner.day_start(day + timedelta(days=1)))


def _hidden_by(conn: Connection, learner: Learner, card: Card, when: When) -> list[Buried]:
    """The siblings that an answer hides until the next study day; one in its minute steps keeps its turn."""
    until = when.day + timedelta(days=1)
    return [
        Buried(card_id, found.buried_until, until)
        for card_id, found in store.siblings(conn, learner.id, card).items()
        if found.state.due_at is None and (found.buried_until is None or found.buried_until < until)
    ]


def _snapshot(learner: Learner, card: Card) -> dict[str, object]:
    return {
        "scheduler": settings(learner, card).to_json(),
        "limits": limits(learner).to_json(),
        "day": {"zone": learner.zone, "rollover": learner.rollover},
    }

"""The write path of an answer and of its undo, for cards that are read and cards that are spoken alike.

One answer writes one event, the card's state and the siblings it hides, within the caller's transaction.
"""

from datetime import datetime, timedelta

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.study import store, store_log
from app.study.cards import Buried, Card, Event
from app.study.memory import ALGORITHM, Grade
from app.study.queue import Limits
from app.study.scheduling import Next, SchedulerSettings, When, answers

KINDS = {"study": "review", "drill": "drill"}  # of an event, by the card's queue


def limits(learner: Learner) -> Limits:
    return Limits(learner.prefers.new_per_day, learner.prefers.reviews_per_day)


def settings(learner: Learner, card: Card) -> SchedulerSettings:
    """What schedules `card`: the learner's settings, without minute steps for a card that is spoken."""
    prefers = learner.prefers
    found = SchedulerSettings(
        retention=prefers.retention,
        maximum_interval=prefers.maximum_interval,
        learning_steps=prefers.learning_steps,
        relearning_steps=prefers.relearning_steps,
    )
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
    now = now.replace(
        microsecond=now.microsecond // 1000 * 1000
    )  # as the log keeps it: a replay gives the same
    when = _when(learner, now)
    after = outcomes(learner, now, card)[grade].state
    buried = _hidden_by(conn, learner, card, when)
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
        detail=detail,
        idem=idem,
    )
    store.put_state(conn, learner.id, card.id, after)
    for sibling in buried:
        store.put_buried(conn, learner.id, sibling.card_id, sibling.until)
    event = store_log.event(conn, learner.id, event_id)
    assert event is not None
    return event


def take_back(conn: Connection, learner: Learner, now: datetime, event: Event) -> None:
    """Undo `event`: its card and the siblings it hid stand as before. The log keeps both event and undo."""
    store_log.add_undo(conn, event.id, now)
    store.put_state(conn, learner.id, event.card_id, event.before)
    for sibling in event.buried:
        store.put_buried(conn, learner.id, sibling.card_id, sibling.before)


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

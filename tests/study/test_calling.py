"""A card is called into today's queue: by an event of its own, which undo takes back and a replay follows."""

from datetime import timedelta

from sqlalchemy import select

from app.db import tables as t
from app.db.engine import Database
from app.study import changes, service
from app.study.queue import Counts
from app.study.results import Done
from app.study.scheduling import CardState, called
from tests.conftest import MovableClock, add_cards
from tests.study.room import Room


def call(room: Room, card_id: str) -> bool:
    with room.db.write() as conn:
        return changes.call(conn, room.learner, room.clock(), card_id)


def state(room: Room, card_id: str) -> CardState:
    with room.db.read() as conn:
        return service.state_of(conn, room.learner, card_id)


def test_a_card_that_is_due_later_is_in_todays_queue(room: Room, db: Database, clock: MovableClock) -> None:
    add_cards(db, "a")
    room.answer(4)
    clock.advance(days=1)
    before = state(room, "a")
    assert isinstance(room.next(), Done)
    assert call(room, "a")
    assert room.counts() == Counts(new=0, learning=0, review=1)
    assert room.shown().card.id == "a"
    after = state(room, "a")
    assert (after.due_day, after.memory, after.interval, after.reps) == (
        room.learner.day(clock()),
        before.memory,
        before.interval,
        before.reps,
    )
    room.answer(3)
    assert (state(room, "a").due_day or clock().date()) > clock().date()
    room.replayed()


def test_undo_gives_the_old_day_back_and_redo_the_new_one(
    room: Room, db: Database, clock: MovableClock
) -> None:
    add_cards(db, "a")
    room.answer(4)
    before = state(room, "a")
    call(room, "a")
    step = room.next().undo
    assert step is not None
    assert step.kind == "reschedule"
    room.undo(step.event)
    room.undo(step.event)
    assert state(room, "a") == before
    room.replayed()
    room.redo_newest()
    assert room.shown().card.id == "a"
    room.replayed()


def test_an_answer_after_a_call_is_undone_first(room: Room, db: Database) -> None:
    add_cards(db, "a")
    room.answer(4)
    call(room, "a")
    room.answer(3)
    room.undo_newest()
    assert room.shown().card.id == "a"
    room.undo_newest()
    assert isinstance(room.next(), Done)
    room.replayed()


def test_what_changes_nothing_leaves_no_trace(room: Room, db: Database) -> None:
    add_cards(db, "a", "b", "c")
    room.answer(1)  # "a" is in its minute steps, due today anyway
    rows = room.rows()
    assert not call(room, "a")
    room.answer(4)
    room.mark("b", suspended=True)
    assert not call(room, "b")
    assert room.rows() == (rows[0] + 2, rows[1])
    room.answer(4)
    assert call(room, "c")
    assert not call(room, "c")


def test_one_that_a_sibling_hides_comes_up(room: Room, db: Database, clock: MovableClock) -> None:
    add_cards(db, "n.1", "n.2")
    room.answer(4)
    clock.advance(days=1)
    room.answer(4)
    assert call(room, "n.1")
    assert room.shown().card.id == "n.1"
    with db.read() as conn:
        kinds = conn.scalars(select(t.event.c.kind).order_by(t.event.c.id.desc()).limit(2)).all()
    assert kinds == ["reschedule", "unbury"]
    room.replayed()


def test_a_new_card_is_called_past_the_days_limit_and_learned_as_new(
    room: Room, db: Database, clock: MovableClock
) -> None:
    add_cards(db, *(f"n{at:02}" for at in range(12)))
    assert room.counts() == Counts(new=10, learning=0, review=0)
    assert call(room, "n11")
    assert not call(room, "n11")
    assert room.counts() == Counts(new=10, learning=1, review=0)
    assert room.shown().card.id == "n11"
    room.replayed()
    room.undo_newest()
    assert state(room, "n11") == CardState()
    assert room.shown().card.id == "n00"
    room.redo_newest()
    room.answer(3)
    answered = state(room, "n11")
    assert (answered.state, answered.step, answered.reps) == ("learning", 1, 1)
    assert answered.memory == state_after_good(room, "n00").memory
    room.replayed()


def state_after_good(room: Room, card_id: str) -> CardState:
    assert room.shown().card.id == card_id
    room.answer(3)
    return state(room, card_id)


def test_a_called_card_that_nobody_looks_at_is_there_the_next_day(
    room: Room, db: Database, clock: MovableClock
) -> None:
    add_cards(db, "a")
    call(room, "a")
    clock.advance(days=1)
    assert room.counts() == Counts(new=0, learning=1, review=0)
    assert room.shown().card.id == "a"


def test_a_pitch_that_was_never_said_waits_in_the_drill_as_it_is(
    room: Room, db: Database, clock: MovableClock
) -> None:
    add_cards(db, "pitch", queue="drill")
    assert not call(room, "pitch")
    with db.read() as conn:
        assert changes.callable_cards(conn, room.learner, clock(), ["pitch"]) == frozenset()
    assert state(room, "pitch") == CardState()


def test_a_pitch_is_called_like_a_card(room: Room, db: Database, clock: MovableClock) -> None:
    add_cards(db, "pitch", queue="drill")
    with db.write() as conn:
        service.answer_spoken(
            conn, room.learner, clock(), card_id="pitch", grade=4, ms=9, idem="k", detail={}
        )
    assert call(room, "pitch")
    with db.read() as conn:
        assert [card.due for card in service.due_spoken(conn, room.learner, clock())] == [True]
    room.replayed()


def test_a_day_that_is_here_anyway_stays(clock: MovableClock) -> None:
    today = clock().date()
    due = CardState(state="review", due_day=today - timedelta(days=3))
    assert called(due, today) is due
    assert called(CardState(), today) == CardState(state="learning", step=0, due_day=today)

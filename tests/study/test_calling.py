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
    assert not call(room, "a")  # new: it comes in its turn
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
    assert called(CardState(), today) == CardState()

"""Redo: what undo took back, given again exactly, also on the done page; and never beside something newer."""

import pytest

from app.db.engine import Database
from app.study.results import Done
from app.web.errors import Conflict, NotFound
from tests.conftest import add_cards
from tests.study.room import Room


def test_redo_through_a_whole_sitting_up_to_the_done_page(room: Room, db: Database) -> None:
    add_cards(db, "a", "n.1", "n.2")
    states = []
    for grade in (4, 4):
        room.answer(grade)
        states.append(room.counts())
    assert isinstance(room.next(), Done)
    room.undo_newest()
    room.undo_newest()
    assert room.next().undoable is None
    for counts in states:
        room.redo_newest()
        assert room.counts() == counts
        room.replayed()
    done = room.next()
    assert isinstance(done, Done)
    assert (done.redoable, done.done) == (None, 2)
    assert room.rows() == (2, 4)


def test_something_new_ends_what_could_be_redone(room: Room, db: Database) -> None:
    add_cards(db, "a", "b", "c")
    first, second = room.answer(3), room.answer(3)
    room.undo_newest()
    room.undo_newest()
    assert room.next().redoable == first.event
    third = room.answer(4)
    assert room.next().redoable is None
    room.undo_newest()
    assert room.next().redoable == third.event
    assert second.event < third.event
    room.redo_newest()
    assert room.next().redoable is None
    room.replayed()


def test_redo_of_what_stands_otherwise_now_is_refused(room: Room, db: Database) -> None:
    add_cards(db, "a")
    first = room.answer(1)
    room.clock.advance(minutes=2)
    second = room.answer(3)
    room.undo(second.event)
    room.undo(first.event)
    with pytest.raises(Conflict, match="changed since"):
        room.redo(second.event)
    room.redo(first.event)
    room.redo(second.event)
    room.replayed()
    room.undo(second.event)
    room.answer(2)
    with pytest.raises(Conflict, match="stands"):
        room.redo(second.event)


def test_a_repeated_redo_changes_nothing(room: Room, db: Database) -> None:
    add_cards(db, "a")
    given = room.answer(3)
    room.undo(given.event)
    first = room.redo(given.event)
    assert room.redo(given.event) == first
    assert first.state == given.state
    assert room.rows() == (1, 2)


def test_an_unknown_event_cannot_be_redone(room: Room) -> None:
    with pytest.raises(NotFound, match="to redo"):
        room.redo(99)


def test_undo_and_redo_again_and_again(room: Room, db: Database) -> None:
    add_cards(db, "a", "n.1", "n.2")
    room.answer(3)
    room.answer(3)
    after = (room.counts(), room.next())
    for _ in range(5):
        room.undo_newest()
        room.redo_newest()
    assert (room.counts(), room.next()) == after
    room.replayed()

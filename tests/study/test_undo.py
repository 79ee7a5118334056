"""Undo: exact, through several cards, on the done page, and only of what stands newest."""

import pytest

from app.db.engine import Database
from app.study import service
from app.study.results import Done
from app.web.errors import Conflict, NotFound
from tests.conftest import add_cards
from tests.study.room import Room


def test_undo_through_several_cards_restores_counts_exactly(room: Room, db: Database) -> None:
    add_cards(db, "a", "b", "n.1", "n.2", "c")
    seen, given = [], []
    for grade in (3, 1, 4, 2):
        seen.append((room.shown().card.id, room.counts()))
        given.append(room.answer(grade))
    for (card, counts), answered in zip(reversed(seen), reversed(given), strict=True):
        undone = room.undo(answered.event)
        assert (undone.card_id, undone.state.state) == (card, "new")
        assert (room.shown().card.id, room.counts()) == (card, counts)
        room.replayed()
    assert room.rows() == (4, 4)


def test_undo_on_the_done_page(room: Room, db: Database) -> None:
    add_cards(db, "a")
    room.answer(4)
    done = room.next()
    assert isinstance(done, Done)
    assert done.undoable is not None
    room.undo(done.undoable)
    assert room.shown().card.id == "a"
    assert room.shown().undoable is None


def test_a_repeated_undo_changes_nothing(room: Room, db: Database) -> None:
    add_cards(db, "a")
    given = room.answer(3)
    first = room.undo(given.event)
    again = room.answer(1)
    assert room.undo(given.event) == first
    assert room.rows() == (2, 1)
    with db.read() as conn:
        assert service.state_of(conn, room.learner, "a") == again.state


def test_an_older_answer_cannot_be_undone_before_the_newer(room: Room, db: Database) -> None:
    add_cards(db, "a")
    first = room.answer(1)
    room.clock.advance(minutes=2)
    second = room.answer(3)
    with pytest.raises(Conflict, match="Undo that one first"):
        room.undo(first.event)
    room.undo(second.event)
    room.undo(first.event)
    room.replayed()


def test_an_unknown_or_foreign_answer_cannot_be_undone(room: Room, db: Database) -> None:
    with pytest.raises(NotFound, match="no such answer"):
        room.undo(99)


def test_a_tab_from_before_an_undo_is_stale(room: Room, db: Database) -> None:
    add_cards(db, "a")
    showing = room.shown()
    room.undo(room.answer(3, showing).event)
    with pytest.raises(Conflict):
        room.answer(3, showing)

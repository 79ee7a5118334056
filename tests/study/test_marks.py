"""What a learner puts on a card: it leaves the queue and comes back, each change is in the log, undo takes it back."""

import pytest
from sqlalchemy import select, update

from app.db import tables as t
from app.db.engine import Database
from app.study import changes, service
from app.study.marks import Marks, suspends
from app.study.queue import Counts
from app.study.results import Done, Showing
from app.study.scheduling import CardState
from app.web.errors import Conflict, Invalid, NotFound
from tests.conftest import MovableClock, add_cards
from tests.study.room import Room


def test_a_buried_card_comes_back_the_next_study_day(room: Room, db: Database, clock: MovableClock) -> None:
    add_cards(db, "a", "b")
    assert room.mark("a", buried=True).buried
    assert (room.shown().card.id, room.counts().new) == ("b", 1)
    clock.advance(days=1)
    assert (room.shown().card.id, room.counts().new) == ("a", 2)
    room.replayed()


def test_a_suspended_card_is_in_no_queue_until_it_is_taken_in(
    room: Room, db: Database, clock: MovableClock
) -> None:
    add_cards(db, "a", "b")
    room.answer(3)
    assert room.counts().learning == 1
    room.mark("a", suspended=True)
    assert room.counts().learning == 0
    room.mark("b", suspended=True)
    clock.advance(days=40)
    found = room.next()
    assert isinstance(found, Done)
    assert found.next_due is None
    room.mark("a", suspended=False)
    assert room.shown().card.id == "a"
    room.replayed()


def test_each_change_is_an_event_and_one_that_changes_nothing_is_none(room: Room, db: Database) -> None:
    add_cards(db, "a")
    for _ in range(2):
        room.mark("a", buried=True, suspended=True, flagged=True, remark=" think of\r\nthe mask \n")
    with db.read() as conn:
        kinds = conn.scalars(select(t.event.c.kind).order_by(t.event.c.id)).all()
        found = changes.marked(conn, room.learner, room.clock(), "a")
    assert kinds == ["suspend", "bury", "flag", "note"]
    assert (found.buried, found.suspended, found.flagged, found.remark) == (
        True,
        True,
        True,
        "think of\nthe mask",
    )
    room.replayed()


def stands(room: Room) -> tuple[str, Counts]:
    """The card that is shown, "" where none is due, and what is left."""
    found = room.next()
    return found.card.id if isinstance(found, Showing) else "", room.counts()


def test_undo_and_redo_go_through_marks_and_answers_alike(room: Room, db: Database) -> None:
    add_cards(db, "a", "b", "n.1", "n.2")
    seen = [stands(room)]
    for act in (
        lambda: room.mark("a", suspended=True),
        lambda: room.answer(3),
        lambda: room.mark("n.1", flagged=True),
        lambda: room.mark("n.1", remark="two gaps"),
        lambda: room.answer(4),
        lambda: room.mark("a", suspended=False),
        lambda: room.mark("a", buried=True),
    ):
        act()
        seen.append(stands(room))
        room.replayed()
    for before in reversed(seen[:-1]):
        room.undo_newest()
        room.replayed()
        assert stands(room) == before
    assert room.next().undoable is None
    for after in seen[1:]:
        room.redo_newest()
        room.replayed()
        assert stands(room) == after
    assert room.next().redoable is None


def test_a_flag_and_a_note_leave_an_open_showing_alone_and_a_suspension_does_not(
    room: Room, db: Database
) -> None:
    add_cards(db, "a", "b")
    showing = room.shown()
    room.mark("a", flagged=True, remark="hm")
    room.answer(3, showing)
    showing = room.shown()
    room.mark("b", suspended=True)
    with pytest.raises(Conflict, match="changed elsewhere"):
        room.answer(3, showing)
    room.replayed()


def test_an_answer_under_a_later_mark_is_not_undone_before_it(room: Room, db: Database) -> None:
    add_cards(db, "a")
    given = room.answer(3)
    room.mark("a", suspended=True)
    with pytest.raises(Conflict, match="Undo that one first"):
        room.undo(given.event)
    room.undo_newest()
    room.undo(given.event)
    assert room.shown().card.id == "a"
    room.replayed()


def test_a_note_that_is_too_long_and_a_card_that_is_none(room: Room, db: Database) -> None:
    add_cards(db, "a")
    with pytest.raises(Invalid, match="at most 2,000 characters; this one has 2,001"):
        room.mark("a", remark="x" * 2001)
    with pytest.raises(NotFound, match="no card 'b'"):
        room.mark("b", flagged=True)
    assert room.rows() == (0, 0)


def test_a_card_is_a_leech_at_eight_lapses_and_then_at_every_four() -> None:
    at = [n for n in range(1, 21) if suspends(CardState(lapses=n - 1), CardState(lapses=n))]
    assert at == [8, 12, 16, 20]
    assert not suspends(CardState(lapses=8), CardState(lapses=8))


def lapse(room: Room, card_id: str = "a") -> bool:
    """Bring the card into its reviews, forget it there, and say whether that made it a leech."""
    for grade in (4, 1):
        found = room.shown()
        assert found.card.id == card_id
        given = room.answer(grade, found)
        room.clock.advance(days=(given.state.interval or 0) + 1)
    return given.leech


def test_a_leech_is_suspended_and_undo_takes_that_back(room: Room, db: Database) -> None:
    add_cards(db, "a")
    assert [lapse(room) for _ in range(8)] == [False] * 7 + [True]
    assert isinstance(room.next(), Done)
    room.replayed()
    with db.read() as conn:
        assert changes.marked(conn, room.learner, room.clock(), "a").leech
        told = changes.leech(conn, room.learner, "a")
        (newest, *_) = service.history(conn, room.learner, "a")
    assert told is not None
    assert newest.leech
    room.undo(newest.id)
    assert room.shown().card.id == "a"
    room.replayed()
    room.redo(newest.id)
    assert isinstance(room.next(), Done)
    room.replayed()
    room.mark("a", suspended=False)
    assert [lapse(room) for _ in range(4)] == [False] * 3 + [True]
    room.replayed()


def test_a_touched_mark_is_found_by_a_replay(room: Room, db: Database) -> None:
    add_cards(db, "a")
    room.mark("a", flagged=True, remark="mine")
    with db.write() as conn:
        conn.execute(update(t.card_state).values(remark="", flag=0))
    with db.read() as conn:
        said = [str(difference) for difference in service.replay(conn)]
    assert said == [
        "a: flag is kept as 0, and the log leads to 1",
        "a: note to self is kept as nothing, and the log leads to mine",
    ]


def test_marks_come_back_from_json_as_they_went(room: Room) -> None:
    for marks in (Marks(), Marks(room.learner.day(room.clock()), suspended=True, flag=1, remark="ü\n{")):
        assert Marks.from_json(marks.to_json()) == marks

"""Whatever a learner does, the log leads to the states that are kept; and a state that was touched is found."""

import contextlib
import random
import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, func, insert, select, update

from app.accounts.learner import Learner
from app.db import tables as t
from app.db.engine import Database
from app.study import changes, service, store, store_kept
from app.study.chosen import ALL, Chosen
from app.study.marks import Marks
from app.study.results import Showing
from app.study.scheduling import CardState
from tests.conftest import MovableClock, add_cards
from tests.study.room import Room

Kept = dict[str, tuple[CardState, Marks]]
MARKS = (
    {"buried": True},
    {"suspended": True},
    {"suspended": False},
    {"flagged": True},
    {"remark": "so"},
    {"remark": ""},
)


class Sitting:
    """A learner who does anything at all; undo must give back what stood, and redo what was undone."""

    def __init__(self, conn: Connection, learner: Learner, draw: random.Random) -> None:
        self.conn, self.learner, self.draw = conn, learner, draw
        self.undoable: list[tuple[int, Kept, Kept]] = []
        self.redoable: list[tuple[int, Kept, Kept]] = []

    def turn(self, now: datetime, key: str) -> None:
        choice = self.draw.random()
        if choice < 0.2 and self.undoable:
            self.redoable.append(self.undoable.pop())
            event, before, _ = self.redoable[-1]
            changes.undo(self.conn, self.learner, now, event)
            assert _kept(self.conn, self.learner) == before
        elif choice < 0.35 and self.redoable:
            self.undoable.append(self.redoable.pop())
            event, _, after = self.undoable[-1]
            changes.redo(self.conn, self.learner, now, event)
            assert _kept(self.conn, self.learner) == after
        elif choice < 0.5:
            card = self.draw.choice(["a", "n.1", "n.2", "m.1"])
            marks: dict[str, Any] = self.draw.choice(MARKS)
            self.note(lambda: changes.mark(self.conn, self.learner, now, card, **marks) and self.newest())
        elif choice < 0.6:
            self.note(lambda: self.say(now, key))
        elif choice < 0.66:
            self.note(lambda: self.call(now))
        else:
            self.note(lambda: self.answer(now, key))

    def note(self, act: Callable[[], int | None]) -> None:
        """Do it, and remember what stood before and after; something new ends what could be redone."""
        before, newest = _kept(self.conn, self.learner), self.newest()
        event = act()
        if event is not None and event != newest:
            self.undoable.append((event, before, _kept(self.conn, self.learner)))
            self.redoable.clear()

    def newest(self) -> int | None:
        return self.conn.scalar(select(func.max(t.event.c.id)))

    def say(self, now: datetime, key: str) -> int:
        grade = self.draw.randint(1, 4)
        said = service.answer_spoken(
            self.conn, self.learner, now, card_id="pitch", grade=grade, ms=9, idem=key, detail={}
        )
        return said.event

    def call(self, now: datetime) -> int | None:
        """Call a card into today, unless one is hidden: that would be two events."""
        card = self.draw.choice(["a", "b", "n.1", "pitch"])
        if not changes.marked(self.conn, self.learner, now, card).buried:
            changes.call(self.conn, self.learner, now, card)
        return self.newest()

    def answer(self, now: datetime, key: str) -> int | None:
        chosen = self.draw.choice([ALL, ALL, ALL, Chosen(cram=0), Chosen(ahead=9)])
        shown = service.next_card(self.conn, self.learner, now, chosen)
        if not isinstance(shown, Showing):
            return None
        return service.answer(
            self.conn,
            self.learner,
            now,
            card_id=shown.card.id,
            revision=shown.card.revision,
            grade=self.draw.choice([1, 1, 2, 3, 4]),
            ms=None,
            idem=key,
            cram=chosen.cram is not None,
        ).event


@pytest.mark.parametrize("seed", range(6))
def test_random_sittings(db: Database, learner: Learner, clock: MovableClock, seed: int) -> None:
    draw = random.Random(seed)
    add_cards(db, "a", "b", "n.1", "n.2", "n.3", "c", "m.1", "m.2")
    add_cards(db, "pitch", queue="drill")
    with db.write() as conn:
        sitting = Sitting(conn, learner, draw)
        for turn in range(80):
            sitting.turn(clock(), f"t{turn}")
            clock.now += draw.choice(
                [timedelta(minutes=2), timedelta(hours=5), timedelta(days=3, seconds=0.1234)]
            )
    with db.read() as conn:
        assert service.replay(conn) == ()
        kinds = set(conn.scalars(select(t.event.c.kind)))
        assert {"review", "drill", "cram", "suspend", "note"} <= kinds
        assert set(conn.scalars(select(t.undo.c.kind))) == {"undo", "redo"}


def test_a_touched_state_is_found(db: Database, learner: Learner, clock: MovableClock) -> None:
    add_cards(db, "a", "n.1", "n.2")
    with db.write() as conn:
        for turn in range(2):
            shown = service.next_card(conn, learner, clock())
            assert isinstance(shown, Showing)
            card = shown.card
            service.answer(
                conn,
                learner,
                clock(),
                card_id=card.id,
                revision=card.revision,
                grade=3,
                ms=None,
                idem=str(turn),
            )
        conn.execute(update(t.card_state).where(t.card_state.c.card_id == "a").values(lapses=7))
        conn.execute(update(t.card_state).where(t.card_state.c.card_id == "n.2").values(buried_until=None))
    with db.read() as conn:
        found = service.replay(conn)
    assert [(d.card_id, d.what) for d in found] == [("a", "state"), ("n.2", "buried")]
    assert str(found[0]) == "a: state is kept as lapses 7, and the log leads to lapses 0"


@pytest.fixture
def answered(db: Database, learner: Learner, clock: MovableClock) -> Database:
    """Cards a and b, each answered twice."""
    add_cards(db, "a", "b")
    with db.write() as conn:
        for turn in range(4):
            shown = service.next_card(conn, learner, clock())
            assert isinstance(shown, Showing)
            service.answer(
                conn,
                learner,
                clock(),
                card_id=shown.card.id,
                revision=shown.card.revision,
                grade=3,
                ms=None,
                idem=str(turn),
            )
            clock.advance(minutes=15)
    return db


def replayed(db: Database, statement: str) -> list[str]:
    """What a replay tells after a hand has been at the database."""
    conn = sqlite3.connect(db.path)
    with contextlib.closing(conn), conn:
        conn.execute(statement)
    with db.read() as reading:
        return [str(difference) for difference in service.replay(reading)]


@pytest.mark.parametrize("column", ["after", "before", "detail", "at"])
@pytest.mark.parametrize("value", ["", "{}", "null", "[1]", "{"])
def test_a_damaged_answer_is_named_and_the_others_are_still_compared(
    answered: Database, column: str, value: str
) -> None:
    said = replayed(answered, f"UPDATE event SET {column} = '{value}' WHERE id = 2")
    assert said[0].startswith("a: answer 2 cannot be read (")
    assert all(line.startswith("a: ") for line in said)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM settings_snapshot",
        "UPDATE settings_snapshot SET body = '{}'",
        "UPDATE settings_snapshot SET body = '{'",
    ],
)
def test_settings_that_are_gone_are_told_for_each_answer(answered: Database, statement: str) -> None:
    said = replayed(answered, statement)
    assert len(said) == 4
    assert said[0] == "a: the settings of answer 1 (snapshot 1) are gone or damaged"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("suspended = 1", "suspended is kept as true, and the log leads to false"),
        ("flag = 3", "flag is kept as 3, and the log leads to 0"),
        ("version = 9", "version is kept as 9, and the log leads to 2"),
    ],
)
def test_what_is_no_part_of_the_scheduling_is_compared_too(
    answered: Database, change: str, told: str
) -> None:
    assert replayed(answered, f"UPDATE card_state SET {change} WHERE card_id = 'a'") == [f"a: {told}"]


def _kept(conn: Connection, learner: Learner) -> Kept:
    """All states and marks as they are kept; a card back at new without marks counts as if it had no row."""
    found = store.all_standings(conn, learner.id).items()
    states = {str(card_id): (one.state, one.marks) for card_id, one in found}
    return {card_id: kept for card_id, kept in states.items() if kept != (CardState(), Marks())}


TOUCHED = (
    ("UPDATE answered SET grade = grade % 4 + 1 WHERE card_id = 'a'", "answered"),
    ("UPDATE answered SET first = 1 - first WHERE card_id = 'a'", "answered"),
    ("DELETE FROM answered WHERE card_id = 'a'", "answered"),
    ("UPDATE due SET due_day = '2027-01-01' WHERE card_id = 'a'", "due"),
    ("DELETE FROM due WHERE card_id = 'a'", "due"),
    ("UPDATE fresh_from SET turn = turn + 1000000", "new"),
)


@pytest.mark.parametrize(("statement", "what"), TOUCHED)
def test_what_is_kept_beside_the_log_is_compared_too(
    db: Database, room: Room, statement: str, what: str
) -> None:
    add_cards(db, "a", "b", "c")
    room.answer(4)
    room.undo(room.answer(3).event)
    room.replayed()
    with db.write() as conn:
        conn.exec_driver_sql(statement)
    with db.read() as conn:
        (first, *_) = service.replay(conn)
    assert (first.what, first.card_id) == (what, "b" if what == "new" else "a")


@pytest.mark.parametrize(
    ("statement", "of"),
    [("UPDATE deck_size SET cards = cards + 1", "test/deck"), ("DELETE FROM tag_size", "soft")],
)
def test_a_deck_or_tag_that_is_counted_wrongly_is_told(
    db: Database, room: Room, statement: str, of: str
) -> None:
    add_cards(db, "a")
    with db.write() as conn:
        conn.execute(insert(t.note_tag), {"note_key": "a", "tag": "soft"})
        assert service.replay(conn) == ()
        conn.exec_driver_sql(statement)
        assert [(one.what, one.card_id) for one in service.replay(conn)] == [("size", of)]


CHANGES = (
    "UPDATE card SET retired_at = '2026-11-29T18:00:00.000Z' WHERE id = '{card}'",
    "UPDATE card SET retired_at = NULL WHERE id = '{card}'",
    "UPDATE card SET queue = 'drill' WHERE id = '{card}'",
    "UPDATE card SET queue = 'study' WHERE id = '{card}'",
    "UPDATE card SET shuffle = shuffle + 1 WHERE id = '{card}'",
    "UPDATE note SET deck_name = 'other/deck' WHERE key = '{note}'",
    "UPDATE note SET deck_name = 'test/deck' WHERE key = '{note}'",
    "UPDATE note SET core = 1 - core WHERE key = '{note}'",
    "UPDATE note SET level = 'IC6' WHERE key = '{note}'",
    "UPDATE note SET owner_id = 1 WHERE key = '{note}'",
    "UPDATE card_state SET suspended = 1 - suspended WHERE card_id = '{card}'",
    "UPDATE card_state SET buried_until = '2026-12-01' WHERE card_id = '{card}'",
    "UPDATE card_state SET state = 'relearning' WHERE card_id = '{card}'",
    "UPDATE card_state SET state = 'review', due_day = '2026-11-29' WHERE card_id = '{card}'",
    "UPDATE card_state SET due_day = NULL WHERE card_id = '{card}'",
    "DELETE FROM card_state WHERE card_id = '{card}'",
    "INSERT OR REPLACE INTO card_state (learner_id, card_id, state, due_day) "
    "VALUES (1, '{card}', 'review', '2026-11-28')",
    "INSERT OR IGNORE INTO note_tag (note_key, tag) VALUES ('{note}', 'soft')",
    "INSERT OR IGNORE INTO note_tag (note_key, tag) VALUES ('{note}', 'hard')",
    "DELETE FROM note_tag WHERE note_key = '{note}'",
    "UPDATE OR IGNORE note_tag SET tag = 'soft' WHERE note_key = '{note}'",
)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_due_and_the_sizes_follow_every_change_of_cards_notes_and_states(
    db: Database, seed: int
) -> None:
    add_cards(db, "x", deck="other/deck")
    add_cards(db, "a", "n.1", "n.2")
    draw = random.Random(seed)
    rows = 0
    with db.write() as conn:
        for _ in range(150):
            card = draw.choice(["a", "n.1", "n.2"])
            conn.exec_driver_sql(draw.choice(CHANGES).format(card=card, note=card[0]))
            assert store_kept.due(conn) == store_kept.sizes(conn) == []
            rows += conn.scalar(select(func.count()).select_from(t.due)) or 0
    assert rows > 0

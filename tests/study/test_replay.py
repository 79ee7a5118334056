"""Whatever a learner does, the log leads to the states that are kept; and a state that was touched is found."""

import contextlib
import random
import sqlite3
from datetime import date, timedelta

import pytest
from sqlalchemy import Connection, select, update

from app.accounts.learner import Learner
from app.db import tables as t
from app.db.engine import Database
from app.study import service, store
from app.study.results import Showing
from app.study.scheduling import CardState
from tests.conftest import MovableClock, add_cards


@pytest.mark.parametrize("seed", range(6))
def test_random_sittings(db: Database, learner: Learner, clock: MovableClock, seed: int) -> None:
    draw = random.Random(seed)
    add_cards(db, "a", "b", "n.1", "n.2", "n.3", "c", "m.1", "m.2")
    add_cards(db, "pitch", queue="drill")
    stack: list[tuple[int, object]] = []
    for turn in range(60):
        now = clock()
        with db.write() as conn:
            before = _kept(conn, learner)
            if stack and draw.random() < 0.25:
                event, was = stack.pop()
                service.undo(conn, learner, now, event)
                assert _kept(conn, learner) == was
                continue
            if draw.random() < 0.1:
                said = service.answer_spoken(
                    conn,
                    learner,
                    now,
                    card_id="pitch",
                    grade=draw.randint(1, 4),
                    ms=9,
                    idem=f"t{turn}",
                    detail={},
                )
                stack.append((said.event, before))
            shown = service.next_card(conn, learner, now)
            if isinstance(shown, Showing):
                before = _kept(conn, learner)
                card = shown.card
                given = service.answer(
                    conn,
                    learner,
                    now,
                    card_id=card.id,
                    revision=card.revision,
                    grade=draw.randint(1, 4),
                    ms=None,
                    idem=str(turn),
                )
                stack.append((given.event, before))
        clock.now += draw.choice(
            [timedelta(minutes=2), timedelta(hours=5), timedelta(days=3, seconds=0.1234)]
        )
    with db.read() as conn:
        assert service.replay(conn) == ()
        assert conn.execute(select(t.undo)).first() is not None


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


def _kept(conn: Connection, learner: Learner) -> dict[str, tuple[CardState, date | None]]:
    """All states as they are kept; a card back at new and not hidden counts as if it had no row."""
    found = store.all_standings(conn, learner.id).items()
    states = {card_id: (one.state, one.buried_until) for card_id, one in found}
    return {card_id: kept for card_id, kept in states.items() if kept != (CardState(), None)}

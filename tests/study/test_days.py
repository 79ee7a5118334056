"""Study days: the night belongs to the evening, and neither summer time nor a clock set back moves one."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import select

from app.accounts.learner import Preferences
from app.db import tables as t
from app.db.engine import Database
from app.study import service
from app.study.results import Done, Showing
from tests.conftest import add_cards
from tests.study.room import Room


def test_two_in_the_morning_belongs_to_the_evening(room: Room, db: Database) -> None:
    add_cards(db, "a", "b")
    room.clock.now = datetime(2026, 11, 30, 1, 0, tzinfo=UTC)  # 02:00 in Berlin
    room.answer(4)
    with db.read() as conn:
        state = service.state_of(conn, room.learner, "a")
        row = conn.execute(select(t.event)).one()
    assert (row.study_day, row.offset_minutes) == (date(2026, 11, 29), 60)
    assert state.last_day == date(2026, 11, 29)


def test_a_step_over_the_rollover_waits_for_the_new_day(room: Room, db: Database) -> None:
    add_cards(db, "a")
    room.clock.now = datetime(2026, 11, 30, 2, 55, tzinfo=UTC)  # 03:55 in Berlin
    assert room.answer(3).interval == "1 day"
    assert isinstance(room.next(), Done)
    room.clock.advance(minutes=6)
    assert room.shown().card.id == "a"
    room.replayed()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (datetime(2026, 3, 28, 20, tzinfo=UTC), datetime(2026, 3, 29, 20, tzinfo=UTC)),
        (datetime(2026, 10, 24, 20, tzinfo=UTC), datetime(2026, 10, 25, 20, tzinfo=UTC)),
    ],
)
def test_summer_time_moves_no_day(room: Room, db: Database, before: datetime, after: datetime) -> None:
    """Evening to evening is one day, though it has 23 or 25 hours; 01:30 UTC is the new day in both."""
    room.learner = replace(room.learner, prefers=Preferences(learning_steps=()))
    add_cards(db, "a")
    room.clock.now = before
    given = room.answer(2)
    assert given.state.due_day == after.date()
    assert isinstance(room.next(), Done)
    done = room.next()
    assert isinstance(done, Done)
    assert done.next_due == room.learner.day_start(after.date())
    assert done.next_due.astimezone(tz=None) - before < timedelta(hours=9)
    room.clock.now = done.next_due
    assert room.shown().card.id == "a"
    room.replayed()


def test_a_clock_set_back_loses_nothing(room: Room, db: Database) -> None:
    add_cards(db, "a", "b")
    room.answer(4)
    room.clock.advance(days=-3)
    room.answer(3)
    room.clock.advance(days=20)
    assert room.counts().total == 2
    room.answer(3)
    room.clock.advance(days=-10)
    given = room.answer(3) if isinstance(room.next(), Showing) else None
    room.replayed()
    assert given is None or given.state.last_day is not None

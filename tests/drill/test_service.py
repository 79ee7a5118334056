"""Takes on a real database: saved once, taken back, and scheduled like every other answer."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from app.accounts import store as learners
from app.accounts.learner import Learner
from app.db import tables as t
from app.db.engine import Database
from app.drill import attempt as attempts
from app.drill import service
from app.drill.attempt import Attempt
from app.drill.pitch import Take
from app.study import service as study
from app.study.scheduling import CardId
from app.web.errors import Invalid, NotFound
from tests.conftest import MovableClock, add_cards

PITCH = CardId("pitch")


@pytest.fixture
def learner(db: Database) -> Learner:
    add_cards(db, "pitch", "decode", queue="drill", deck="spoken")
    with db.read() as conn:
        return learners.get(conn, learners.FIRST, "UTC")


def said(learner: Learner, clock: MovableClock, ms: int = 87_000, **how: bool) -> Attempt:
    flags = {"interrupted": False, "notes_shown": False, **how}
    return attempts.begin(learner.id, PITCH).finish(clock.now, ms, **flags)


def save(
    db: Database, learner: Learner, clock: MovableClock, attempt: Attempt, grade: int = 3, *ticks: str
) -> Take:
    with db.write() as conn:
        return service.save(conn, learner, clock.now, attempt, grade, ticks)


def count(db: Database, table: str) -> int:
    with db.read() as conn:
        return int(conn.scalar(select(func.count()).select_from(t.metadata.tables[table])) or 0)


def test_a_take_is_kept_with_all_that_is_known_of_it(
    db: Database, learner: Learner, clock: MovableClock
) -> None:
    take = save(db, learner, clock, said(learner, clock, interrupted=True, notes_shown=True), 2, "p2")
    assert (take.spoken_ms, take.planned_s, take.ticks, take.grade) == (87_000, 90, ("p2",), 2)
    assert (take.interrupted, take.notes_shown, take.undone) == (True, True, False)
    assert [p.id for p in take.points] == ["p1", "p2"]
    with db.read() as conn:
        assert service.history(conn, learner, PITCH) == (take,)


def test_saving_twice_keeps_one_take_and_one_event(
    db: Database, learner: Learner, clock: MovableClock
) -> None:
    attempt = said(learner, clock)
    first = save(db, learner, clock, attempt, 3, "p1")
    clock.advance(minutes=1)
    assert save(db, learner, clock, attempt, 1) == first
    assert count(db, "take") == count(db, "event") == 1


def test_two_takes_of_one_card_both_count(db: Database, learner: Learner, clock: MovableClock) -> None:
    save(db, learner, clock, said(learner, clock), 1)
    save(db, learner, clock, said(learner, clock), 3)
    assert count(db, "take") == count(db, "event") == 2


def test_a_tick_that_no_point_has_is_refused_and_nothing_is_kept(
    db: Database, learner: Learner, clock: MovableClock
) -> None:
    with pytest.raises(Invalid, match="tick them again"):
        save(db, learner, clock, said(learner, clock), 3, "p1", "p9")
    assert count(db, "take") == count(db, "event") == 0


def test_a_pitch_has_no_minute_steps(db: Database, learner: Learner, clock: MovableClock) -> None:
    save(db, learner, clock, said(learner, clock), 1)
    with db.read() as conn:
        state = study.state_of(conn, learner, PITCH)
    assert state.due_at is None
    assert state.due_day is not None
    assert state.due_day > learner.day(clock.now)


def test_the_log_keeps_the_whole_time_of_a_long_take(
    db: Database, learner: Learner, clock: MovableClock
) -> None:
    save(db, learner, clock, said(learner, clock, ms=95_000))
    with db.read() as conn:
        assert conn.execute(select(t.event.c.kind, t.event.c.ms)).one() == ("drill", 95_000)


def test_due_pitches_come_first_then_new_ones(db: Database, learner: Learner, clock: MovableClock) -> None:
    with db.read() as conn:
        assert [c.card_id for c in service.choices(conn, learner, clock.now)] == ["pitch", "decode"]
    save(db, learner, clock, said(learner, clock), 1)
    with db.read() as conn:
        assert [c.card_id for c in service.choices(conn, learner, clock.now)] == ["decode", "pitch"]
        later = clock.now + timedelta(days=30)
        assert [c.card_id for c in service.choices(conn, learner, later)] == ["pitch", "decode"]


def test_what_today_asks_for_falls_by_what_was_said(
    db: Database, learner: Learner, clock: MovableClock
) -> None:
    with db.read() as conn:
        before = service.today(conn, learner, clock.now)
    assert (before.due, before.new, before.planned_s, before.first) == (0, 2, 180, "pitch")
    save(db, learner, clock, said(learner, clock))
    with db.read() as conn:
        after = service.today(conn, learner, clock.now)
    assert (after.due, after.new, after.planned_s, after.first) == (0, 1, 90, "decode")


def test_undo_restores_the_card_and_keeps_the_take_marked(
    db: Database, learner: Learner, clock: MovableClock
) -> None:
    with db.read() as conn:
        before = study.state_of(conn, learner, PITCH)
    take = save(db, learner, clock, said(learner, clock))
    for _ in range(2):
        with db.write() as conn:
            service.undo(conn, learner, clock.now, take.event_id)
    with db.read() as conn:
        assert study.state_of(conn, learner, PITCH) == before
        assert [k.undone for k in service.history(conn, learner, PITCH)] == [True]
        assert service.choices(conn, learner, clock.now)[0].pitch.last is None
        assert service.take(conn, learner, PITCH, take.id).undone
    assert count(db, "take") == 1


def test_an_undone_take_can_be_rated_anew(db: Database, learner: Learner, clock: MovableClock) -> None:
    take = save(db, learner, clock, said(learner, clock, notes_shown=True), 1, "p1")
    with db.write() as conn:
        undone = service.undo(conn, learner, clock.now, take.event_id)
    again = save(db, learner, clock, attempts.rate_again(learner.id, undone), 4, "p1", "p2")
    assert (again.grade, again.spoken_ms, again.notes_shown) == (4, take.spoken_ms, True)
    with db.read() as conn:
        kept = [(k.id, k.undone) for k in service.history(conn, learner, PITCH)]
        assert kept == [(again.id, False), (take.id, True)]


def test_the_log_of_takes_and_undos_rebuilds_the_state(
    db: Database, learner: Learner, clock: MovableClock
) -> None:
    for grade in (3, 1, 2, 4, 3):
        take = save(db, learner, clock, said(learner, clock), grade)
        if grade != 4:
            with db.write() as conn:
                service.undo(conn, learner, clock.now, take.event_id)
        clock.advance(days=grade)
    with db.read() as conn:
        assert study.replay(conn) == ()


def test_points_that_change_later_leave_old_takes_as_they_were(
    db: Database, learner: Learner, clock: MovableClock
) -> None:
    take = save(db, learner, clock, said(learner, clock), 3, "p1")
    body = {"time_s": 30, "points": [{"id": "n", "text": "new", "text_html": "new", "hear": [], "doubt": []}]}
    with db.write() as conn:
        conn.execute(update(t.note).where(t.note.c.key == "pitch").values(body=body))
    with db.read() as conn:
        assert service.take(conn, learner, PITCH, take.id) == take
        assert service.pitch(conn, learner, PITCH).planned_s == 30


def test_unknown_things_are_told_in_a_sentence(db: Database, learner: Learner, clock: MovableClock) -> None:
    add_cards(db, "plain")
    take = save(db, learner, clock, said(learner, clock))
    with db.read() as conn:
        for unknown in ("nothing", "plain"):
            with pytest.raises(NotFound, match="no spoken card"):
                service.pitch(conn, learner, CardId(unknown))
        with pytest.raises(NotFound):
            service.take(conn, learner, CardId("decode"), take.id)


def test_a_longer_list_asks_no_more_of_the_database(
    db: Database, learner: Learner, clock: MovableClock
) -> None:
    def queries() -> int:
        asked: list[str] = []
        with db.read() as conn:
            conn.connection.dbapi_connection.set_trace_callback(asked.append)  # type: ignore[union-attr]
            service.choices(conn, learner, clock.now)
            conn.connection.dbapi_connection.set_trace_callback(None)  # type: ignore[union-attr]
        return len(asked)

    few = queries()
    add_cards(db, *(f"more-{n}" for n in range(30)), queue="drill", deck="spoken")
    assert queries() == few

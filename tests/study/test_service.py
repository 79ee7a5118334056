"""The service on a real database file: each answer once, undo exact, counts that fall by what left."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from app.accounts.learner import Preferences
from app.db import tables as t
from app.db.engine import Database
from app.study import service
from app.study.memory import Grade
from app.study.queue import Counts
from app.study.results import Done
from app.web.errors import Conflict, Invalid
from tests.conftest import add_cards
from tests.study.room import Room


def test_an_empty_library_is_done(room: Room) -> None:
    assert room.next() == Done(Counts(0, 0, 0), 0, 0, None, None, next_due=None)


def test_the_first_card_and_its_answer(room: Room, db: Database) -> None:
    add_cards(db, "a", "b")
    first = room.shown()
    assert (first.card.id, first.counts, first.done) == ("a", Counts(2, 0, 0), 0)
    given = room.answer(3)
    assert (given.card_id, given.grade, given.interval) == ("a", Grade.GOOD, "10 min")
    assert room.counts() == Counts(new=1, learning=1, review=0)
    assert room.shown().card.id == "b"
    room.replayed()


def test_a_repeat_gives_the_first_result_and_changes_nothing(room: Room, db: Database) -> None:
    add_cards(db, "a", "b")
    showing = room.shown()
    first = room.answer(3, showing, idem="shown-once")
    room.clock.advance(minutes=3)
    assert room.answer(1, showing, idem="shown-once") == first
    assert room.rows() == (1, 0)


def test_a_card_answered_in_another_tab_is_refused(room: Room, db: Database) -> None:
    add_cards(db, "a")
    one, other = room.shown(), room.shown()
    room.answer(3, one)
    with pytest.raises(Conflict, match="elsewhere meanwhile"):
        room.answer(1, other)
    assert room.rows() == (1, 0)


def test_a_card_edited_or_retired_meanwhile_is_refused(room: Room, db: Database) -> None:
    add_cards(db, "a", "b")
    showing = room.shown()
    with db.write() as conn:
        conn.execute(update(t.note).where(t.note.c.key == "a").values(revision=2))
    with pytest.raises(Conflict, match="changed elsewhere"):
        room.answer(3, showing)
    showing = room.shown()
    with db.write() as conn:
        conn.execute(update(t.card).where(t.card.c.id == "a").values(retired_at=datetime.now(UTC)))
    with pytest.raises(Conflict, match="left its deck"):
        room.answer(3, showing)
    assert room.shown().card.id == "b"


@pytest.mark.parametrize("grade", [0, 5, -1])
def test_a_grade_out_of_range_is_told(room: Room, db: Database, grade: int) -> None:
    add_cards(db, "a")
    with pytest.raises(Invalid, match="must be 1"):
        room.answer(grade)


@pytest.mark.parametrize(
    ("ms", "kept"), [(-5000, 0), (0, 0), (4000, 4000), (86_400_000, 60_000), (None, None)]
)
def test_time_to_answer_is_capped_and_never_negative(
    room: Room, db: Database, ms: int | None, kept: int | None
) -> None:
    add_cards(db, "a")
    room.answer(3, ms=ms)
    with db.read() as conn:
        assert conn.scalar(select(t.event.c.ms)) == kept


def test_an_answer_hides_the_siblings_until_the_next_study_day(room: Room, db: Database) -> None:
    add_cards(db, "n.1", "n.2", "n.3", "z")
    assert room.counts() == Counts(4, 0, 0)
    room.answer(4)
    assert room.counts() == Counts(1, 0, 0)
    assert room.shown().card.id == "z"
    room.answer(4)
    done = room.next()
    assert isinstance(done, Done)
    assert done.next_due == datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
    room.clock.now = datetime(2026, 11, 30, 8, tzinfo=UTC)
    assert room.shown().card.id == "n.2"
    room.replayed()


def test_limits_and_what_undo_gives_back(room: Room, db: Database) -> None:
    room.learner = replace(room.learner, prefers=Preferences(new_per_day=2, learning_steps=()))
    add_cards(db, *"abcd")
    add_cards(db, "x", "y", "z", deck="other/deck")
    assert room.counts().new == 4
    given = room.answer(3)
    assert room.counts().new == 3
    room.undo(given.event)
    assert room.counts().new == 4
    for _ in range(4):
        room.answer(3)
    assert isinstance(room.next(), Done)
    room.clock.advance(days=1)
    assert room.counts() == Counts(new=3, learning=0, review=0)


def test_reviews_have_a_limit_too(room: Room, db: Database) -> None:
    add_cards(db, *"abcd")
    for _ in range(4):
        room.answer(4)
    room.learner = replace(room.learner, prefers=Preferences(reviews_per_day=3))
    room.clock.advance(days=30)
    assert room.counts() == Counts(0, 0, 3)
    room.answer(3)
    assert room.counts() == Counts(0, 0, 2)
    room.answer(1)
    assert room.counts() == Counts(0, 1, 1)


def test_a_failure_in_the_middle_leaves_nothing(
    room: Room, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_cards(db, "n.1", "n.2")
    showing = room.shown()

    def broken(*_: object) -> None:
        raise RuntimeError("power cut")

    with monkeypatch.context() as patched:
        patched.setattr("app.study.store.put_buried", broken)
        with pytest.raises(RuntimeError, match="power cut"):
            room.answer(3, showing)
    assert room.rows() == (0, 0)
    assert room.shown() == showing
    room.answer(3, showing)
    room.replayed()


def test_settings_are_kept_once_for_many_answers(room: Room, db: Database) -> None:
    add_cards(db, "a", "b", "c")
    room.answer(3)
    room.answer(3)
    room.learner = replace(room.learner, prefers=Preferences(retention=0.8))
    room.answer(3)
    with db.read() as conn:
        bodies = list(conn.scalars(select(t.settings_snapshot.c.body)))
    assert [body["scheduler"]["retention"] for body in bodies] == [0.9, 0.8]
    room.replayed()


def test_standings_in_words(room: Room, db: Database) -> None:
    add_cards(db, "a", "b", "n.1", "n.2")
    room.answer(3)
    room.answer(4)
    room.answer(4)
    with db.read() as conn:
        found = service.standings(conn, room.learner, room.clock(), ["a", "b", "n.1", "n.2"])
    assert (found["a"], found["n.2"]) == ("due in 10 minutes", "new, hidden until tomorrow")
    assert re.fullmatch(r"due in (7|8|9|10) days", found["b"])


def test_today_at_a_glance(room: Room, db: Database) -> None:
    add_cards(db, "a", "b", "c")
    room.answer(3, ms=20_000)
    with db.read() as conn:
        glance = service.today(conn, room.learner, room.clock())
    assert (glance.counts, glance.done, glance.minutes) == (Counts(2, 1, 0), 1, 2)
    assert glance.next_due == room.clock()


def test_spoken_cards_have_a_queue_of_their_own(room: Room, db: Database) -> None:
    add_cards(db, "a")
    add_cards(db, "pitch", queue="drill")
    assert room.counts().total == 1
    now = room.clock()
    with db.write() as conn:
        choices = service.preview_spoken(conn, room.learner, now, "pitch")
        assert (choices[0].word, choices[0].interval) == ("Again", "1 day")
        said = service.answer_spoken(
            conn, room.learner, now, card_id="pitch", grade=3, ms=95_000, idem="take:1", detail={"take": 1}
        )
        repeat = service.answer_spoken(
            conn, room.learner, now, card_id="pitch", grade=1, ms=1, idem="take:1", detail={}
        )
        assert said == repeat
        assert said.state.state == "review"
        assert conn.scalar(select(t.event.c.ms)) == 95_000
    assert (room.counts().total, room.shown().undoable) == (1, None)
    room.replayed()
    with db.read() as conn:
        (spoken,) = service.due_spoken(conn, room.learner, now + timedelta(days=9))
        assert (spoken.card_id, spoken.due) == ("pitch", True)
    room.undo(said.event)
    with db.read() as conn:
        assert service.state_of(conn, room.learner, "pitch").state == "new"
    with db.write() as conn, pytest.raises(Invalid, match="spoken cards only"):
        service.answer_spoken(conn, room.learner, now, card_id="a", grade=3, ms=1, idem="x", detail={})
    room.replayed()

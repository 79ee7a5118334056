"""What SQL sums up, against the log read whole and counted one by one; and no query that reads a table through."""

import contextlib
import random
import shutil
import sqlite3
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, select, update

from app.accounts.learner import Learner, LearnerId
from app.db import tables as t
from app.db.engine import Database
from app.db.migrate import SCRIPTS, upgrade
from app.progress import service, stats, store
from app.progress.stats import Day, Recall, Share
from app.study import changes
from app.study import service as study
from app.study.results import Showing
from tests.conftest import MovableClock, add_cards

ME = Learner(LearnerId(1), "Europe/Berlin", 4)


def sitting(conn: Connection, clock: MovableClock, draw: random.Random, turns: int) -> list[int]:
    """Some answers, of which some are taken back, and some of these given again; the events that stand."""
    given: list[int] = []
    for turn in range(turns):
        now = clock()
        if given and draw.random() < 0.2:
            taken_back = given.pop()
            changes.undo(conn, ME, now, taken_back)
            if draw.random() < 0.4:
                changes.redo(conn, ME, now, taken_back)
                given.append(taken_back)
        elif draw.random() < 0.15:
            said = {"grade": draw.randint(1, 4), "ms": draw.choice([30_000, 90_000, 9_000_000])}
            key = f"say-{now}-{turn}"
            given.append(
                study.answer_spoken(conn, ME, now, card_id="pitch", idem=key, detail={}, **said).event
            )
        else:
            shown = study.next_card(conn, ME, now)
            if isinstance(shown, Showing):
                card = shown.card
                answer = {
                    "grade": draw.choices([1, 2, 3, 4], [1, 1, 3, 5])[0],
                    "ms": draw.choice([None, 4000, 90_000]),
                }
                answer |= {"card_id": card.id, "revision": card.revision, "idem": f"{now}-{turn}"}
                given.append(study.answer(conn, ME, now, **answer).event)
        clock.advance(minutes=12)
    return given


def slow(conn: Connection) -> list[Day]:
    """The days as one would count them by hand from the log."""
    newest = {row.event_id: row.kind for row in conn.execute(select(t.undo).order_by(t.undo.c.id))}
    undone = {event_id for event_id, kind in newest.items() if kind == "undo"}
    by_day: dict[date, list[dict[str, object]]] = defaultdict(list)
    for row in conn.execute(select(t.event).order_by(t.event.c.id)).mappings():
        if row["id"] not in undone and row["kind"] in ("review", "drill"):
            by_day[row["study_day"]].append(dict(row))
    days = []
    for day, rows in sorted(by_day.items()):
        seen, young, mature, seconds = set(), [], [], 0.0
        for row in rows:
            cap = 60_000 if row["kind"] == "review" else 600_000
            seconds += min(row["ms"] or 0, cap) / 1000
            if row["card_id"] not in seen and row["kind"] == "review" and row["before"]["state"] == "review":
                (mature if row["before"]["interval"] >= 21 else young).append(row["grade"] > 1)
            seen.add(row["card_id"])
        spoken = sum(row["kind"] == "drill" for row in rows)
        recall = Recall(Share(sum(young), len(young)), Share(sum(mature), len(mature)))
        days.append(Day(day, len(rows), spoken, pytest.approx(seconds), recall))
    return days


@pytest.fixture
def cards(db: Database) -> Database:
    add_cards(db, "a", "b", "n.1", "n.2", "c", "d", "e", deck="test/deck")
    add_cards(db, "f", "g", deck="other", level="IC6")
    add_cards(db, "pitch", queue="drill")
    return db


@pytest.mark.parametrize("seed", range(4))
def test_days_are_as_counted_by_hand(cards: Database, clock: MovableClock, seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(12):
        with cards.write() as conn:
            sitting(conn, clock, draw, 9)
        clock.advance(days=draw.choice([1, 5, 25, 60]))
    with cards.read() as conn:
        found = store.days(conn, ME.id)
        assert found == slow(conn)
        assert any(day.recall.mature.of for day in found)
        groups = store.groups(conn, ME.id, date(2000, 1, 1))
        assert sum((group.standing.share for group in groups), Share()) == stats.recall(found).both
        assert {(g.deck, g.level, g.standing.cards, g.standing.pitches) for g in groups} == {
            ("other", "IC6", 2, 0),
            ("test/deck", "IC4", 7, 1),
        }
        assert {(g.deck, g.level): (g.standing.seen, g.standing.mature, g.standing.said) for g in groups} == {
            place: seen_by_hand(conn, *place) for place in (("other", "IC6"), ("test/deck", "IC4"))
        }
        due = store.due(conn, ME.id, clock().date() + timedelta(days=9000))
        known = conn.execute(select(t.card_state).where(t.card_state.c.state != "new")).all()
        assert sum(read + spoken for read, spoken in due.values()) == len(known)


def seen_by_hand(conn: Connection, deck: str, level: str) -> tuple[int, int, int]:
    """The cards of the deck and level that were seen, of these the mature ones, and those that were said."""
    here = {row.key for row in conn.execute(select(t.note)) if (row.deck_name, row.level) == (deck, level)}
    queues = {row.id: row.queue for row in conn.execute(select(t.card)) if row.note_key in here}
    states = [
        row for row in conn.execute(select(t.card_state)) if row.state != "new" and row.card_id in queues
    ]
    read = [row for row in states if queues[row.card_id] == "study"]
    mature = [row for row in read if row.state == "review" and row.interval >= 21]
    return len(read), len(mature), len(states) - len(read)


def test_topics_leave_out_what_is_retired_or_of_somebody_else(cards: Database, clock: MovableClock) -> None:
    with cards.write() as conn:
        for card in "abf":
            values = {"learner_id": 1, "card_id": card, "state": "review", "interval": 30, "reps": 1}
            conn.execute(t.card_state.insert().values(values))
        other = {"id": 2, "name": "other", "rollover": 4, "created_at": clock()}
        conn.execute(t.learner.insert().values(other))
        conn.execute(update(t.card).where(t.card.c.id.in_(["a", "c"])).values(retired_at=clock()))
        conn.execute(update(t.note).where(t.note.c.key == "f").values(owner_id=2))
        found = store.groups(conn, ME.id, clock().date())
        assert [(g.deck, g.standing.cards, g.standing.seen, g.standing.mature) for g in found] == [
            ("other", 1, 0, 0),
            ("test/deck", 5, 1, 1),
        ]
        conn.execute(update(t.note).where(t.note.c.key == "g").values(owner_id=2))
        assert [g.deck for g in store.groups(conn, ME.id, clock().date())] == ["test/deck"]


def test_a_card_called_into_today_and_not_answered_is_not_seen(cards: Database, clock: MovableClock) -> None:
    with cards.write() as conn:
        assert changes.call(conn, ME, clock(), "a")
        assert sum(group.standing.seen for group in store.groups(conn, ME.id, clock().date())) == 0


def test_an_undone_first_answer_makes_the_next_one_the_first(cards: Database, clock: MovableClock) -> None:
    with cards.write() as conn:
        first, second = (answer(conn, clock, card="a", grade=grade) for grade in (1, 3))
        assert firsts(conn) == {first}
        undone(conn, clock, first, "undo")
        assert firsts(conn) == {second}
        undone(conn, clock, first, "redo")
        assert firsts(conn) == {first}
        undone(conn, clock, first, "undo")
        undone(conn, clock, second, "undo")
        assert firsts(conn) == set()
        assert store.days(conn, ME.id) == []


def answer(conn: Connection, clock: MovableClock, card: str, grade: int) -> int:
    """An answer as a row of the log alone."""
    row = {"learner_id": 1, "card_id": card, "kind": "review", "at": clock(), "study_day": date(2026, 11, 29)}
    row |= {"offset_minutes": 0, "grade": grade, "before": {"state": "review", "interval": 30}}
    return conn.execute(t.event.insert().values(row)).inserted_primary_key[0]


def undone(conn: Connection, clock: MovableClock, event_id: int, kind: str) -> None:
    conn.execute(t.undo.insert().values(event_id=event_id, kind=kind, at=clock()))


def firsts(conn: Connection) -> set[int]:
    return set(conn.scalars(select(t.answered.c.event_id).where(t.answered.c.first)))


def test_crams_and_marks_are_no_study(cards: Database, clock: MovableClock) -> None:
    with cards.write() as conn:
        event_id = answer(conn, clock, "a", 1)
        for kind, grade in (("cram", 1), ("bury", None)):
            row = {"learner_id": 1, "card_id": "a", "kind": kind, "at": clock(), "grade": grade}
            conn.execute(
                t.event.insert().values(row | {"study_day": date(2026, 11, 29), "offset_minutes": 0})
            )
        assert list(conn.scalars(select(t.answered.c.event_id))) == [event_id]


def test_a_later_rollover_hour_or_zone_moves_no_day(cards: Database, clock: MovableClock) -> None:
    with cards.write() as conn:
        sitting(conn, clock, random.Random(1), 6)
        before = store.days(conn, ME.id)
        conn.execute(update(t.learner).values(rollover=12, zone="Asia/Tokyo"))
        assert store.days(conn, ME.id) == before


def test_suspended_and_retired_cards_do_not_come(cards: Database, clock: MovableClock) -> None:
    with cards.write() as conn:
        for card in "abc":
            values = {"learner_id": 1, "card_id": card, "state": "review", "due_day": clock().date()}
            conn.execute(t.card_state.insert().values(values | {"suspended": card == "b", "interval": 3}))
        conn.execute(update(t.card).where(t.card.c.id == "c").values(retired_at=clock()))
        assert sum(due.read for due in service.forecast(conn, ME, clock())) == 1


def test_a_log_from_before_is_summed_up_by_the_migration(
    cards: Database, clock: MovableClock, tmp_path: Path
) -> None:
    """The rows that the migration makes of an old log are those that the triggers make of the same log."""
    with cards.write() as conn:
        sitting(conn, clock, random.Random(5), 40)
    old = tmp_path / "old.db"
    upgrade(old, without_answered(tmp_path / "alembic"))
    with contextlib.closing(sqlite3.connect(old)) as raw, raw:
        raw.execute("ATTACH ? AS new", [str(cards.path)])
        tables = ("learner", "settings_snapshot", "deck", "note", "card", "event", "undo")
        for table in tables:
            names = ", ".join(
                row[1] for row in raw.execute(f"PRAGMA main.table_xinfo({table})") if row[6] == 0
            )
            raw.execute(f"INSERT INTO main.{table} ({names}) SELECT {names} FROM new.{table}")
    upgrade(old)
    with contextlib.closing(sqlite3.connect(old)) as raw:
        raw.execute("ATTACH ? AS new", [str(cards.path)])
        rows = raw.execute("SELECT * FROM main.answered").fetchall()
        assert rows == raw.execute("SELECT * FROM new.answered").fetchall()
        assert len(rows) > 10


def without_answered(scripts: Path) -> Path:
    """A copy of the migrations that ends before the one that makes `answered`."""
    shutil.copytree(SCRIPTS, scripts)
    gone = ["0009"]
    for revision in gone:
        for file in scripts.glob("versions/*.py"):
            text = file.read_text()
            gone += [file.name[:4]] if f'down_revision = "{revision}"' in text else []
            if f'\nrevision = "{revision}"' in text:
                file.unlink()
    return scripts


@pytest.mark.parametrize("value", ["", "{}", "null", "[1]", "{"])
def test_a_damaged_state_is_an_answer_without_an_interval(
    cards: Database, clock: MovableClock, value: str
) -> None:
    with cards.write() as conn:
        row = "INSERT INTO event (learner_id, card_id, kind, at, study_day, offset_minutes, grade, before, after) "
        values = "VALUES (1, 'a', 'review', '2026-11-29T18:00:00.000Z', '2026-11-29', 0, 3, ?, ?)"
        conn.exec_driver_sql(row + values, (value, value))
        (day,) = store.days(conn, ME.id)
        assert (day.answers, day.recall) == (1, Recall())
        (review,) = service.reviews(conn, ME, after=0)
        assert (review.state_before, review.interval_after) == (None, None)


def test_no_query_reads_a_table_through(cards: Database, clock: MovableClock) -> None:
    """SCAN without a covering index would read every card's text, or every event's states."""
    asked: list[tuple[str, object]] = []
    with cards.read() as conn:

        @event.listens_for(conn, "before_cursor_execute")
        def _heard(_c: object, _u: object, statement: str, values: object, _x: object, _m: object) -> None:
            asked.append((statement, values))

        service.overview(conn, ME, clock())
        service.topics(conn, ME, clock())
        service.reviews(conn, ME, after=0)
        event.remove(conn, "before_cursor_execute", _heard)
        plans = {
            row[3]
            for statement, values in asked
            for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
        }
    scans = {plan for plan in plans if plan.startswith("SCAN") and "COVERING INDEX" not in plan}
    assert all(plan.startswith("SCAN deck") for plan in scans)  # a row for each deck
    assert not [plan for plan in plans if plan.startswith(("SCAN card ", "SCAN note", "SCAN card_state"))]
    assert any("SEARCH answered USING PRIMARY KEY" in plan for plan in plans)
    of_events = {plan for plan in plans if "undone" not in plan and " event " in plan}
    assert of_events <= {"SEARCH event USING INTEGER PRIMARY KEY (rowid>?)"}

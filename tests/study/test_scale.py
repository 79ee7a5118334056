"""What keeps a large library quick: no query of the queue walks through a table, new cards are looked for in place."""

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from sqlalchemy import delete, event, insert, literal_column, select, update
from sqlalchemy.engine import Connection

from app.accounts.learner import Learner, LearnerId
from app.db import tables as t
from app.db.engine import Database
from app.library.values import LEVELS
from app.study import answering, service, store_fresh, store_heaps, store_log, store_queue, store_undo
from app.study.chosen import ALL, Chosen
from app.study.queue import Limits
from app.study.scheduling import CardId
from tests.conftest import MovableClock, add_cards
from tests.study.room import Room

# Walking through these few rows, or through what a query itself has made, is no walk through a library.
SMALL = ("deck", "trees", "anon_1", "(subquery", "CONSTANT ROW")


def plans(db: Database, ask: Callable[[Connection], object]) -> list[str]:
    """How SQLite goes about each statement that `ask` makes."""
    asked: list[tuple[str, Any]] = []

    def heard(conn: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        asked.append((statement, parameters))

    event.listen(db._readers, "before_cursor_execute", heard)
    with db.read() as conn:
        ask(conn)
    event.remove(db._readers, "before_cursor_execute", heard)
    with db.read() as conn:
        return [
            str(row[3])
            for statement, parameters in asked
            if statement.startswith("SELECT")
            for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]


CHOSEN = (
    ALL,
    Chosen(deck="test"),
    Chosen(ahead=7),
    Chosen(tag="x", level="IC5"),
    Chosen(tag="soft", core=True),
)


@pytest.mark.parametrize("chosen", CHOSEN)
def test_no_query_of_the_queue_walks_through_a_table(
    db: Database, learner: Learner, clock: MovableClock, room: Room, chosen: Chosen
) -> None:
    add_cards(db, "a", "b", "n.1", "n.2")
    with db.write() as conn:
        conn.execute(insert(t.note_tag), {"note_key": "b", "tag": "soft"})
    room.answer(3)
    now, day, limits = clock(), learner.day(clock()), answering.limits(learner)

    def ask(conn: Connection) -> None:
        service.counts(conn, learner, now) if chosen.tag else service.next_card(conn, learner, now, chosen)
        store_queue.learning(conn, learner.id, day, chosen)
        store_heaps.reviews(conn, learner.id, day, chosen, limits)
        store_heaps.review(conn, learner.id, day, chosen, CardId("a"))
        store_heaps.new(conn, learner.id, day, chosen, limits)
        store_queue.done(conn, learner.id, day)
        store_queue.next_day(conn, learner.id, day, chosen)
        store_queue.left_over(conn, learner.id, day, chosen, limits)
        store_queue.crammed(conn, learner.id, 0)
        store_queue.newest_cram(conn, learner.id)
        store_queue.spent(conn, learner.id)
        store_undo.newest_of_day(conn, learner.id, day)
        store_undo.newest_of_note(conn, learner.id, "a")
        store_undo.redoable(conn, learner.id, day)
        store_log.event_by_idem(conn, learner.id, "key-1")

    walked = [plan for plan in plans(db, ask) if plan.startswith("SCAN")]
    assert [plan for plan in walked if not plan.removeprefix("SCAN ").startswith(SMALL)] == []


def begins(db: Database) -> dict[str, int]:
    """From which turn on each deck has new cards, as it is remembered."""
    with db.read() as conn:
        return {row.deck_name: row.turn for row in conn.execute(select(t.fresh_from))}


def turn(db: Database, key: str) -> int:
    with db.read() as conn:
        found: int = conn.scalars(select(t.note.c.turn).where(t.note.c.key == key)).one()
        return found


def test_a_turn_is_core_first_then_level_then_place(db: Database) -> None:
    for level in (*LEVELS, ""):
        add_cards(db, f"{level}-1", f"{level}-2", level=level)
    with db.write() as conn:
        conn.execute(update(t.note).where(t.note.c.key.like("%-2")).values(core=False))
        order = conn.scalars(select(t.note.c.key).order_by(t.note.c.turn)).all()
    assert order == [f"{level}-{n}" for n in (1, 2) for level in (*LEVELS, "")]


IN_TURN = """
    SELECT c.id, d.tree, n.level, n.core, coalesce(x.tag, '') AS tag
    FROM card AS c JOIN note AS n ON n.key = c.note_key JOIN deck AS d ON d.name = n.deck_name
    LEFT JOIN card_state AS s ON s.card_id = c.id LEFT JOIN note_tag AS x ON x.note_key = n.key
    WHERE s.card_id IS NULL OR s.state = 'new' AND NOT s.suspended
    ORDER BY n.turn / 1000000000, d.position, n.position, c.ord
"""
STATE = "INSERT INTO card_state (learner_id, card_id, state, suspended) SELECT 1, id, ?, ? FROM card WHERE note_key = ?"


def shuffled(db: Database, draw: random.Random) -> None:
    """Three decks in two trees, some of whose cards are core, tagged, answered, suspended."""
    for at, deck in enumerate(("a/x", "a/y", "b")):
        add_cards(db, *(f"{at}-{n}" for n in range(9)), f"{at}n.1", f"{at}n.2", deck=deck)
    with db.write() as conn:
        conn.execute(update(t.deck).values(position=literal_column("rowid")))
        for at, key in enumerate(conn.scalars(select(t.note.c.key)).all()):
            place = {"core": draw.random() < 0.4, "level": draw.choice([*LEVELS, ""]), "position": at}
            conn.execute(update(t.note).where(t.note.c.key == key).values(place))
            if draw.random() < 0.5:
                conn.execute(insert(t.note_tag), {"note_key": key, "tag": "soft"})
            if draw.random() < 0.4:
                conn.exec_driver_sql(STATE, (draw.choice(["new", "review"]), draw.random() < 0.2, key))
        for deck in ("a/x", "a/y", "b"):
            store_fresh.advance(conn, LearnerId(1), deck)


@pytest.mark.parametrize("few", [0, 99])  # cards of a tag: by the decks in their turns, by the tag
@pytest.mark.parametrize("seed", range(3))
def test_new_cards_of_a_tag_a_level_or_the_core_are_those_that_the_decks_have(
    db: Database, learner: Learner, clock: MovableClock, monkeypatch: pytest.MonkeyPatch, seed: int, few: int
) -> None:
    monkeypatch.setattr(store_fresh, "FEW", few)
    shuffled(db, random.Random(seed))
    day, limits = learner.day(clock()), Limits(new=3, reviews=9)
    with db.read() as conn:
        in_turn = conn.exec_driver_sql(IN_TURN).all()
        for tag, level, core in product(("", "soft"), ("", *LEVELS), (False, True)):
            chosen = Chosen(tag=tag, level=level, core=core)
            wanted = [
                card
                for card in in_turn
                if tag in ("", card.tag) and level in ("", card.level) and card.core >= core
            ]
            found = {heap.tree: heap for heap in store_heaps.new(conn, learner.id, day, chosen, limits)}
            assert set(found) == {card.tree for card in wanted}
            for tree, heap in found.items():
                its = [card.id for card in wanted if card.tree == tree]
                assert (heap.first, heap.count) == (its[0], min(len(its), 3))
            assert store_queue.left_over(conn, learner.id, day, chosen, limits) == bool(wanted)


def test_an_answer_moves_on_where_new_cards_begin_and_undo_moves_it_back(room: Room, db: Database) -> None:
    add_cards(db, "a", "b", "c")
    room.answer(3)
    room.answer(3)
    assert begins(db) == {"test/deck": turn(db, "c")}
    room.undo_newest()
    assert begins(db) == {"test/deck": turn(db, "b")}
    assert room.shown().card.id == "b"
    room.redo_newest()
    room.answer(4)
    assert begins(db) == {"test/deck": store_fresh.PAST_ALL}
    room.undo_newest()
    assert begins(db) == {"test/deck": turn(db, "c")}
    assert room.shown().card.id == "c"


def test_a_suspended_or_buried_card_is_not_passed(room: Room, db: Database) -> None:
    add_cards(db, "a", "b", "c")
    room.mark("a", suspended=True)
    room.mark("b", buried=True)
    room.answer(4)
    assert begins(db) == {"test/deck": turn(db, "a")}
    room.mark("a", suspended=False)
    assert room.shown().card.id == "a"


def test_cards_that_come_in_before_are_found(room: Room, db: Database) -> None:
    add_cards(db, "m1", "m2", "m3", level="IC5")
    for _ in range(3):
        room.answer(4)
    assert room.counts().new == 0
    add_cards(db, "first", level="IC4")
    assert room.shown().card.id == "first"
    room.answer(4)
    assert room.counts().new == 0
    add_cards(db, "n.1", level="IC4")
    room.answer(4)
    add_cards(db, "n.2", level="IC4")
    room.clock.advance(days=1)
    assert "n.2" in new_cards(room)


def new_cards(room: Room) -> list[str]:
    with room.db.read() as conn:
        day, limits = room.learner.day(room.clock()), answering.limits(room.learner)
        return [heap.first for heap in store_heaps.new(conn, room.learner.id, day, ALL, limits)]


@pytest.mark.parametrize(
    "change",
    [
        {"level": "eli5"},
        {"core": True},
        {"position": -1},
        {"deck_name": "test/other"},
    ],
)
def test_a_note_that_moves_forward_is_found(room: Room, db: Database, change: dict[str, object]) -> None:
    add_cards(db, "o1", "o2", deck="test/other")
    add_cards(db, "a", "b", "z")
    with db.write() as conn:
        conn.execute(update(t.note).where(t.note.c.key == "z").values(core=False))
        for deck in ("test/deck", "test/other"):
            store_fresh.advance(conn, room.learner.id, deck)
    for _ in range(4):
        room.answer(4)
    with db.write() as conn:
        conn.execute(update(t.note).where(t.note.c.key == "z").values(**change))
    assert new_cards(room) == ["z"]


def test_a_card_that_comes_back_into_its_deck_is_found(room: Room, db: Database, clock: MovableClock) -> None:
    add_cards(db, "a", "b")
    with db.write() as conn:
        conn.execute(update(t.card).where(t.card.c.id == "a").values(retired_at=clock()))
    room.answer(4)
    assert begins(db) == {"test/deck": store_fresh.PAST_ALL}
    with db.write() as conn:
        conn.execute(update(t.card).where(t.card.c.id == "a").values(retired_at=None))
    assert new_cards(room) == ["a"]


def test_a_state_that_is_thrown_away_makes_its_card_new(room: Room, db: Database) -> None:
    add_cards(db, "a", "b")
    room.answer(4)
    room.answer(4)
    with db.write() as conn:
        conn.execute(delete(t.card_state).where(t.card_state.c.card_id == "a"))
    assert new_cards(room) == ["a"]


def test_the_newest_event_of_a_note_is_found_by_its_cards(db: Database, learner: Learner) -> None:
    found = plans(db, lambda conn: store_undo.newest_of_note(conn, learner.id, "a"))
    assert found[0].startswith("SEARCH event USING INDEX ix_event_card_id")


def test_new_cards_are_found_by_the_notes_turn_and_their_cards_by_the_note(
    db: Database, learner: Learner, clock: MovableClock
) -> None:
    day, limits = learner.day(clock()), answering.limits(learner)
    asked = (
        plans(db, lambda conn: store_heaps.new(conn, learner.id, day, ALL, limits)),
        plans(db, lambda conn: store_queue.left_over(conn, learner.id, day, ALL, limits)),
    )
    for found in asked:
        assert "SEARCH n USING INDEX ix_note_deck_name_turn (deck_name=? AND turn>?)" in found
        assert any(plan.startswith("SEARCH c USING") and "(note_key=?)" in plan for plan in found)


def test_due_cards_are_found_by_their_day(db: Database, learner: Learner, clock: MovableClock) -> None:
    day = learner.day(clock())
    asked = (
        plans(db, lambda conn: store_queue.learning(conn, learner.id, day, ALL)),
        plans(db, lambda conn: store_queue.next_day(conn, learner.id, day, ALL)),
    )
    by_day = "ix_card_state_learner_id_suspended_state_due_day (learner_id=? AND suspended=? AND state=? AND due_day"
    for found in asked:
        assert any(by_day in plan for plan in found)
        assert any(plan.startswith("SEARCH card USING") and "(id=?" in plan for plan in found)


def test_due_reviews_are_counted_and_led_by_their_index_alone(
    db: Database, learner: Learner, clock: MovableClock
) -> None:
    day, limits = learner.day(clock()), answering.limits(learner)
    found = plans(db, lambda conn: store_heaps.reviews(conn, learner.id, day, ALL, limits))
    seeks = [plan for plan in found if plan.startswith("SEARCH")]
    assert seeks == ["SEARCH due USING PRIMARY KEY (learner_id=? AND tree=? AND due_day<?)"] * 4
    assert not any("TEMP B-TREE FOR ORDER BY" in plan for plan in found)


def test_the_days_events_are_found_by_their_day(db: Database, learner: Learner, clock: MovableClock) -> None:
    day = learner.day(clock())
    for ask in (store_queue.done, store_undo.newest_of_day):
        found = plans(db, lambda conn, ask=ask: ask(conn, learner.id, day))  # type: ignore[misc]
        assert found[0].startswith("SEARCH event USING INDEX ix_event_learner_id_study_day")

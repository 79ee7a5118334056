"""Some cards: filters, cram beside the schedule, reviews ahead of it."""

import random
from datetime import timedelta

import pytest
from sqlalchemy import Connection, insert, select, update

from app.db import tables as t
from app.db.engine import Database
from app.study import picking, service, store_some
from app.study.chosen import Chosen
from app.study.cramming import build
from app.study.memory import Grade
from app.study.queue import Counts
from app.study.results import Done, Showing
from app.study.scheduling import CardId
from app.study.some import Tallied
from app.web.errors import Invalid, NotFound
from tests.conftest import MovableClock, add_cards
from tests.study.room import Room
from tests.study.test_scale import plans


@pytest.fixture
def shelf(db: Database) -> Database:
    """Decks with levels, tags and a core: x4 is IC4 and core, x5 is IC5; "soft" is a tag of a4 and b5."""
    for deck in ("a", "b"):
        add_cards(db, f"{deck}4", deck=f"tree/{deck}", level="IC4")
        add_cards(db, f"{deck}5", deck=f"tree/{deck}", level="IC5")
    with db.write() as conn:
        conn.execute(update(t.note).where(t.note.c.level == "IC5").values(core=False))
        conn.execute(insert(t.note_tag), [{"note_key": key, "tag": "soft"} for key in ("a4", "b5")])
    return db


def all_of(room: Room, chosen: Chosen, grade: int = 4, cram: bool = False) -> list[str]:
    """Answer the chosen cards until none is left."""
    seen = []
    while isinstance(found := room.next(chosen), Showing):
        seen.append(found.card.id)
        room.answer(grade, found, cram=cram)
    return seen


@pytest.mark.parametrize(
    ("chosen", "cards"),
    [
        (Chosen(deck="tree/b"), ["b4", "b5"]),
        (Chosen(level="IC5"), ["a5", "b5"]),
        (Chosen(tag="soft"), ["a4", "b5"]),
        (Chosen(core=True), ["a4", "b4"]),
        (Chosen(deck="tree", tag="soft", level="IC5"), ["b5"]),
        (Chosen(core=True, level="IC5"), []),
    ],
)
def test_each_filter_chooses_its_cards_alone(
    room: Room, shelf: Database, chosen: Chosen, cards: list[str]
) -> None:
    assert room.counts(chosen) == Counts(len(cards), 0, 0)
    assert all_of(room, chosen) == cards
    found = room.next(chosen)
    assert (found.done, room.counts().new) == (len(cards), 4 - len(cards))


@pytest.mark.parametrize(
    ("chosen", "error"),
    [
        (Chosen(deck="no"), NotFound),
        (Chosen(tag="Soft"), NotFound),
        (Chosen(level="IC9"), Invalid),
        (Chosen(ahead=366), Invalid),
    ],
)
def test_what_nobody_can_choose_is_told(
    room: Room, shelf: Database, chosen: Chosen, error: type[Exception]
) -> None:
    with pytest.raises(error):
        room.next(chosen)


def test_a_cram_goes_through_all_chosen_cards_and_touches_nothing(room: Room, shelf: Database) -> None:
    room.answer(4)
    with shelf.read() as conn:
        before = conn.execute(select(t.card_state)).all()
    cram = Chosen(deck="tree", cram=0)
    assert room.counts(cram) == Counts(0, 0, 4)
    first = room.shown(cram)
    room.answer(1, first, cram=True)
    assert room.counts(cram) == Counts(0, 1, 3)
    order = all_of(room, cram, cram=True)
    assert sorted(order) == ["a4", "a5", "b4", "b5"]
    assert order[-1] == first.card.id
    done = room.next(cram)
    assert isinstance(done, Done)
    assert (done.done, done.next_due) == (4, None)
    with shelf.read() as conn:
        assert conn.execute(select(t.card_state)).all() == before
    assert (room.counts().new, room.next().done) == (3, 1)
    room.replayed()


def test_a_cram_is_undone_and_redone_and_the_next_one_begins_afresh(room: Room, shelf: Database) -> None:
    cram = Chosen(core=True, cram=0)
    seen = [room.shown(cram).card.id, ""]
    for cards in (2, 1):
        assert room.counts(cram).review == cards
        room.answer(3, room.shown(cram), cram=True)
    room.undo_newest()
    room.undo_newest()
    assert (room.shown(cram).card.id, room.counts(cram).review) == (seen[0], 2)
    room.redo_newest()
    assert room.counts(cram).review == 1
    with shelf.read() as conn:
        begins = picking.cram_begins(conn, room.learner)
        assert picking.crammable(conn, room.learner, cram) == 2
    assert begins > 0
    assert room.counts(Chosen(core=True, cram=begins)).review == 2
    room.replayed()


def test_a_suspended_card_is_not_crammed_and_a_buried_one_is(room: Room, shelf: Database) -> None:
    room.mark("a4", suspended=True)
    room.mark("b4", buried=True)
    assert all_of(room, Chosen(core=True, cram=0), cram=True) == ["b4"]


def test_what_was_not_known_comes_again_after_all_others() -> None:
    cards = [CardId(name) for name in "abcdef"]
    cram = build(cards, {CardId("b"): Grade.AGAIN, CardId("a"): Grade.GOOD, CardId("z"): Grade.AGAIN}, 7)
    assert (set(cram.unseen), cram.again, cram.known) == ({*"cdef"}, ("b",), 1)
    assert build(reversed(cards), {}, 7) == build(cards, {}, 7)
    assert build(cards, {}, 7) != build(cards, {}, 8)


def test_reviews_ahead_come_soonest_first_and_count_the_days_that_really_went_by(
    room: Room, db: Database, clock: MovableClock
) -> None:
    add_cards(db, "a", "b", "c")
    for grade in (4, 4, 3):
        room.answer(grade)
    clock.advance(minutes=11)
    room.answer(3)
    with db.read() as conn:
        due = {card: service.state_of(conn, room.learner, card).due_day for card in "abc"}
    first_day = min(day for day in due.values() if day)
    clock.advance(days=1)
    assert room.counts().total == 0
    days = 30
    ahead = Chosen(ahead=days)
    assert room.counts(ahead) == Counts(0, 0, 3)
    shown = room.shown(ahead)
    assert due[shown.card.id] == first_day
    given = room.answer(3, shown)
    assert given.state.last_day == room.learner.day(clock())
    assert room.counts(ahead).review == 2
    room.replayed()
    assert room.next().done == 0  # no due review was answered, so the day's limit is as it was
    assert all_of(room, ahead, grade=3) != []
    assert isinstance(room.next(ahead), Done)
    assert room.counts(Chosen(ahead=1)).total == 0


def test_an_answer_ahead_lengthens_less_than_one_in_time(
    room: Room, db: Database, clock: MovableClock
) -> None:
    add_cards(db, "a", "b")
    early, late = room.answer(4).state, room.answer(4).state
    assert early.interval
    clock.advance(days=1)
    shown = room.shown(Chosen(ahead=365))
    soon = room.answer(3, shown)
    clock.advance(days=(late.interval or 0) - 1)
    in_time = room.answer(3)
    assert soon.card_id != in_time.card_id
    assert soon.state.memory
    assert in_time.state.memory
    assert soon.state.memory.stability < in_time.state.memory.stability
    room.replayed()


def test_limits_hold_for_what_was_chosen(room: Room, db: Database) -> None:
    add_cards(db, *(f"x{n}" for n in range(30)), deck="tree/x", level="IC5")
    add_cards(db, *(f"y{n}" for n in range(30)), deck="tree/y")
    assert room.counts(Chosen(level="IC5")).new == 10
    for _ in range(4):
        room.answer(4)
    assert room.counts(Chosen(level="IC5")).new == 6
    assert room.next(Chosen(level="IC5")).done == 0


def test_tallies_count_all_new_and_due(room: Room, shelf: Database, clock: MovableClock) -> None:
    room.answer(3)
    room.mark("b5", suspended=True)
    with shelf.read() as conn:
        found = picking.tallies(conn, room.learner, clock() + timedelta(0), Chosen(tag="soft"))
    assert found.decks == {"tree/a": Tallied(2, 1, 1), "tree/b": Tallied(1, 1, 0)}
    assert found.levels["IC5"] == Tallied(1, 1, 0)
    assert found.tags == {"soft": Tallied(1, 0, 1)}
    assert (found.core, found.here) == (Tallied(2, 1, 1), Tallied(1, 0, 1))


CHANGES = (
    "UPDATE card SET retired_at = iif(retired_at IS NULL, '2026-11-29T18:00:00.000Z', NULL) WHERE id = '{card}'",
    "UPDATE card SET queue = 'drill' WHERE id = '{card}'",
    "UPDATE note SET owner_id = 2 WHERE key = '{card}'",
    "UPDATE note SET core = 1 - core, level = 'IC6' WHERE key = '{card}'",
    "DELETE FROM note_tag WHERE note_key = '{card}'",
    "INSERT OR IGNORE INTO note_tag VALUES ('{card}', 'hard')",
    "UPDATE card_state SET suspended = 1 - suspended WHERE card_id = '{card}'",
    "INSERT OR REPLACE INTO card_state (learner_id, card_id, state, due_day) "
    "VALUES (1, '{card}', 'review', '2026-11-28')",
    "INSERT OR REPLACE INTO card_state (learner_id, card_id, state, due_day) "
    "VALUES (1, '{card}', 'learning', '2026-12-28')",
    "INSERT OR REPLACE INTO card_state (learner_id, card_id, state) VALUES (1, '{card}', 'new')",
)


@pytest.mark.parametrize("seed", range(3))
def test_tallies_are_what_counting_one_by_one_gives(
    room: Room, shelf: Database, clock: MovableClock, seed: int
) -> None:
    draw, learner, day = random.Random(seed), room.learner, room.learner.day(clock())
    with shelf.write() as conn:
        conn.execute(insert(t.learner), {"id": 2, "name": "other", "rollover": 4, "created_at": clock()})
        for _ in range(60):
            card = draw.choice(["a4", "a5", "b4", "b5"])
            conn.exec_driver_sql(draw.choice(CHANGES).format(card=card))
            found = picking.tallies(conn, learner, clock(), Chosen(deck="tree", level="IC6"))

            def by_hand(conn: Connection = conn, **chosen: object) -> Tallied:
                return store_some.tally(conn, learner.id, day, Chosen(**chosen))  # type: ignore[arg-type]

            for deck in ("tree/a", "tree/b"):
                assert found.decks.get(deck, Tallied()) == by_hand(deck=deck)
            for level in ("IC4", "IC5", "IC6"):
                assert found.levels[level] == by_hand(level=level)
            for tag in ("soft", "hard"):
                assert found.tags.get(tag, Tallied()) == by_hand(tag=tag)
            assert (found.core, found.here) == (by_hand(core=True), by_hand(deck="tree", level="IC6"))


def test_cards_without_a_state_are_counted_without_looking_at_them(
    room: Room, shelf: Database, clock: MovableClock
) -> None:
    found = plans(shelf, lambda conn: picking.tallies(conn, room.learner, clock(), Chosen(tag="soft")))
    scans = [plan for plan in found if plan.startswith("SCAN")]
    assert [plan for plan in scans if not plan.startswith(("SCAN deck_size", "SCAN tag_size"))] == []

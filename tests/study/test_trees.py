"""Trees of decks on a real database: one limit for all decks of a tree, the order of new cards, cards that move."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select, update

from app.accounts.learner import Learner
from app.db import tables as t
from app.db.engine import Database
from app.library.sync import sync
from app.settings import Settings
from app.study import service, store_heaps
from app.study.chosen import ALL, Chosen
from app.study.queue import Limits
from app.study.results import Showing
from app.web.errors import NotFound
from tests.conftest import MovableClock, add_cards
from tests.study.room import Room


def test_decks_of_a_tree_share_one_limit(room: Room, db: Database) -> None:
    for name in ("mask", "heads", "cache"):
        add_cards(db, *(f"{name}-{n}" for n in range(8)), deck=f"attention/{name}")
    add_cards(db, *(f"mine-{n}" for n in range(3)), deck="mine")
    assert room.counts().new == 13


def test_one_deck_alone_spends_its_trees_limit(
    room: Room, db: Database, learner: Learner, clock: MovableClock
) -> None:
    for name in ("mask", "heads"):
        add_cards(db, *(f"{name}-{n}" for n in range(8)), deck=f"attention/{name}")
    for _ in range(3):
        room.answer(4)
    with db.read() as conn:
        found = service.next_card(conn, learner, clock(), Chosen(deck="attention/heads"))
        whole = service.next_card(conn, learner, clock(), Chosen(deck="attention"))
    assert found.counts.new == whole.counts.new == 7
    assert isinstance(found, Showing)
    assert found.card.deck == "attention/heads"


def test_a_name_that_only_begins_like_a_deck_is_none(
    db: Database, learner: Learner, clock: MovableClock
) -> None:
    add_cards(db, "a", deck="attention/mask")
    with db.read() as conn:
        for name in ("attention/ma", "atten", "ATTENTION", "attention/%", "attention_mask"):
            with pytest.raises(NotFound):
                service.next_card(conn, learner, clock(), Chosen(deck=name))


def test_no_more_are_counted_than_the_limit(db: Database, learner: Learner) -> None:
    for name in ("mask", "heads", "cache"):
        add_cards(db, *(f"{name}-{n}" for n in range(30)), deck=f"attention/{name}")
    with db.read() as conn:
        (found,) = store_heaps.new(
            conn, learner.id, datetime(2026, 11, 29, tzinfo=UTC).date(), ALL, Limits(10, 5)
        )
    assert (found.tree, found.first, found.count) == ("attention", "mask-0", 10)


def test_new_cards_of_many_decks_come_core_first_then_by_level_then_by_deck(room: Room, db: Database) -> None:
    add_cards(db, "b4", "b-core", deck="attention/b", level="IC4")
    add_cards(db, "a5", deck="attention/a", level="IC5")
    add_cards(db, "a-none", deck="attention/a", level="")
    add_cards(db, "c-eli5", deck="attention/c", level="eli5")
    add_cards(db, "a4", deck="attention/a", level="IC4")
    with db.write() as conn:
        conn.execute(update(t.note).where(t.note.c.key.not_like("%-core")).values(core=False))
        for at, name in enumerate("abc"):
            conn.execute(update(t.deck).where(t.deck.c.name == f"attention/{name}").values(position=at))
    order = []
    for _ in range(6):
        order.append(room.shown().card.id)
        room.answer(4)
    assert order == ["b-core", "c-eli5", "a4", "b4", "a5", "a-none"]


def test_the_core_comes_first_also_from_beyond_the_limit(room: Room, db: Database) -> None:
    add_cards(db, *(f"easy-{n}" for n in range(12)), deck="attention/a", level="eli5")
    add_cards(db, "deep-core", deck="attention/b", level="IC6")
    with db.write() as conn:
        conn.execute(update(t.note).where(t.note.c.key.not_like("%-core")).values(core=False))
    assert room.shown().card.id == "deep-core"


DECK = "---\ndeck: attention/{name}\ntitle: {name}\n---\n"
KEPT = "Q: q\nA: a\nid: kept\n"


def test_a_note_that_moves_to_another_deck_keeps_state_and_history(
    room: Room, db: Database, settings: Settings, learner: Learner
) -> None:
    decks = settings.content / "decks"
    (decks / "attention-core.md").write_text(DECK.format(name="core") + KEPT, encoding="utf-8")
    now = datetime(2026, 11, 29, tzinfo=UTC)
    assert sync(settings, db, now).errors == ()
    event = room.answer(4)
    (decks / "attention-core.md").unlink()
    moved = KEPT.replace("A: a", "A: a, better said") + "next: other\n\nQ: r\nA: s\nid: other\n"
    (decks / "04-mask.md").write_text(DECK.format(name="mask") + moved, encoding="utf-8")
    assert sync(settings, db, now).errors == ()
    with db.read() as conn:
        assert service.state_of(conn, learner, "kept") == event.state
        (answer,) = service.history(conn, learner, "kept")
        assert conn.scalar(select(t.note.c.deck_name).where(t.note.c.key == "kept")) == "attention/mask"
    assert answer.id == event.event
    assert room.counts().new == 1
    room.replayed()


def test_a_note_may_move_before_its_old_file_goes(room: Room, db: Database, settings: Settings) -> None:
    """Both files at once: the later one is refused and named, and nothing is lost; then the old one goes."""
    decks = settings.content / "decks"
    now = datetime(2026, 11, 29, tzinfo=UTC)
    (decks / "attention-core.md").write_text(DECK.format(name="core") + KEPT, encoding="utf-8")
    sync(settings, db, now)
    event = room.answer(4)
    (decks / "04-mask.md").write_text(DECK.format(name="mask") + KEPT, encoding="utf-8")
    assert "kept" in sync(settings, db, now).errors[0].problem
    (decks / "attention-core.md").unlink()
    assert sync(settings, db, now).errors == ()
    with db.read() as conn:
        assert service.state_of(conn, room.learner, "kept") == event.state

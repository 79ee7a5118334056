"""A newer Aloud ships cards and decks whose names a learner has had before: theirs stay theirs, with all answers."""

from sqlalchemy import select, update

from app.db import tables as t
from app.db.engine import Database
from app.library import service
from app.library.changes import Changes
from app.library.sync import sync
from app.settings import Settings

from .test_sync import CLOZE, LATER, MASK, NOW, SCALE, live, store, write

__all__ = ["store"]
MINE = "Q: What did I write about masks?\nA: My own words.\nid: mask\n\n"


def words(db: Database, card: str) -> str:
    with db.read() as conn:
        return service.card(conn, card).row.words


def forget_hashes(db: Database) -> None:
    """As after an upgrade: the code that renders is another one, so that every file is read again."""
    with db.write() as conn:
        conn.execute(update(t.deck_file).values(hash="of older code"))


def forget_sources(db: Database) -> None:
    """As in a data folder from before notes told their file."""
    with db.write() as conn:
        conn.execute(t.note_source.delete())


def test_a_newly_shipped_card_leaves_an_own_one_of_that_id_alone(settings: Settings, store: Database) -> None:
    write(settings, "shipped.md", SCALE)
    write(settings, "mine.md", MINE, CLOZE, own=True)
    sync(settings, store, NOW)
    forget_hashes(store)
    forget_sources(store)
    write(settings, "shipped.md", SCALE, MASK)
    for _ in range(2):
        done = sync(settings, store, LATER)
        assert (done.errors, done.changes) == ((), Changes())
        assert live(store) == ["scale", "mask", "rows.1", "rows.2"]
        assert words(store, "mask") == "What did I write about masks?"
        forget_hashes(store)


def test_only_the_shipped_file_is_new_and_the_rest_of_it_loads(settings: Settings, store: Database) -> None:
    write(settings, "mine.md", MINE, own=True)
    sync(settings, store, NOW)
    write(settings, "shipped.md", SCALE, MASK)
    done = sync(settings, store, LATER)
    assert (done.read, done.unchanged, done.errors) == (1, 1, ())
    assert live(store) == ["scale", "mask"]
    assert words(store, "mask") == "What did I write about masks?"


def test_the_shipped_card_comes_when_the_own_one_is_gone(settings: Settings, store: Database) -> None:
    path = write(settings, "mine.md", MINE, CLOZE, own=True)
    sync(settings, store, NOW)
    write(settings, "shipped.md", SCALE, MASK)
    sync(settings, store, LATER)
    write(settings, "mine.md", CLOZE, own=True)
    assert sync(settings, store, LATER).errors == ()
    assert words(store, "mask") == "What does the mask hide?"
    write(settings, "mine.md", MINE, CLOZE, own=True)
    assert [e.path for e in sync(settings, store, LATER).errors] == ["decks/mine.md"]
    path.unlink()
    sync(settings, store, LATER)
    assert live(store) == ["scale", "mask"]


def test_an_own_card_that_was_renamed_keeps_its_history_from_a_shipped_one(
    settings: Settings, store: Database
) -> None:
    write(settings, "mine.md", MINE, own=True)
    sync(settings, store, NOW)
    write(settings, "mine.md", MINE.replace("id: mask", "id: my-mask\nwas: mask"), own=True)
    sync(settings, store, NOW)
    write(settings, "shipped.md", SCALE, MASK)
    forget_hashes(store)
    assert sync(settings, store, LATER).errors == ()
    assert words(store, "mask") == "What did I write about masks?"
    with store.read() as conn:
        assert list(conn.scalars(select(t.note.c.key).order_by(t.note.c.key))) == ["mask", "scale"]


def test_a_newly_shipped_deck_leaves_an_own_one_of_that_name_alone(
    settings: Settings, store: Database
) -> None:
    write(settings, "mine.md", CLOZE, deck="attention/mask", own=True)
    sync(settings, store, NOW)
    forget_hashes(store)
    forget_sources(store)
    write(settings, "mask.md", MASK, deck="attention/mask")
    write(settings, "scale.md", SCALE)
    done = sync(settings, store, LATER)
    assert [(e.path, "decks/mine.md" in e.problem) for e in done.errors] == [("decks/mask.md", True)]
    assert live(store) == ["scale", "rows.1", "rows.2"]
    write(settings, "mine.md", CLOZE, deck="mine/mask", own=True)
    done = sync(settings, store, LATER)
    assert (done.errors, done.changes) == ((), Changes(new=1))
    assert live(store) == ["mask", "scale", "rows.1", "rows.2"]
    with store.read() as conn:
        assert [d.name for d in service.decks(conn)] == ["attention/mask", "scale", "mine/mask"]


def test_an_own_deck_of_a_shipped_decks_path_and_name_stays(settings: Settings, store: Database) -> None:
    write(settings, "mask.md", CLOZE, own=True)
    sync(settings, store, NOW)
    write(settings, "mask.md", MASK)
    forget_hashes(store)
    assert len(sync(settings, store, LATER).errors) == 1
    assert live(store) == ["rows.1", "rows.2"]

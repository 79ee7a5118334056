"""Decks into SQLite: by explicit id, changed files only, a bad file skipped whole, history never keyed by text."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi import FastAPI
from sqlalchemy import select
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.library import service
from app.library.service import Wanted
from app.library.sync import sync
from app.settings import Settings

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)

HEAD = "---\ndeck: {name}\ntitle: A test\n---\n\n"
MASK = "Q: What does the mask hide?\nA: The future.\nid: mask\nlevel: IC4\ntags: masking\nsource: a test\n\n"
SCALE = "Q: Why divide?\nA: Variance.\nid: scale\nlevel: IC5\nsource: a test\n\n"
CLOZE = "C: Rows {{c1::sum}} to {{c2::one}}.\nid: rows\nlevel: IC4\nsource: a test\n\n"


@pytest.fixture
def store(settings: Settings, _schema: Path) -> Iterator[Database]:
    settings.data.mkdir(parents=True)
    settings.database.write_bytes(_schema.read_bytes())
    made = Database(settings.database)
    yield made
    made.close()


def write(settings: Settings, name: str, *cards: str, deck: str = "", own: bool = False) -> Path:
    folder = settings.own_decks if own else settings.content / "decks"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(HEAD.format(name=deck or name.removesuffix(".md")) + "".join(cards))
    return path


def live(db: Database) -> list[str]:
    with db.read() as conn:
        return [card.id for card in service.search(conn, Wanted(), 200).cards]


def revision(db: Database, key: str) -> int:
    with db.read() as conn:
        return conn.execute(select(t.note.c.revision).where(t.note.c.key == key)).scalar_one()


def test_cards_come_in_file_order_and_clozes_by_number(settings: Settings, store: Database) -> None:
    write(settings, "a.md", SCALE, CLOZE, MASK)
    done = sync(settings, store, NOW)
    assert (done.read, done.unchanged, done.errors) == (1, 0, ())
    assert live(store) == ["scale", "rows.1", "rows.2", "mask"]


def test_only_changed_files_are_read_again(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK)
    write(settings, "b.md", SCALE)
    sync(settings, store, NOW)
    write(settings, "b.md", SCALE, CLOZE)
    done = sync(settings, store, LATER)
    assert (done.read, done.unchanged) == (1, 1)
    assert live(store) == ["mask", "scale", "rows.1", "rows.2"]


def test_a_mended_typo_keeps_the_card_and_raises_its_revision(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK)
    sync(settings, store, NOW)
    assert revision(store, "mask") == 1
    write(settings, "a.md", MASK.replace("hide?", "hide, exactly?"))
    sync(settings, store, LATER)
    assert live(store) == ["mask"]
    assert revision(store, "mask") == 2


def test_a_new_tag_is_no_edit_of_the_text(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK)
    sync(settings, store, NOW)
    write(settings, "a.md", MASK.replace("masking", "masking, causal"))
    sync(settings, store, LATER)
    assert revision(store, "mask") == 1
    with store.read() as conn:
        assert service.tags(conn) == ["causal", "masking"]


def test_windows_line_ends_are_no_edit(settings: Settings, store: Database) -> None:
    path = write(settings, "a.md", MASK)
    sync(settings, store, NOW)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    sync(settings, store, LATER)
    assert revision(store, "mask") == 1


def test_a_vanished_card_is_retired_and_comes_back_as_itself(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK, SCALE)
    sync(settings, store, NOW)
    write(settings, "a.md", SCALE)
    sync(settings, store, LATER)
    assert live(store) == ["scale"]
    with store.read() as conn:
        assert service.card(conn, "mask").retired_at == LATER
    write(settings, "a.md", MASK, SCALE)
    sync(settings, store, LATER)
    assert live(store) == ["mask", "scale"]


def test_a_vanished_file_retires_its_cards(settings: Settings, store: Database) -> None:
    path = write(settings, "a.md", MASK)
    write(settings, "b.md", SCALE)
    sync(settings, store, NOW)
    path.unlink()
    sync(settings, store, LATER)
    assert live(store) == ["scale"]


def test_a_bad_file_is_named_and_skipped_whole_and_the_rest_loads(
    settings: Settings, store: Database
) -> None:
    write(settings, "a.md", MASK)
    sync(settings, store, NOW)
    write(settings, "a.md", MASK.replace("What does", "What did"), SCALE.replace("id: scale\n", ""))
    write(settings, "b.md", CLOZE)
    done = sync(settings, store, LATER)
    assert [(e.path, e.line > 0) for e in done.errors] == [("decks/a.md", True)]
    assert live(store) == ["mask", "rows.1", "rows.2"]
    assert revision(store, "mask") == 1
    with store.read() as conn:
        assert [p.path for p in service.problems(conn)] == ["decks/a.md"]
    write(settings, "a.md", MASK, SCALE)
    sync(settings, store, LATER)
    with store.read() as conn:
        assert service.problems(conn) == ()


def test_what_an_editor_leaves_beside_the_decks_stops_nothing(settings: Settings, store: Database) -> None:
    folder = write(settings, "a.md", MASK, own=True).parent
    (folder / ".#a.md").symlink_to("somebody@host.123:456")
    (folder / "folder.md").mkdir()
    (folder / "gone.md").symlink_to("nowhere.md")
    (Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md"))).write_text("no deck")
    done = sync(settings, store, NOW)
    assert {e.path for e in done.errors} == {"decks/gone.md", "decks/\\udcff.md"}
    assert "cannot be read" in done.errors[0].problem
    assert live(store) == ["mask"]


def test_a_new_file_moves_the_decks_after_it(settings: Settings, store: Database) -> None:
    write(settings, "b.md", MASK)
    write(settings, "d.md", SCALE)
    sync(settings, store, NOW)
    write(settings, "a.md", CLOZE)
    write(settings, "c.md", CLOZE.replace("id: rows", "id: more"))
    sync(settings, store, LATER)
    assert live(store) == ["rows.1", "rows.2", "mask", "more.1", "more.2", "scale"]


def test_a_vanished_spoken_card_leaves_the_drill_and_the_plan(
    app: FastAPI, client: TestClient, settings: Settings
) -> None:
    spoken = "S: Say it.\ntime: 30\npoint one: A point.\nhear: point\nid: say\nlevel: IC4\nsource: a test\n\n"
    db = app.state.parts.db
    write(settings, "a.md", MASK, spoken)
    sync(settings, db, NOW)
    assert "Say it." in client.get("/drill").text
    write(settings, "a.md", MASK)
    sync(settings, db, LATER)
    assert "Say it." not in client.get("/drill").text
    (settings.content / "decks" / "a.md").unlink()
    sync(settings, db, LATER)
    assert client.get("/api/v1/study/next").json()["next_due"] is None


def test_a_removed_cloze_number_retires_that_card_only(settings: Settings, store: Database) -> None:
    write(settings, "a.md", CLOZE)
    sync(settings, store, NOW)
    write(settings, "a.md", CLOZE.replace("{{c1::sum}}", "sum"))
    sync(settings, store, LATER)
    assert live(store) == ["rows.2"]


def test_own_decks_come_after_the_shipped_ones(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK, own=True)
    write(settings, "z.md", SCALE)
    sync(settings, store, NOW)
    assert live(store) == ["scale", "mask"]


def test_bytes_that_are_no_utf8_are_a_sentence(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK).write_bytes(b"---\n\xff")
    assert ["UTF-8" in str(e) for e in sync(settings, store, NOW).errors] == [True]


def test_search_finds_words_tags_and_levels_and_pages_through_all(
    settings: Settings, store: Database
) -> None:
    write(settings, "a.md", MASK, SCALE, CLOZE)
    sync(settings, store, NOW)
    with store.read() as conn:

        def found(limit: int = 200, **wanted: str) -> list[str]:
            return [card.id for card in service.search(conn, Wanted(**wanted), limit).cards]

        assert found(q="MASK hide") == ["mask"]
        assert found(q="masking") == ["mask"]  # a tag
        assert found(q="100%") == found(q="_") == []
        assert found(tag="masking") == ["mask"]
        assert found(level="IC5") == ["scale"]
        pages, cursor = [], ""
        while True:
            page = service.search(conn, Wanted(), 1, cursor)
            pages += [card.id for card in page.cards]
            if not (cursor := page.cursor):
                break
        assert pages == ["mask", "scale", "rows.1", "rows.2"]


def test_a_large_deck_of_ones_own_that_was_deleted_does_not_keep_the_next_start_waiting(
    settings: Settings, store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many names are looked for in the other files, each of those is taken apart once."""
    write(settings, "a.md", MASK, SCALE)
    gone = write(
        settings, "mine.md", *(MASK.replace("id: mask", f"id: mask-{n}") for n in range(50)), own=True
    )
    sync(settings, store, NOW)
    gone.unlink()
    taken_apart: list[str] = []
    monkeypatch.setattr("app.library.sync.parts", lambda text: taken_apart.append(text) or text.split())
    sync(settings, store, LATER)
    assert len(taken_apart) == 1
    assert live(store) == ["mask", "scale"]

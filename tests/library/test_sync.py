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


def test_an_id_in_two_files_is_an_error_of_the_later_one(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK)
    write(settings, "b.md", MASK, SCALE)
    done = sync(settings, store, NOW)
    assert [(e.path, "mask" in e.problem, "decks/a.md" in e.problem) for e in done.errors] == [
        ("decks/b.md", True, True)
    ]
    assert live(store) == ["mask"]


def test_a_doubled_id_that_is_mended_in_the_other_file_loads(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK)
    write(settings, "b.md", MASK, SCALE)
    sync(settings, store, NOW)
    write(settings, "a.md", CLOZE)
    assert sync(settings, store, LATER).errors == ()
    assert live(store) == ["rows.1", "rows.2", "mask", "scale"]


def test_a_former_id_that_a_card_still_has_is_refused_and_takes_nothing(
    settings: Settings, store: Database
) -> None:
    write(settings, "a.md", MASK, SCALE)
    sync(settings, store, NOW)
    heir = "Q: Who inherits?\nA: Nobody.\nid: heir\nwas: mask\nlevel: IC4\nsource: a test\n\n"
    for name, cards in (("a.md", (MASK, SCALE, heir)), ("b.md", (heir,))):
        write(settings, name, *cards)
        assert ["still has" in e.problem for e in sync(settings, store, LATER).errors] == [True]
        assert live(store) == ["mask", "scale"]
        with store.read() as conn:
            assert "mask hide" in service.card(conn, "mask").row.words
        write(settings, name, *cards[:-1], heir.replace("was: mask\n", ""))
        assert sync(settings, store, LATER).errors == ()
        assert "heir" in live(store)
        (settings.content / "decks" / "b.md").unlink(missing_ok=True)
        write(settings, "a.md", MASK, SCALE)
        sync(settings, store, LATER)


def test_two_cards_cannot_have_one_history(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK)
    sync(settings, store, NOW)
    write(
        settings,
        "a.md",
        MASK.replace("id: mask\n", "id: one\nwas: mask\n"),
        SCALE.replace("id: scale\n", "id: two\nwas: mask\n"),
    )
    assert ["names, too" in e.problem for e in sync(settings, store, LATER).errors] == [True]
    assert live(store) == ["mask"]


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


def test_two_files_cannot_share_a_deck_name(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK)
    write(settings, "b.md", SCALE, deck="a")
    done = sync(settings, store, NOW)
    assert ["deck name" in e.problem for e in done.errors] == [True]
    assert live(store) == ["mask"]


def test_a_card_can_move_to_another_file(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK, SCALE)
    write(settings, "b.md", CLOZE)
    sync(settings, store, NOW)
    write(settings, "a.md", SCALE)
    write(settings, "b.md", CLOZE, MASK)
    assert sync(settings, store, LATER).errors == ()
    assert live(store) == ["scale", "rows.1", "rows.2", "mask"]
    assert revision(store, "mask") == 1


def test_a_file_may_be_renamed_and_its_deck_too(settings: Settings, store: Database) -> None:
    path = write(settings, "a.md", MASK)
    sync(settings, store, NOW)
    path.rename(path.with_name("z.md"))
    assert sync(settings, store, LATER).errors == ()
    assert live(store) == ["mask"]
    write(settings, "z.md", MASK, deck="other/name")
    assert sync(settings, store, LATER).errors == ()
    with store.read() as conn:
        assert [(d.name, d.cards) for d in service.decks(conn)] == [("other/name", 1)]


def test_a_former_id_carries_the_history(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK, CLOZE)
    sync(settings, store, NOW)
    write(
        settings,
        "a.md",
        MASK.replace("id: mask\n", "id: causal\nwas: mask\n"),
        CLOZE.replace("id: rows\n", "id: sums\nwas: rows\n"),
    )
    assert sync(settings, store, LATER).errors == ()
    with store.read() as conn:
        assert service.card(conn, "causal").row.id == service.card(conn, "mask").row.id == "mask"
        assert service.card(conn, "sums.2").row.id == "rows.2"
        assert service.card(conn, "causal").retired_at is None
    assert sync(settings, store, LATER).read == 0


def test_a_new_card_cannot_take_the_former_id_of_another(settings: Settings, store: Database) -> None:
    renamed = MASK.replace("id: mask\n", "id: causal\nwas: mask\n")
    write(settings, "a.md", MASK)
    sync(settings, store, NOW)
    write(settings, "a.md", renamed)
    sync(settings, store, NOW)
    heir = SCALE.replace("id: scale\n", "id: mask\n")
    write(settings, "a.md", renamed.replace("was: mask\n", ""), heir)
    assert ["that of the card" in e.problem for e in sync(settings, store, LATER).errors] == [True]
    write(settings, "a.md", renamed.replace("was: mask\n", ""))
    write(settings, "b.md", heir)
    assert ["that of the card" in e.problem for e in sync(settings, store, LATER).errors] == [True]
    write(settings, "b.md", heir, CLOZE)
    assert ["as a former id" in e.problem for e in sync(settings, store, LATER).errors] == [True]
    with store.read() as conn:
        assert "mask hide" in service.card(conn, "causal").row.words


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

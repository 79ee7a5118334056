"""Edited copies of shipped cards: they take its place with its history, and remember what they were made from."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from app.db import tables as t
from app.db.engine import Database
from app.library import blocks, compose, service
from app.library.changes import Changes
from app.library.check import check_decks
from app.library.notes import Note
from app.library.sync import sync
from app.settings import Settings

from .test_sync import CLOZE, LATER, MASK, NOW, SCALE, live, revision, store, write

__all__ = ["store"]
EVEN_LATER = LATER + timedelta(days=1)


def copy_of(card: str, **changes: str) -> str:
    made = blocks.with_line(card, "copied", blocks.fingerprint(card))
    for old, new in changes.items():
        assert old in made
        made = made.replace(old, new)
    return made + "\n\n"


def words(db: Database, card: str) -> str:
    with db.read() as conn:
        return service.card(conn, card).row.words


def deck_of(db: Database, card: str) -> str:
    with db.read() as conn:
        return service.card(conn, card).row.deck


def source(db: Database, key: str) -> tuple[str, str | None, str | None]:
    s = t.note_source
    with db.read() as conn:
        row = conn.execute(select(s).where(s.c.note_key == key)).one()
    return row.path, row.copied_text, row.shipped_text


def test_a_copy_takes_the_place_of_the_shipped_card(settings: Settings, store: Database) -> None:
    write(settings, "a.md", SCALE, MASK, CLOZE)
    sync(settings, store, NOW)
    write(settings, "edited.md", copy_of(MASK, hide="cover"), own=True)
    done = sync(settings, store, LATER)
    assert (done.read, done.unchanged, done.errors) == (1, 1, ())
    assert done.changes == Changes(changed=1)
    assert live(store) == ["scale", "mask", "rows.1", "rows.2"]
    assert "cover" in words(store, "mask")
    assert deck_of(store, "mask") == "a"
    assert revision(store, "mask") == 2
    assert source(store, "mask") == ("decks/edited.md", MASK.strip(), MASK.strip())
    with store.read() as conn:
        assert [d.name for d in service.decks(conn)] == ["a"]
    assert sync(settings, store, LATER).read == 0


def test_copies_that_are_there_from_the_start_stand_in_their_place(
    settings: Settings, store: Database
) -> None:
    write(settings, "a.md", SCALE, MASK)
    write(settings, "edited.md", copy_of(SCALE, divide="scale"), own=True)
    assert sync(settings, store, NOW).errors == ()
    assert live(store) == ["scale", "mask"]
    assert "scale" in words(store, "scale")
    assert source(store, "scale")[2] == SCALE.strip()


def test_a_later_shipped_change_is_kept_beside_the_copy(settings: Settings, store: Database) -> None:
    write(settings, "a.md", SCALE, MASK)
    write(settings, "edited.md", copy_of(MASK, hide="cover"), own=True)
    sync(settings, store, NOW)
    newer = MASK.replace("The future.", "Future positions.")
    write(settings, "a.md", CLOZE, newer, SCALE)
    done = sync(settings, store, LATER)
    assert done.errors == ()
    assert live(store) == ["rows.1", "rows.2", "mask", "scale"]
    assert "cover" in words(store, "mask")
    assert source(store, "mask") == ("decks/edited.md", MASK.strip(), newer.strip())
    write(settings, "a.md", SCALE)
    sync(settings, store, EVEN_LATER)
    assert live(store) == ["scale", "mask"] or live(store) == ["mask", "scale"]
    assert source(store, "mask")[2] is None


@pytest.mark.parametrize("how", ["emptied", "deleted"])
def test_without_its_copy_the_shipped_card_is_back(settings: Settings, store: Database, how: str) -> None:
    write(settings, "a.md", SCALE, MASK)
    path = write(settings, "edited.md", copy_of(MASK, hide="cover"), own=True)
    sync(settings, store, NOW)
    if how == "emptied":
        write(settings, "edited.md", own=True)
    else:
        path.unlink()
    done = sync(settings, store, LATER)
    assert done.errors == ()
    assert done.changes == Changes(changed=1)
    assert live(store) == ["scale", "mask"]
    assert "hide" in words(store, "mask")
    assert source(store, "mask") == ("decks/a.md", None, None)


def test_a_copy_with_a_mistake_stays_as_it_was(settings: Settings, store: Database) -> None:
    write(settings, "a.md", SCALE, MASK)
    write(settings, "edited.md", copy_of(MASK, hide="cover"), own=True)
    sync(settings, store, NOW)
    write(settings, "edited.md", copy_of(MASK, hide="veil"), "Q: no id\n", own=True)
    write(settings, "a.md", MASK.replace("future", "rest"), SCALE)
    done = sync(settings, store, LATER)
    assert {error.path for error in done.errors} == {"decks/edited.md"}
    assert "cover" in words(store, "mask")
    assert live(store) == ["mask", "scale"]


def test_a_refused_copy_stands_for_nothing(settings: Settings, store: Database) -> None:
    """Its file also takes an id that another card has: the shipped card must stay in its place."""
    write(settings, "a.md", SCALE, MASK)
    write(settings, "edited.md", copy_of(MASK, hide="cover"), SCALE, own=True)
    done = sync(settings, store, NOW)
    assert ["scale" in error.problem for error in done.errors] == [True]
    assert live(store) == ["scale", "mask"]
    assert "hide" in words(store, "mask")


def test_two_copies_of_one_card_are_told(settings: Settings, store: Database) -> None:
    write(settings, "a.md", MASK)
    write(settings, "b.md", copy_of(MASK, hide="cover"), own=True)
    write(settings, "c.md", copy_of(MASK, hide="veil"), own=True)
    done = sync(settings, store, NOW)
    assert [(e.path, "decks/b.md" in e.problem) for e in done.errors] == [("decks/c.md", True)]
    assert "cover" in words(store, "mask")


def test_a_shipped_card_that_is_renamed_keeps_its_copy(settings: Settings, store: Database) -> None:
    write(settings, "a.md", SCALE, MASK)
    write(settings, "edited.md", copy_of(MASK, hide="cover"), own=True)
    sync(settings, store, NOW)
    write(settings, "a.md", MASK.replace("id: mask", "id: causal\nwas: mask"), SCALE)
    assert sync(settings, store, LATER).errors == ()
    assert live(store) == ["mask", "scale"]
    assert "cover" in words(store, "causal")


def test_a_card_that_its_file_retires_is_gone_until_it_is_not(settings: Settings, store: Database) -> None:
    write(settings, "a.md", SCALE, blocks.with_line(MASK, "retired", "yes") + "\n\n")
    sync(settings, store, NOW)
    assert live(store) == ["scale"]
    write(settings, "b.md", MASK)
    assert ["is used in" in e.problem for e in sync(settings, store, LATER).errors] == [True]
    (settings.content / "decks" / "b.md").unlink()
    write(settings, "a.md", SCALE, MASK)
    assert sync(settings, store, LATER).changes == Changes(back=1)
    assert live(store) == ["scale", "mask"]
    assert revision(store, "mask") == 1


def test_check_reads_copies_beside_what_they_stand_for(settings: Settings) -> None:
    write(settings, "a.md", SCALE, MASK)
    write(settings, "edited.md", copy_of(MASK, hide="cover"), own=True)
    report = check_decks([settings.content / "decks", settings.own_decks], lambda line: line)
    assert report.errors == ()
    write(settings, "more.md", copy_of(MASK, hide="veil"), own=True)
    report = check_decks([settings.content / "decks", settings.own_decks], lambda line: line)
    assert ["used in" in error.problem for error in report.errors] == [True]


@pytest.mark.parametrize("line", ["copied: yes", "copied: 12", "retired: perhaps"])
def test_what_a_copy_names_must_be_readable(settings: Settings, store: Database, line: str) -> None:
    write(settings, "a.md", MASK.replace("id: mask\n", f"id: mask\n{line}\n"))
    assert len(sync(settings, store, NOW).errors) == 1


def test_changes_are_said_in_words() -> None:
    assert Changes().words == "nothing changed"
    assert (Changes(changed=2) + Changes(new=1)).words == "2 cards changed, 1 new"
    assert Changes(new=1, gone=3).words == "1 card new, 3 retired"


def test_a_moved_file_moves_no_card(settings: Settings, store: Database) -> None:
    path: Path = write(settings, "a.md", MASK, deck="x")
    sync(settings, store, NOW)
    path.rename(path.with_name("z.md"))
    done = sync(settings, store, datetime(2026, 12, 1, tzinfo=UTC))
    assert done.changes == Changes()
    assert live(store) == ["mask"]


def test_only_the_cards_that_changed_are_drawn_again(
    settings: Settings, store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(settings, "a.md", SCALE, MASK, CLOZE)
    sync(settings, store, NOW)
    drawn: list[str] = []
    draw = compose._note

    def seen(note: Note, at: int) -> compose.ReadyNote:
        drawn.append(note.id)
        return draw(note, at)

    monkeypatch.setattr(compose, "_note", seen)
    write(settings, "a.md", CLOZE, MASK.replace("hide", "cover"), SCALE)
    sync(settings, store, LATER)
    assert drawn == ["mask"]
    assert live(store) == ["rows.1", "rows.2", "mask", "scale"]
    write(settings, "a.md", MASK)
    sync(settings, store, LATER)
    write(settings, "a.md", MASK, SCALE)
    assert sync(settings, store, LATER).changes == Changes(back=1)
    assert live(store) == ["mask", "scale"]

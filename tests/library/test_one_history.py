"""A card keeps one history, wherever it moves and however its id changes; and no two cards share one."""

from app.db.engine import Database
from app.library import service
from app.library.sync import sync
from app.settings import Settings

from .test_sync import CLOZE, LATER, MASK, NOW, SCALE, live, revision, store, write

__all__ = ["store"]


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

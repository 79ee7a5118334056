"""Cards retired and restored, copies of shipped ones, and what is shipped later."""

import pytest
from starlette.testclient import TestClient

from app.library.decks import Decks
from app.settings import Settings

from .editor import field, own, question, save
from .test_sync import CLOZE, MASK, SCALE, write


def test_a_card_is_retired_and_restored(room: TestClient, settings: Settings) -> None:
    before = own(settings)
    assert room.post("/cards/own-card/retire").status_code == 303
    assert "retired: yes" in own(settings)
    page = room.get("/cards/own-card").text
    assert "This card is retired" in page
    assert "own-card" not in [card["id"] for card in room.get("/api/v1/cards").json()["cards"]]
    save(room, "own-card", {"mine?": "mine still?"})
    assert "retired: yes" in own(settings)
    save(room, "own-card", {"mine still?": "mine?"})
    assert room.post("/cards/own-card/restore").status_code == 303
    assert own(settings) == before


def test_a_shipped_card_is_retired_by_a_copy_that_goes_when_it_is_restored(
    room: TestClient, settings: Settings
) -> None:
    room.post("/cards/rows.1/retire")
    cards = [card["id"] for card in room.get("/api/v1/cards").json()["cards"]]
    assert cards == ["scale", "mask", "own-card", "other"]
    room.post("/cards/rows.1/restore")
    cards = [card["id"] for card in room.get("/api/v1/cards").json()["cards"]]
    assert cards == ["scale", "mask", "rows.1", "rows.2", "own-card", "other"]
    assert not (settings.own_decks / "edited" / "a.md").exists()


@pytest.mark.parametrize(
    ("file", "card", "place"), [("mine.md", "other", "mine.md"), ("", "mask", "edited/a.md")]
)
def test_a_vanished_card_comes_back_from_what_is_remembered(
    room: TestClient, settings: Settings, decks: Decks, file: str, card: str, place: str
) -> None:
    (settings.own_decks / file if file else settings.content / "decks" / "a.md").unlink()
    decks.look()
    page = room.get(f"/cards/{card}").text
    assert "no longer in its deck" in page
    assert room.post(f"/cards/{card}/restore").status_code == 303
    assert question(room, card) == "What does the mask hide?"
    assert f"id: {card}" in own(settings, place)


def newer(settings: Settings, decks: Decks, room: TestClient) -> None:
    """The learner edited `mask`, and the shipped deck changed it as well."""
    save(room, "mask", {"hide?": "cover?"})
    write(settings, "a.md", SCALE, MASK.replace("The future.", "Future positions."), CLOZE)
    decks.look()


def test_a_later_shipped_change_is_offered_as_a_difference(
    room: TestClient, settings: Settings, decks: Decks
) -> None:
    newer(settings, decks, room)
    assert "The shipped text of 1 card that you edited has changed" in room.get("/cards").text
    assert 'href="/cards/mask/shipped"' in room.get("/cards/mask").text
    page = room.get("/cards/mask/shipped").text
    assert "<del>The future</del>" in page
    assert "<ins>Future positions</ins>" in page
    assert question(room, "mask") == "What does the mask cover?"


@pytest.mark.parametrize(
    ("do", "words"), [("mine", "What does the mask cover?"), ("theirs", "What does the mask hide?")]
)
def test_mine_is_kept_or_theirs_is_taken(
    room: TestClient, settings: Settings, decks: Decks, do: str, words: str
) -> None:
    newer(settings, decks, room)
    base = field(room.get("/cards/mask/shipped"), "base")
    stale = room.post("/cards/mask/shipped", data={"do": do, "base": "0" * 16})
    assert stale.headers["location"] == "/cards/mask/shipped"
    room.post("/cards/mask/shipped", data={"do": do, "base": base})
    assert question(room, "mask") == words
    assert "you edited has changed" not in room.get("/cards").text
    assert room.get("/cards/mask/shipped").status_code == 303
    assert (settings.own_decks / "edited" / "a.md").exists() == (do == "mine")


def test_mine_is_edited_beside_what_is_shipped_now(
    room: TestClient, settings: Settings, decks: Decks
) -> None:
    newer(settings, decks, room)
    assert "Future positions" not in field(room.get("/cards/mask/edit?merge=yes"), "text")
    page = room.get("/cards/mask/edit?merge=yes")
    assert "The shipped card now, and yours" in page.text
    done = save(room, "mask", {"The future.": "All future positions."}, "edit?merge=yes")
    assert done.status_code == 303
    assert "you edited has changed" not in room.get("/cards").text
    assert "All future positions." in own(settings, "edited/a.md")


def test_a_copy_takes_its_decks_demo_along(room: TestClient, settings: Settings, decks: Decks) -> None:
    path = settings.content / "decks" / "a.md"
    path.write_text(path.read_text().replace("title: A test", "title: A test\ndemo: softmax"))
    decks.look()
    save(room, "mask", {"hide?": "cover?"})
    assert room.get("/api/v1/cards/mask").json()["demo"] == "softmax"

"""Cards written in the browser: into the learner's own files, byte for byte, and never into a shipped one."""

import html
import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.library import blocks, editing
from app.library.cards import Written
from app.library.decks import Decks
from app.library.own_files import Desk
from app.library.suggesting import suggest
from app.settings import Settings

from .editor import MINE, field, own, question, save
from .test_sync import HEAD, MASK, write


def test_an_own_card_is_edited_in_its_file_and_nothing_else(room: TestClient, settings: Settings) -> None:
    before = own(settings)
    done = save(room, "own-card", {"What is mine?": "Whose is this?"})
    assert (done.status_code, done.headers["location"]) == (303, "/cards/own-card")
    assert own(settings) == before.replace("What is mine?", "Whose is this?")
    assert question(room, "own-card") == "Whose is this?"


def test_a_shipped_card_is_copied_and_keeps_its_place_and_id(room: TestClient, settings: Settings) -> None:
    shipped = (settings.content / "decks" / "a.md").read_bytes()
    assert save(room, "mask", {"hide?": "cover?"}).status_code == 303
    assert (settings.content / "decks" / "a.md").read_bytes() == shipped
    copied = blocks.fingerprint(MASK)
    assert own(settings, "edited/a.md") == (
        "---\ndeck: edited/a\ntitle: A test, edited\n---\n\n"
        + MASK.strip().replace("hide?", "cover?").replace("id: mask\n", f"id: mask\ncopied: {copied}\n")
        + "\n"
    )
    cards = room.get("/api/v1/cards").json()["cards"]
    assert [card["id"] for card in cards] == ["scale", "mask", "rows.1", "rows.2", "own-card", "other"]
    assert cards[1]["deck"] == "a"
    page = room.get("/cards/mask")
    assert "your edited copy, decks/edited/a.md" in page.text
    assert "copied:" not in field(room.get("/cards/mask/edit"), "text")
    save(room, "rows.2", {"sum": "add up"})
    assert [note.start for note in blocks.spans(own(settings, "edited/a.md"))] == [5, 13]


def test_saving_a_shipped_card_as_it_is_copies_nothing(room: TestClient, settings: Settings) -> None:
    assert save(room, "mask", {}).status_code == 303
    assert not (settings.own_decks / "edited").exists()


def test_a_copy_that_says_what_is_shipped_is_none(room: TestClient, settings: Settings) -> None:
    save(room, "mask", {"hide?": "cover?"})
    save(room, "mask", {"cover?": "hide?"})
    assert not (settings.own_decks / "edited" / "a.md").exists()
    assert "shipped with Aloud" in room.get("/cards/mask").text


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        ({"level: IC4": "level: IC9"}, 4, "is not known"),
        ({"The future.": "Half a $\\frac{1}$."}, 2, "formula"),
        ({"id: mask\n": ""}, 1, "no id"),
        ({"id: mask": "id: scale"}, 3, "keeps its id"),
        ({"id: mask": "id: mask\ndemo: nothing"}, 4, "cannot run"),
        ({"source: a test": "source: a test\nQ: another\nA: card\nid: x"}, 7, "second card"),
        ({"Q: ": ""}, 1, "stray text"),
    ],
)
def test_what_makes_no_card_is_not_saved_and_its_line_and_fix_are_told(
    room: TestClient, settings: Settings, change: dict[str, str], line: int, words: str
) -> None:
    page = save(room, "mask", change)
    assert page.status_code == 422
    assert f"Line {line}</a>" in page.text
    assert words in html.unescape(page.text)
    assert next(iter(change.values())).strip() in field(page, "text")
    assert not (settings.own_decks / "edited").exists()


def test_an_own_card_may_be_renamed_with_was_only(room: TestClient, settings: Settings) -> None:
    page = save(room, "own-card", {"id: own-card": "id: new-name"})
    assert page.status_code == 422
    assert "add a line was: own-card" in page.text
    assert save(room, "own-card", {"id: own-card": "id: new-name\nwas: own-card"}).status_code == 303
    assert room.get("/cards/new-name").status_code == 200
    assert room.get("/api/v1/cards/new-name").json()["id"] == "own-card"
    assert save(room, "own-card", {"mine?": "mine now?"}).status_code == 303
    assert "mine now?" in own(settings)
    page = save(room, "own-card", {"id: new-name\nwas: own-card": "id: scale\nwas: own-card"})
    assert "is taken" in page.text


def test_a_file_that_changed_meanwhile_is_told_and_both_texts_are_shown(
    room: TestClient, settings: Settings
) -> None:
    form = {"text": MINE.replace("mine?", "yours?")}
    form["seen"] = field(room.get("/cards/own-card/edit"), "seen")
    path = settings.own_decks / "mine.md"
    path.write_text(own(settings).replace("This.", "That."))
    page = room.post("/cards/own-card/edit", data=form)
    assert page.status_code == 409
    assert "Nothing was saved" in page.text
    assert "<ins>yours</ins>" in page.text
    assert "<del>That</del>" in page.text
    assert "yours?" in field(page, "text")
    assert "yours?" not in own(settings)
    again = room.post("/cards/own-card/edit", data=form | {"seen": field(page, "seen")})
    assert again.status_code == 303
    assert "yours?" in own(settings)


def test_an_edit_elsewhere_in_the_file_is_no_conflict(room: TestClient, settings: Settings) -> None:
    form = {"text": MINE.replace("mine?", "yours?")}
    form["seen"] = field(room.get("/cards/own-card/edit"), "seen")
    path = settings.own_decks / "mine.md"
    path.write_text(own(settings).replace("What does the mask hide?", "What is hidden?"))
    assert room.post("/cards/own-card/edit", data=form).status_code == 303
    assert question(room, "other") == "What is hidden?"


@pytest.mark.parametrize("how", ["deleted", "without the card"])
def test_a_card_that_vanished_meanwhile_loses_no_text(room: TestClient, settings: Settings, how: str) -> None:
    form = {"text": MINE.replace("mine?", "yours?")}
    form["seen"] = field(room.get("/cards/own-card/edit"), "seen")
    path = settings.own_decks / "mine.md"
    if how == "deleted":
        path.unlink()
    else:
        path.write_text(HEAD.format(name="mine"))
    page = room.post("/cards/own-card/edit", data=form)
    assert page.status_code == 409
    assert "Look for changed decks" in page.text
    assert "yours?" in field(page, "text")


def test_a_file_with_a_mistake_elsewhere_is_put_back(room: TestClient, settings: Settings) -> None:
    path = settings.own_decks / "mine.md"
    path.write_text(own(settings) + "Q: no id\nA: none\n")
    before = path.read_bytes()
    page = save(room, "own-card", {"mine?": "yours?"})
    assert page.status_code == 422
    assert "Nothing was saved" in page.text
    assert "decks/mine.md:17: the card has no id" in page.text
    assert "yours?" in field(page, "text")
    assert path.read_bytes() == before


def test_a_new_card_goes_to_a_deck_of_its_own_with_an_id_from_its_question(
    room: TestClient, settings: Settings
) -> None:
    page = room.get("/cards/new")
    assert 'value="mine"' in page.text
    form = {"text": "Q: Why does the cache grow?\r\nA: A token at a time.\r\n", "deck": "kv/cache"}
    assert "Its id will be cache-grow" in room.post("/cards/new", data=form | {"do": "preview"}).text
    done = room.post("/cards/new", data=form)
    assert (done.status_code, done.headers["location"]) == (303, "/cards/cache-grow")
    assert own(settings, "kv-cache.md") == (
        "---\ndeck: kv/cache\ntitle: kv/cache\n---\n\n"
        "Q: Why does the cache grow?\nA: A token at a time.\nid: cache-grow\n"
    )
    room.post("/cards/new", data=form | {"text": "Q: Why does the cache grow?\nA: By tokens.\n"})
    assert "id: cache-grow-2\n" in own(settings, "kv-cache.md")
    before = own(settings)
    room.post("/cards/new", data=form | {"deck": "mine"})
    assert own(settings).startswith(before)
    assert question(room, "cache-grow-3") == "Why does the cache grow?"


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"deck": "a"}, "shipped one"),
        ({"deck": "no, name"}, "not a path of plain names"),
        ({"deck": ""}, "not a path of plain names"),
        ({"text": "Q: Taken?\nA: Yes.\nid: mask"}, "is taken"),
        ({"text": ""}, "there is no card yet"),
        ({"text": "Q: \nA: \nid: \nlevel: IC4\n"}, "Q: is empty"),
    ],
)
def test_a_new_card_that_does_not_fit_is_told_and_kept(
    room: TestClient, settings: Settings, form: dict[str, str], words: str
) -> None:
    sent = {"deck": "mine", "text": "Q: Fine?\nA: Yes."} | form
    page = room.post("/cards/new", data=sent)
    assert page.status_code == 422
    assert words in html.unescape(page.text)
    assert field(page, "text").strip() == sent["text"].strip()
    assert "Fine?" not in own(settings)


@pytest.mark.parametrize("card_id", ["", "\r\nid: my-cache"])
def test_a_new_card_sent_twice_by_a_double_click_is_one(
    room: TestClient, settings: Settings, card_id: str
) -> None:
    form = {"text": f"Q: Why does the cache grow?\r\nA: A token at a time. \r\n{card_id}", "deck": "kv/cache"}
    done = [room.post("/cards/new", data=form) for _ in range(2)]
    assert [(page.status_code, page.headers["location"]) for page in done] == [
        (303, f"/cards/{card_id[6:] or 'cache-grow'}")
    ] * 2
    assert own(settings, "kv-cache.md").count("Q:") == 1


@pytest.mark.parametrize("card", ["own-card", "mask"])
def test_an_edit_sent_twice_by_a_double_click_is_no_conflict(
    room: TestClient, settings: Settings, card: str
) -> None:
    page = room.get(f"/cards/{card}/edit")
    form = {"text": field(page, "text").replace("?", " today?"), "seen": field(page, "seen")}
    assert [room.post(f"/cards/{card}/edit", data=form).status_code for _ in range(2)] == [303, 303]
    assert "today?" in question(room, card)


def test_what_a_double_click_sends_at_once_is_done_once(
    room: TestClient, app: FastAPI, settings: Settings
) -> None:
    """Both requests have read where the card stands before either writes."""
    its = app.state.parts
    desk = Desk(its.settings, its.db, its.decks)

    def stands() -> Written:
        with its.db.read() as conn:
            return editing.of_card(conn, "mask")

    before = stands()
    for _ in range(2):
        editing.retire(desk, before)
    assert own(settings, "edited/a.md").count("id: mask") == 1
    retired = stands()
    for _ in range(2):
        editing.restore(desk, retired)
    assert not (settings.own_decks / "edited" / "a.md").exists()
    opened = editing.open_card(settings, before)
    for _ in range(2):
        editing.save(desk, before, opened.text.replace("?", " today?"), seen=opened.seen)
    assert own(settings, "edited/a.md").count("id: mask") == 1
    copied = stands()
    for _ in range(2):
        editing.take_shipped(desk, copied)
    assert question(room, "mask") == "What does the mask hide?"


def test_without_scripts_a_preview_is_a_button(room: TestClient) -> None:
    form = {"text": "C: Rows {{c1::sum}} to {{c2::one}}.", "deck": "mine", "do": "preview"}
    page = room.post("/cards/new", data=form)
    assert page.status_code == 200
    assert "Card 1" in page.text
    assert "Card 2" in page.text
    assert "Its id will be rows-sum-one" in page.text


def test_looking_for_changed_decks_says_what_changed(
    room: TestClient, settings: Settings, decks: Decks
) -> None:
    path = settings.own_decks / "mine.md"
    path.write_text(own(settings).replace("This.", "That.") + "\nQ: New?\nA: Yes.\nid: newest\n")
    write(settings, "b.md", "Q: no id\nA: x\n")
    assert room.post("/cards/look").headers["location"] == "/cards#decks"
    page = room.get("/cards").text
    assert "1 card changed, 1 new; decks/b.md has mistakes." in page
    assert "decks/b.md, line 6: the card has no id" in page
    assert "1 card changed, 1 new" in room.get("/cards/news").text
    room.post("/cards/look")
    assert "nothing changed" in room.get("/cards/news").text


def test_a_file_deleted_while_studying_is_a_sentence_and_loses_nothing(
    room: TestClient, settings: Settings, decks: Decks
) -> None:
    page = room.get("/study", params={"deck": "mine"})
    found = re.search(r'name="showing" value="([^"]*)"', page.text)
    assert found
    shown = room.get("/study/reveal", params={"showing": found[1]})
    ticket = re.search(r'name="ticket" value="([^"]*)"', shown.text)
    assert ticket
    (settings.own_decks / "mine.md").unlink()
    decks.look()
    done = room.post("/study/answer", data={"ticket": ticket[1], "grade": "3"})
    assert done.status_code == 409
    assert "has left its deck" in done.text


@pytest.mark.parametrize(
    ("back", "where"), [("study", "/study"), ("drill", "/drill/mask"), ("", "/cards/mask")]
)
def test_edits_lead_back_to_where_they_came_from(room: TestClient, back: str, where: str) -> None:
    page = room.get(f"/cards/mask/edit?back={back}")
    form = {"text": field(page, "text"), "seen": field(page, "seen"), "back": field(page, "back")}
    assert room.post("/cards/mask/edit", data=form).headers["location"] == where


def test_where_the_disk_is_full_a_sentence_says_so(
    room: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Path, __: bytes) -> Path:
        raise OSError(28, "No space left on device")

    before = own(settings)
    monkeypatch.setattr("app.library.writing._beside", full)
    page = save(room, "own-card", {"mine?": "yours?"})
    assert page.status_code == 422
    assert "No space left on device" in page.text
    assert "yours?" in field(page, "text")
    assert own(settings) == before


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ("Why divide by $\\sqrt{d_k}$?", "divide-sqrt-d-k"),
        ("Rows {{c1::sum::a hint}} to one", "rows-sum-one"),
        ("Où est l’été?", "ou-est-l-ete"),
        ("Why?", "why"),
        ("什么", "card"),
    ],
)
def test_an_id_is_suggested_from_the_question(words: str, made: str) -> None:
    assert suggest(words, lambda name: False) == made
    assert suggest(words, lambda name: name == made) == f"{made}-2"

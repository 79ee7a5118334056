"""Marks, some cards, cram and reviews ahead, as a browser without scripts meets them."""

import re
from datetime import date

import pytest
from sqlalchemy import func, insert, select
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from tests.conftest import MovableClock, add_cards
from tests.study.browsing import Browser


def events(db: Database) -> int:
    with db.read() as conn:
        return conn.scalar(select(func.count()).select_from(t.event)) or 0


def act(client: TestClient, browser: Browser, name: str, **more: str) -> str:
    """Press a button of the marks; the page that follows."""
    data = {"card": browser.field("card"), "act": name, **more}
    response = client.post("/study/mark", data=data)
    assert response.status_code == 303
    return browser.open(response.headers["location"])


def test_bury_and_suspend_lead_to_the_next_card_and_undo_names_them(
    browser: Browser, client: TestClient, db: Database
) -> None:
    add_cards(db, "a", "b", "c")
    browser.open()
    assert "question b" in act(client, browser, "bury")
    page = act(client, browser, "suspend")
    assert "question c" in page
    assert "Undo the suspending" in page
    assert "question b" in browser.undo()
    assert "Redo the suspending" in browser.page
    response = client.post("/study/redo", data={"event": str(events(db))})
    assert "question c" in browser.open(response.headers["location"])
    assert "Redo" not in browser.page


def test_a_flag_and_a_note_leave_the_answer_open(browser: Browser, client: TestClient, db: Database) -> None:
    add_cards(db, "a")
    browser.open()
    showing = browser.field("showing")
    browser.reveal()
    page = act(client, browser, "flag", showing=showing)
    assert "answer a" in page
    assert '<span class="chip">flagged</span>' in page
    page = act(client, browser, "note", showing=showing, remark="<b>mine</b>\r\nalone")
    assert "<p>&lt;b&gt;mine&lt;/b&gt;\nalone</p>" in page
    browser.grade(4)
    assert events(db) == 3
    card = client.get("/cards/a").text
    assert "Remove the flag" in card
    assert "mine&lt;/b&gt;" in card


def test_a_note_of_many_lines_may_be_as_long_as_its_box_takes(client: TestClient, db: Database) -> None:
    """The box counts a new line as one character, and a browser without scripts sends two."""
    add_cards(db, "a")
    typed = "x\n" * 999 + "xx"
    form = {"card": "a", "act": "note", "page": "card", "remark": typed.replace("\n", "\r\n")}
    assert (len(typed), client.post("/study/mark", data=form).status_code) == (2000, 303)
    with db.read() as conn:
        assert conn.scalar(select(t.card_state.c.remark)) == typed


def test_a_note_stands_with_the_answer_never_with_the_question(
    browser: Browser, client: TestClient, db: Database
) -> None:
    add_cards(db, "a")
    client.post("/study/mark", data={"card": "a", "act": "note", "remark": "the trick"})
    assert "the trick" not in browser.open()
    assert "the trick" in browser.reveal()


def test_marks_on_a_cards_page(client: TestClient, db: Database) -> None:
    add_cards(db, "a")
    form = {"card": "a", "page": "card"}
    response = client.post("/study/mark", data=form | {"act": "suspend"})
    assert (response.status_code, response.headers["location"]) == (303, "/cards/a")
    page = client.get("/cards/a").text
    assert "Take it back in" in page
    assert "suspended" in page
    client.post("/study/mark", data=form | {"act": "unsuspend"})
    assert ">Suspend" in client.get("/cards/a").text


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({}, 422),
        ({"card": "a", "act": "explode"}, 422),
        ({"card": "nope", "act": "flag"}, 404),
        ({"card": "a", "act": "note", "remark": "x" * 2001}, 422),
        ({"card": "a", "act": "flag", "cram": "x"}, 422),
    ],
)
def test_marks_that_are_none(client: TestClient, db: Database, form: dict[str, str], status: int) -> None:
    add_cards(db, "a")
    response = client.post("/study/mark", data=form)
    assert response.status_code == status
    assert '<main class="page' in response.text
    assert events(db) == 0


def test_a_leech_is_told_with_a_way_to_its_card(browser: Browser, client: TestClient, db: Database) -> None:
    add_cards(db, "a", "b")
    with db.write() as conn:
        conn.execute(
            insert(t.card_state).values(
                learner_id=1,
                card_id="a",
                state="review",
                stability=2.0,
                difficulty=5.0,
                due_day=date(2026, 11, 29),
                last_day=date(2026, 11, 27),
                interval=2,
                lapses=7,
                reps=9,
            )
        )
    browser.open("/study?card=a")
    browser.reveal()
    response = client.post("/study/answer", data={"ticket": browser.field("ticket"), "grade": "1"})
    assert response.headers["location"] == "/study?leech=a"
    page = browser.open(response.headers["location"])
    assert "Forgotten once too often, so it is suspended" in page
    assert "/cards/a" in page
    assert "A leech: forgotten 8 times. It is suspended." in client.get("/cards/a").text
    assert "question a" in browser.undo()
    assert "Forgotten" not in browser.open("/study?leech=a")


def test_some_cards_are_chosen_counted_and_studied(
    browser: Browser, client: TestClient, db: Database
) -> None:
    add_cards(db, "a", "b", deck="tree/one")
    add_cards(db, "c", deck="tree/two", level="IC6")
    page = browser.open("/study/some")
    assert "tree: all its decks" in page
    page = browser.open("/study/some?deck=tree/two&level=IC6")
    assert "Cram 1 card" in page
    assert 'href="/study?deck=tree%2Ftwo&amp;level=IC6"' in page
    page = browser.open("/study?deck=tree/two&level=IC6")
    assert "question c" in page
    assert "tree/two · IC6" in page
    assert '<input type="hidden" name="level" value="IC6">' in page
    assert "No card fits" in browser.open("/study/some?deck=tree/one&level=IC6")
    for wrong, status in (("level=x", 422), ("tag=x", 404), ("ahead=x", 422), ("cram=-1", 422)):
        assert client.get(f"/study/some?{wrong}").status_code == status


def test_a_cram_by_forms(browser: Browser, client: TestClient, db: Database) -> None:
    add_cards(db, "a", "b")
    begins = client.get("/study/cram?deck=test/deck")
    assert (begins.status_code, begins.headers["location"]) == (303, "/study?deck=test%2Fdeck&cram=0")
    for grade, left in (("1", "1 again · 1 to go"), ("3", "1 again"), ("3", "")):
        page = browser.open(begins.headers["location"])
        page = browser.reveal()
        assert re.findall(r'class="grade-interval">([^<]*)<', page) == ["once more", "done"]
        data = {"ticket": browser.field("ticket"), "grade": grade, "deck": "test/deck", "cram": "0"}
        response = client.post("/study/answer", data=data)
        assert response.headers["location"] == begins.headers["location"]
        assert left in browser.open(response.headers["location"])
    assert "Known, all of them" in browser.page
    assert "2 cards known" in browser.page
    assert "2 new" in browser.open("/study")
    response = client.get("/study/cram?deck=test/deck")
    assert response.headers["location"] == "/study?deck=test%2Fdeck&cram=3"


def test_reviews_ahead_by_address(browser: Browser, db: Database, clock: MovableClock) -> None:
    add_cards(db, "a")
    browser.open()
    browser.reveal()
    browser.grade(4)
    clock.advance(days=1)
    assert "Done for today" in browser.open("/study")
    page = browser.open("/study?ahead=30")
    assert "question a" in page
    assert "1 month ahead" in page

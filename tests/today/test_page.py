"""The Today page over the real rooms."""

import re

from sqlalchemy import insert
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from tests.conftest import MovableClock, add_cards
from tests.study.browsing import Browser


def test_who_has_begun_is_led_to_some_of_the_cards(client: TestClient, db: Database) -> None:
    add_cards(db, "a", "b")
    assert "/study/some" not in client.get("/").text
    browser = Browser(client)
    browser.open()
    browser.reveal()
    browser.grade()
    assert 'href="/study/some"' in client.get("/").text
    listed = client.get("/cards", params={"deck": "test/deck"}).text
    assert re.search(r'href="/study/some\?[^"]*deck=test%2Fdeck', listed)


def test_an_empty_house_is_never_a_blank_page(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "No cards yet" in page.text


def test_a_fresh_start_leads_to_the_first_card(client: TestClient, db: Database) -> None:
    add_cards(db, "a", "b")
    add_cards(db, "pitch", queue="drill")
    page = client.get("/").text
    assert "Begin with one card" in page
    assert "2 new" in page
    assert "1 pitch" in page
    assert "Read a short page on a topic before its cards." in page
    assert page.count('class="button main"') == 2  # the next step, and the one in the closed list of keys


def test_what_keeps_a_deck_out_is_told_with_its_line(
    client: TestClient, db: Database, clock: MovableClock
) -> None:
    error = {"path": "mine.md", "line": 7, "problem": "the card has no id", "fix": "Add id: a-name."}
    with db.write() as conn:
        conn.execute(
            insert(t.deck_file).values(
                origin="own", path="mine.md", hash="x", errors=[error], read_at=clock.now
            )
        )
    assert "mine.md:7: the card has no id" in client.get("/").text

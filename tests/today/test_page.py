"""The Today page over the real rooms."""

from sqlalchemy import insert
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from tests.conftest import MovableClock, add_cards


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

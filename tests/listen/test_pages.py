"""The page to listen on: what is due first, both sides as they are read, and nothing written."""

from sqlalchemy import update
from starlette.testclient import TestClient

from app.accounts.learner import Learner, LearnerId, Preferences
from app.db import tables as t
from app.db.engine import Database
from app.study import listening
from app.study.chosen import ALL
from tests.conftest import MovableClock, add_cards
from tests.study.room import Room


def test_due_cards_come_first_then_others(db: Database, clock: MovableClock) -> None:
    learner = Learner(LearnerId(1), "Europe/Berlin", 4, Preferences())
    add_cards(db, "a", "b", "c")
    Room(db, learner, clock).answer(4)
    clock.advance(days=30)
    with db.read() as conn:
        cards, due = listening.to_hear(conn, learner, clock(), ALL)
    assert (cards[0].id, due, len(cards)) == ("a", 1, 3)


def test_the_page_has_both_sides_as_they_are_read(client: TestClient, db: Database) -> None:
    add_cards(db, "a")
    page = client.get("/listen").text
    assert 'data-asked="question a."' in page
    assert 'data-told="answer a."' in page
    assert "1 card: about 1 minute" in page


def test_a_cards_page_is_read_question_first(client: TestClient, db: Database) -> None:
    add_cards(db, "a")
    add_cards(db, "s", queue="drill")
    assert 'data-text="question a.\nanswer a."' in client.get("/cards/a").text
    assert 'data-text="question s."' in client.get("/drill/s").text


def test_a_choice_that_fits_nothing_leads_to_another(client: TestClient, db: Database) -> None:
    add_cards(db, "a")
    assert "No card fits" in client.get("/listen?level=IC6").text
    assert client.get("/listen?deck=nowhere").status_code == 404


def test_what_was_chosen_has_the_name_of_its_deck(client: TestClient, db: Database) -> None:
    add_cards(db, "a")
    with db.write() as conn:
        conn.execute(update(t.deck).values(title="A deck for tests"))
    assert "(A deck for tests)" in client.get("/listen?deck=test/deck").text

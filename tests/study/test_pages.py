"""The study pages as a browser without scripts meets them: forms, redirects, and no wrong turn that loses anything."""

import re
from datetime import UTC, datetime

import pytest
from sqlalchemy import event as sa_event
from sqlalchemy import func, select, update
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from tests.conftest import MovableClock, add_cards
from tests.study.browsing import Browser


def events(db: Database) -> int:
    with db.read() as conn:
        return conn.scalar(select(func.count()).select_from(t.event)) or 0


def test_question_answer_grade_undo(browser: Browser, db: Database, clock: MovableClock) -> None:
    add_cards(db, "a", "b")
    page = browser.open()
    assert "question a" in page
    assert "answer a" not in page
    assert "2 new" in page
    assert "Undo" not in page
    clock.advance(seconds=7)
    page = browser.reveal()
    assert "answer a" in page
    assert "a test" in page
    assert re.findall(r'class="grade-interval">([^<]*)<', page)[:3] == ["1 min", "5.5 min", "10 min"]
    page = browser.grade(3)
    assert "question b" in page
    with db.read() as conn:
        assert conn.scalar(select(t.event.c.ms)) == 7000
    page = browser.undo()
    assert "question a" in page
    assert "Undo" not in page


def test_undo_shows_the_card_again_even_when_another_is_due(
    browser: Browser, db: Database, clock: MovableClock
) -> None:
    add_cards(db, "a", "b")
    browser.open()
    browser.reveal()
    browser.grade(1)
    browser.reveal()
    browser.grade(4)
    clock.advance(minutes=2)
    page = browser.undo()
    assert "question b" in page


def test_the_done_page_says_when_and_lets_undo(browser: Browser, db: Database, clock: MovableClock) -> None:
    add_cards(db, "a")
    browser.open()
    browser.reveal()
    page = browser.grade(3)
    assert "Done for now" in page
    assert "comes back in 10 minutes" in page
    assert 'data-comes-in="600"' in page
    assert "question a" in browser.undo()
    browser.reveal()
    page = browser.grade(4)
    assert "Done for today" in page
    assert "1 card answered today" in page
    clock.advance(days=1)
    assert "Undo" not in browser.open()


def test_a_fresh_start_is_not_blank(browser: Browser) -> None:
    assert "No cards yet" in browser.open()


def test_a_double_click_counts_once(browser: Browser, client: TestClient, db: Database) -> None:
    add_cards(db, "a", "b")
    browser.open()
    browser.reveal()
    form = {"ticket": browser.field("ticket"), "grade": "3"}
    for grade in ("3", "3", "1"):
        assert client.post("/study/answer", data=form | {"grade": grade}).status_code == 303
    assert events(db) == 1


def test_a_stale_tab_shows_the_next_card_and_says_why(
    browser: Browser, client: TestClient, db: Database
) -> None:
    add_cards(db, "a", "b")
    other = Browser(client)
    browser.open()
    other.open()
    stale_showing = other.field("showing")
    other.reveal()
    stale = other.field("ticket")
    browser.reveal()
    browser.grade(3)
    response = client.post("/study/answer", data={"ticket": stale, "grade": "1"})
    assert response.status_code == 409
    assert "answered or changed elsewhere" in response.text
    assert "question b" in response.text
    response = client.get("/study/reveal", params={"showing": stale_showing})
    assert (response.status_code, response.headers["location"]) == (303, "/study")
    assert events(db) == 1


def test_a_revealed_card_has_an_address_which_leads_on_once_it_is_graded(
    browser: Browser, client: TestClient, db: Database
) -> None:
    add_cards(db, "a", "b")
    browser.open()
    showing = {"showing": browser.field("showing"), "deck": "test/deck"}
    for _ in range(2):
        assert "answer a" in client.get("/study/reveal", params=showing).text
    browser.reveal()
    browser.grade(3)
    back = client.get("/study/reveal", params=showing)
    assert (back.status_code, back.headers["location"]) == (303, "/study?deck=test%2Fdeck")
    browser.undo()
    assert client.get("/study/reveal", params=showing).status_code == 303


def test_an_answer_that_was_undone_is_not_taken_for_given(
    browser: Browser, client: TestClient, db: Database
) -> None:
    add_cards(db, "a", "b")
    browser.open()
    browser.reveal()
    ticket = browser.field("ticket")
    browser.grade(3)
    browser.undo()
    response = client.post("/study/answer", data={"ticket": ticket, "grade": "3"})
    assert response.status_code == 409
    assert "was undone before" in response.text
    assert "question a" in response.text


@pytest.mark.parametrize("showing", ["forged", "x" * 5000])
def test_a_showing_that_is_none_of_ours_reveals_nothing(
    client: TestClient, db: Database, showing: str
) -> None:
    add_cards(db, "a")
    response = client.get("/study/reveal", params={"showing": showing})
    assert response.status_code == 422
    assert "answer a" not in response.text


@pytest.mark.parametrize("event", ["", "99", "-1", "²", "x", "9" * 40])
def test_undo_of_no_answer_says_so_and_names_no_other(client: TestClient, event: str) -> None:
    response = client.post("/study/undo", data={"event": event})
    assert response.status_code == 404
    assert "There is no such answer to undo." in response.text


def test_an_edited_card_is_shown_anew(browser: Browser, client: TestClient, db: Database) -> None:
    add_cards(db, "a")
    browser.open()
    browser.reveal()
    ticket = browser.field("ticket")
    with db.write() as conn:
        conn.execute(update(t.note).values(revision=2))
        conn.execute(update(t.card).values(front="<p>better question</p>"))
    response = client.post("/study/answer", data={"ticket": ticket, "grade": "3"})
    assert response.status_code == 409
    assert "better question" in response.text


@pytest.mark.parametrize("path", ["/study/reveal", "/study/answer", "/study/undo"])
def test_a_reload_of_an_answers_page_leads_back(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert (response.status_code, response.headers["location"]) == (303, "/study")


@pytest.mark.parametrize(
    ("path", "form", "status"),
    [
        ("answer", {}, 422),
        ("answer", {"ticket": "forged", "grade": "3"}, 422),
        ("undo", {}, 404),
    ],
)
def test_wrong_forms_get_a_page_with_a_sentence(
    client: TestClient, db: Database, path: str, form: dict[str, str], status: int
) -> None:
    add_cards(db, "a")
    response = client.post(f"/study/{path}", data=form)
    assert response.status_code == status
    assert '<main class="page' in response.text
    assert events(db) == 0


@pytest.mark.parametrize("grade", ["", "0", "5", "good", "3.0", "³"])
def test_a_grade_that_is_none(browser: Browser, client: TestClient, db: Database, grade: str) -> None:
    add_cards(db, "a")
    browser.open()
    browser.reveal()
    response = client.post("/study/answer", data={"ticket": browser.field("ticket"), "grade": grade})
    assert response.status_code == 422
    assert "The grade must be 1" in response.text
    assert events(db) == 0


def test_one_deck_is_kept_through_an_answer(client: TestClient, db: Database) -> None:
    add_cards(db, "a")
    add_cards(db, "b", "c", deck="other/deck")
    browser = Browser(client)
    assert "question b" in browser.open("/study?deck=other/deck")
    data = {"showing": browser.field("showing"), "deck": browser.field("deck")}
    browser.page = client.get("/study/reveal", params=data).text
    data = {"ticket": browser.field("ticket"), "deck": browser.field("deck"), "grade": "3"}
    response = client.post("/study/answer", data=data)
    assert response.headers["location"] == "/study?deck=other%2Fdeck"
    assert "question c" in browser.open(response.headers["location"])
    assert client.get("/study?deck=no/deck").status_code == 404


def test_html_of_a_card_is_drawn_as_it_was_made(browser: Browser, db: Database) -> None:
    add_cards(db, "a")
    with db.write() as conn:
        conn.execute(update(t.card).values(front="<p>why <em>root</em> d?</p>"))
        conn.execute(update(t.note).values(source="<Vaswani> & al."))
    assert "<p>why <em>root</em> d?</p>" in browser.open()
    assert "&lt;Vaswani&gt; &amp; al." in browser.reveal()


def test_pages_ask_the_database_a_fixed_number_of_times(browser: Browser, db: Database) -> None:
    add_cards(db, *(f"c{n}" for n in range(30)))
    add_cards(db, *(f"d{n}" for n in range(30)), deck="other/deck")
    asked: list[str] = []
    sa_event.listen(db._readers, "before_cursor_execute", lambda *args: asked.append(args[2]), named=False)
    browser.open()
    assert len([sql for sql in asked if sql.startswith("SELECT")]) <= 12


def test_a_day_change_while_the_answer_is_open(browser: Browser, db: Database, clock: MovableClock) -> None:
    add_cards(db, "a")
    clock.now = datetime(2026, 11, 30, 3, 59, tzinfo=UTC)
    browser.open()
    browser.reveal()
    clock.advance(minutes=3)
    browser.grade(4)
    with db.read() as conn:
        assert conn.scalar(select(t.event.c.study_day)).isoformat() == "2026-11-30"

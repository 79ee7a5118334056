"""The study pages as a browser without scripts meets them: forms, redirects, and no wrong turn that loses anything."""

import re
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import event as sa_event
from sqlalchemy import func, insert, select, update
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from tests.conftest import MovableClock, add_cards


class Browser:
    """Reads a page's hidden fields and sends its forms."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.page = ""

    def open(self, path: str = "/study") -> str:
        response = self.client.get(path)
        assert response.status_code == 200, response.text
        self.page = response.text
        return self.page

    def field(self, name: str) -> str:
        found = re.search(rf'name="{name}" value="([^"]*)"', self.page)
        assert found, f"no field {name} in {self.page}"
        return found[1]

    def reveal(self) -> str:
        response = self.client.get("/study/reveal", params={"showing": self.field("showing")})
        assert response.status_code == 200
        self.page = response.text
        return self.page

    def grade(self, grade: int = 3) -> str:
        response = self.client.post(
            "/study/answer", data={"ticket": self.field("ticket"), "grade": str(grade)}
        )
        assert (response.status_code, response.headers["location"]) == (303, "/study")
        return self.open()

    def undo(self) -> str:
        response = self.client.post("/study/undo", data={"event": self.field("event")})
        assert response.status_code == 303
        return self.open(response.headers["location"])


@pytest.fixture
def browser(client: TestClient) -> Browser:
    return Browser(client)


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
    assert len([sql for sql in asked if sql.startswith("SELECT")]) <= 11


def test_a_day_change_while_the_answer_is_open(browser: Browser, db: Database, clock: MovableClock) -> None:
    add_cards(db, "a")
    clock.now = datetime(2026, 11, 30, 3, 59, tzinfo=UTC)
    browser.open()
    browser.reveal()
    clock.advance(minutes=3)
    browser.grade(4)
    with db.read() as conn:
        assert conn.scalar(select(t.event.c.study_day)).isoformat() == "2026-11-30"


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

"""What is said before a reveal is kept by the showing's key until it is graded, and stands in no address."""

import html

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.settings import Settings
from tests.conftest import MovableClock
from tests.study.test_saying import CODE, NUMBER, TYPED, detail, field, load, reveal, told


def test_a_long_answer_is_in_no_address(client: TestClient, settings: Settings, db: Database) -> None:
    """The address of a reveal carried what was said: 4,000 signs of code broke it, and it stood in every log."""
    load(settings, db, CODE)
    page, written = client.get("/study").text, "ü" * 4000
    assert 'class="reveal" method="post"' in page
    form = {"showing": html.unescape(field(page, "showing")), "said.answer": written}
    address = client.post("/study/reveal", data=form).headers["location"]
    assert len(address) < 500
    for _ in range(2):  # a reload
        assert written in client.get(address).text
    page = client.get(address).text
    client.post("/study/mark", data={"card": "code", "act": "flag", "showing": field(page, "showing")})
    assert len(field(page, "showing")) < 400
    client.post("/study/answer", data={"ticket": field(page, "ticket"), "grade": "3"})
    assert detail(db)["said"] == {"answer": written}
    assert client.get(address).status_code == 303
    with db.read() as conn:
        assert conn.execute(select(t.draft)).all() == []


def test_what_was_said_and_never_graded_goes_in_a_month(
    client: TestClient, settings: Settings, db: Database, clock: MovableClock
) -> None:
    load(settings, db, TYPED)
    told(client, client.get("/study").text, "bf16")
    clock.advance(days=31)
    page = told(client, client.get("/study").text, "fp16")
    client.post("/study/answer", data={"ticket": field(page, "ticket"), "grade": "3"})
    with db.read() as conn:
        assert conn.execute(select(t.draft)).all() == []


def test_a_showing_of_somebody_else_keeps_nothing(
    client: TestClient, settings: Settings, db: Database
) -> None:
    load(settings, db, TYPED)
    refused = client.post("/study/reveal", data={"showing": "made up", "said.answer": "fp16"})
    assert refused.status_code == 422
    assert "This card was not shown by this server" in refused.text


def test_what_is_said_to_a_card_that_was_graded_elsewhere_leads_on(
    client: TestClient, settings: Settings, db: Database
) -> None:
    load(settings, db, TYPED)
    form = {"showing": field(client.get("/study").text, "showing"), "said.answer": "fp16"}
    reveal(client, {"answer": "fp16"})
    sent = client.post("/study/reveal", data=form)
    assert (sent.status_code, sent.headers["location"]) == (303, "/study")


def test_a_reload_shows_the_same_mark(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, NUMBER)
    page = client.get("/study").text
    form = {"showing": field(page, "showing"), "said.answer": "327,680 B"}
    address = client.post("/study/reveal", data=form).headers["location"]
    for _ in range(2):
        assert "Suggested: Good" in client.get(address).text


@pytest.mark.parametrize("written", ["mask = ones", "".join(f"{n:x}" for n in range(1500))[:4000]])
def test_a_flag_leaves_what_was_said_in_place(
    client: TestClient, settings: Settings, db: Database, written: str
) -> None:
    load(settings, db, CODE)
    page = client.get("/study").text
    page = told(client, page, written)
    form = {"card": "code", "act": "flag", "showing": field(page, "showing")}
    flagged = client.post("/study/mark", data=form)
    assert flagged.status_code == 303
    page = client.get(flagged.headers["location"]).text
    assert "Your code" in page
    client.post("/study/answer", data={"ticket": field(page, "ticket"), "grade": "3"})
    assert detail(db)["said"] == {"answer": written}

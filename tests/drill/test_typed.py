"""A typed answer, by plain forms: its time is counted, its text is kept, and it is reviewed like a spoken one."""

import re

import pytest
from sqlalchemy import select, update
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.drill.pitch import Point
from app.drill.said.prompt_copy import prompt
from tests.conftest import MovableClock, add_cards
from tests.drill.forms import follow, hidden

TEXT = "the mask hides what comes later, and we divide by the root of d k"


@pytest.fixture(autouse=True)
def _pitches(db: Database) -> None:
    add_cards(db, "pitch", "decode", queue="drill", deck="spoken")


def begun(client: TestClient) -> str:
    """The page of the form, at an address that has the attempt."""
    sent = client.get("/drill/pitch/typed")
    assert sent.status_code == 303
    return client.get(sent.headers["location"]).text


def test_a_typed_answer_from_its_first_word_to_its_rating(
    client: TestClient, clock: MovableClock, db: Database
) -> None:
    page = begun(client)
    take = hidden(page, "take")
    clock.advance(seconds=40)
    kept = follow(client, "/drill/pitch/draft", take=take, text="the mask")
    assert "the mask</textarea>" in kept
    assert "data-clock-time>0:40<" in kept
    clock.advance(seconds=20)
    review = follow(client, "/drill/pitch/typed", take=take, text=TEXT)
    assert "What you typed" in review
    assert TEXT in review
    assert "1:00" in review
    assert review.count("Mentioned") == 2
    assert "data-seek-ms" not in review
    assert not re.search(r'name="point"[^>]*checked', review)
    changed = follow(
        client, "/drill/pitch/ticks", take=hidden(review, "take"), point=["p1"], text="nothing of it"
    )
    assert (changed.count("Not found"), changed.count("Not heard")) == (2, 0)
    saved = follow(
        client, "/drill/pitch/takes", take=hidden(changed, "take"), grade=3, point=["p1"], text=TEXT
    )
    assert "Saved: Good" in saved
    with db.read() as conn:
        row = conn.execute(select(t.take)).one()
    assert (row.text, row.quiet, row.recording_id) == (TEXT, False, None)
    assert row.marks == {"p1": "mentioned", "p2": "mentioned"}
    again = follow(client, "/drill/undo", event=hidden(saved, "event"))
    assert TEXT in again
    assert "Saved: Easy" in follow(client, "/drill/pitch/takes", take=hidden(again, "take"), grade=4)
    with db.read() as conn:
        assert conn.scalars(select(t.take.c.text)).all() == [TEXT, TEXT]


def test_the_back_button_finds_the_text_and_a_saved_answer_its_take(client: TestClient) -> None:
    where = client.get("/drill/pitch/typed").headers["location"]
    take = hidden(client.get(where).text, "take")
    review = follow(client, "/drill/pitch/typed", take=take, text=TEXT)
    assert TEXT in client.get(where).text
    follow(client, "/drill/pitch/takes", take=hidden(review, "take"), grade=3)
    assert client.get(where).headers["location"] == "/drill/pitch/takes/1"


def test_a_script_keeps_the_text_and_gets_no_page(client: TestClient) -> None:
    take = hidden(begun(client), "take")
    sent = client.post("/drill/pitch/draft", data={"take": take, "text": "so far", "page": "false"})
    assert (sent.status_code, sent.content) == (204, b"")


def test_a_typed_case_shows_its_stages(client: TestClient, clock: MovableClock, db: Database) -> None:
    """Only one that is said had them, though both go by the same clock."""
    stages = [{"name": "requirements", "seconds": 60}, {"name": "estimate", "seconds": 30}]
    with db.write() as conn:
        body = conn.scalar(select(t.note.c.body).where(t.note.c.key == "pitch"))
        conn.execute(update(t.note).where(t.note.c.key == "pitch").values(body={**body, "stages": stages}))
    take = hidden(begun(client), "take")
    clock.advance(seconds=70)
    page = client.get("/drill/pitch/typed", params={"take": take}).text
    assert re.search(r'data-state="done" data-name="requirements"', page)
    assert re.search(r'data-state="now" data-name="estimate"[^>]* aria-current="step".*0:20 left', page)
    assert "js/stages" in page


def test_a_blank_answer_can_be_rated(client: TestClient) -> None:
    review = follow(client, "/drill/pitch/typed", take=hidden(begun(client), "take"), text="")
    assert "Saved: Again" in follow(client, "/drill/pitch/takes", take=hidden(review, "take"), grade=1)


def test_who_comes_from_the_prompt_types_in_its_place(client: TestClient) -> None:
    take = hidden(client.get("/drill/pitch").text, "take")
    where = client.get("/drill/pitch/typed", params={"take": take}).headers["location"]
    assert "Your answer" in client.get(where).text


def test_texts_that_nobody_rated_go_after_a_month(
    client: TestClient, clock: MovableClock, db: Database
) -> None:
    follow(client, "/drill/pitch/draft", take=hidden(begun(client), "take"), text="old")
    clock.advance(days=31)
    follow(client, "/drill/pitch/draft", take=hidden(begun(client), "take"), text="new")
    with db.read() as conn:
        assert conn.scalars(select(t.draft.c.text)).all() == ["new"]


@pytest.mark.parametrize("path", ["typed", "draft"])
def test_what_does_not_fit_is_answered_in_a_sentence(client: TestClient, path: str) -> None:
    typed = hidden(begun(client), "take")
    spoken = hidden(client.get("/drill/decode").text, "take")
    for card, form in (
        ("pitch", {"take": "nonsense", "text": "x"}),
        ("pitch", {"take": typed, "text": "word " * 5000}),
        ("decode", {"take": typed, "text": "x"}),
        ("decode", {"take": spoken, "text": "x"}),
    ):
        assert client.post(f"/drill/{card}/{path}", data=form).status_code == 422
    assert client.get("/drill/nothing/typed").status_code == 404


def test_a_prompt_has_question_rubric_and_answer() -> None:
    made = prompt("Why?", [Point("p", "Because.", ""), Point("q", "So.", "")], " It is. ", typed=True)
    assert "Question:\nWhy?" in made
    assert "Rubric:\n1. Because.\n2. So." in made
    assert "Answer:\n<<<\nIt is.\n>>>" in made
    assert "typed against a clock" in made
    assert "misheard words" in prompt("Why?", [], "", typed=False)


def test_what_is_changed_in_a_typed_answer_after_an_undo_is_kept(client: TestClient, db: Database) -> None:
    review = follow(client, "/drill/pitch/typed", take=hidden(begun(client), "take"), text=TEXT)
    saved = follow(client, "/drill/pitch/takes", take=hidden(review, "take"), grade=3, text=TEXT)
    again = follow(client, "/drill/undo", event=hidden(saved, "event"))
    changed = follow(client, "/drill/pitch/ticks", take=hidden(again, "take"), text="the mask alone")
    assert "the mask alone</textarea>" in changed
    rated = follow(
        client, "/drill/pitch/takes", take=hidden(changed, "take"), grade=2, text="the mask, alone"
    )
    assert "the mask, alone" in rated
    with db.read() as conn:
        rows = conn.execute(select(t.take).order_by(t.take.c.id)).all()
    assert [row.text for row in rows] == [TEXT, "the mask, alone"]
    assert rows[1].marks == {"p1": "mentioned", "p2": "missed"}

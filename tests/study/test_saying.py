"""An answer that is given with the reveal: marked on the page and by the API, kept with the grade, never required."""

import html
import json
import re
from datetime import UTC, datetime

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.library.sync import sync
from app.settings import Settings
from app.study import service

API = "/api/v1/study"
HEAD = "---\ndeck: attention/test\ntitle: Test\n---\n"
TYPED = (
    "Q: In which format?\nkind: typed\nanswer: fp16 | float16\nA: Its largest number is 65,504.\nid: typed\n"
)
NUMBER = "Q: How much?\nkind: number\nanswer: 320 KiB\ntolerance: 1 %\nA: So.\nid: number\n"
ESTIMATE = (
    "Q: How much do {=n} take?\nkind: estimate\nparams: n=1024..9999\nanswer: 4 * n -> B\n"
    "tolerance: 2 %\nid: estimate\n"
)
SPOT = "Q: Which?\nkind: spot\nright: It hides.\nright: It costs.\nwrong: It sees.\nA: No.\nid: spot\n"
CODE = "Q: Mask it.\nkind: code\nA: ```python\nmask = ones.tril()\nscores = fill(mask)\n```\nid: code\n"
PLAIN = "Q: Why?\nA: So.\nid: plain\n"
MASK = (
    "Q: Which keys?\nkind: predict\nA: These.\ndemo: decode-alignment n_q=3 n_kv=6\n"
    "expect: mask-bottom-right.cells[0][3] = 1\nexpect: mask-bottom-right.cells[0][4] = 0\nid: mask\n"
)
SHAPE = (
    "Q: Which shape?\nkind: predict\nA: This.\ndemo: attention example=random n_q=3 n_kv=6 d_k=8\n"
    "expect: shapes.steps[2].dims[1].n = 3\nexpect: shapes.steps[2].dims[2].n = 6\nid: shape\n"
)


def load(settings: Settings, db: Database, *cards: str) -> None:
    (settings.content / "decks" / "test.md").write_text(HEAD + "\n".join(cards), encoding="utf-8")
    assert sync(settings, db, datetime(2026, 11, 29, tzinfo=UTC)).errors == ()


def field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, f"no field {name}"
    return found[1]


def detail(db: Database) -> dict[str, object]:
    with db.read() as conn:
        found = conn.execute(select(t.event.c.detail).order_by(t.event.c.id.desc()).limit(1)).scalar_one()
    assert isinstance(found, dict)
    return found


def reveal(client: TestClient, said: dict[str, str]) -> dict[str, object]:
    shown = client.get(f"{API}/next").json()
    response = client.post(f"{API}/reveal", json={"showing": shown["showing"], "said": said})
    assert response.status_code == 200, response.text
    body = {"ticket": response.json()["ticket"], "revision": shown["revision"], "grade": 3, "ms": 9000}
    assert client.post(f"{API}/answers", json=body).status_code == 200
    found = response.json()
    assert isinstance(found, dict)
    return found


def told(client: TestClient, page: str, *said: str, of: str = "answer") -> str:
    """The page of the reveal, after the question's form was sent with what was said."""
    form = {"showing": html.unescape(field(page, "showing")), f"said.{of}": list(said)}
    sent = client.post("/study/reveal", data=form)
    assert sent.status_code == 303, sent.text
    return client.get(sent.headers["location"]).text


def test_a_typed_answer_is_marked_on_the_page_and_kept_with_the_grade(
    client: TestClient, settings: Settings, db: Database
) -> None:
    load(settings, db, TYPED)
    page = client.get("/study").text
    assert 'name="said.answer"' in page
    assert "65,504" not in page
    page = told(client, page, "bf16")
    assert "Not what the card accepts." in page
    assert "<del>b</del>f" in page
    assert "Suggested: Again. The grade is yours." in page
    assert re.search(r'class="grade main" name="grade" value="1" data-key="1 space"', page)
    assert "<strong>fp16</strong> or <strong>float16</strong>" in page
    answered = client.post("/study/answer", data={"ticket": field(page, "ticket"), "grade": "3"})
    assert answered.status_code == 303
    kept = detail(db)
    assert kept["said"] == {"answer": "bf16"}
    assert kept["mark"] == {
        "verdict": "wrong",
        "fields": {"answer": {"verdict": "wrong", "words": "Not what the card accepts."}},
    }


def test_nothing_said_is_a_plain_reveal(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, TYPED)
    page = client.get("/study").text
    page = told(client, page, " ")
    assert "What you said" not in page
    assert "Suggested" not in page
    assert re.search(r'class="grade main" name="grade" value="3" data-key="3 space"', page)
    client.post("/study/answer", data={"ticket": field(page, "ticket"), "grade": "3"})
    assert not detail(db).keys() & {"said", "mark"}


def test_a_question_takes_nothing(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, PLAIN)
    page = client.get("/study").text
    assert "said." not in page
    shown = client.get(f"{API}/next").json()
    assert shown["card"]["fields"] == []
    refused = client.post(f"{API}/reveal", json={"showing": shown["showing"], "said": {"answer": "x"}})
    assert refused.status_code == 422
    assert "it takes none" in refused.json()["detail"]


def test_what_was_said_is_drawn_as_text(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, TYPED)
    page = client.get("/study").text
    page = told(client, page, "<script>alert(1)</script>")
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_too_much_is_refused_in_a_sentence_and_the_card_is_still_there(
    client: TestClient, settings: Settings, db: Database
) -> None:
    load(settings, db, CODE)
    page = client.get("/study").text
    form = {"showing": field(page, "showing"), "said.answer": "x" * 4001}
    response = client.post("/study/reveal", data=form)
    assert response.status_code == 422
    assert "An answer may have 4,000 characters, and this one has 4,001; shorten it." in response.text
    assert "Mask it." in response.text


def test_an_estimate_is_marked_with_the_drawn_numbers_which_the_log_keeps(
    client: TestClient, settings: Settings, db: Database
) -> None:
    load(settings, db, ESTIMATE)
    shown = client.get(f"{API}/next").json()
    assert [field["kind"] for field in shown["card"]["fields"]] == ["quantity"]
    n = int(re.sub(r"\D", "", shown["card"]["question"]))
    said = {"answer": f"about {4 * n / 1024:.4g} KiB"}
    found = client.post(f"{API}/reveal", json={"showing": shown["showing"], "said": said}).json()
    assert found["mark"]["verdict"] == "right", found["mark"]
    body = {"ticket": found["ticket"], "revision": shown["revision"], "grade": 4, "ms": 9000}
    client.post(f"{API}/answers", json=body)
    kept = detail(db)
    assert kept["drawn"] == {"n": n}
    assert kept["said"] == said


def test_the_wrong_sentence_of_this_showing(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, SPOT)
    page = client.get("/study").text
    assert page.count('type="radio"') == 3
    sentences = re.findall(r"<li>(It [^<]*)</li>", page)
    wrong = "ABC"[sentences.index("It sees.")]
    other = next(letter for letter in "ABC" if letter != wrong)
    assert "Suggested: Good" in told(client, page, wrong)
    page = told(client, page, other)
    assert f"{other} is right; {wrong} is the wrong one." in page


def test_code_stands_beside_the_cards(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, CODE)
    found = reveal(client, {"answer": "mask = ones.tril()\nscores = mask"})
    mark = found["mark"]
    assert isinstance(mark, dict)
    assert (mark["verdict"], mark["suggests"]) == ("unmarked", None)
    assert detail(db)["said"] == {"answer": "mask = ones.tril()\nscores = mask"}


def test_a_prediction_is_marked_against_the_claims_until_something_ran(
    client: TestClient, settings: Settings, db: Database
) -> None:
    load(settings, db, SHAPE)
    shown = client.get(f"{API}/next").json()
    fields = shown["card"]["fields"]
    assert [(field["kind"], field["label"]) for field in fields] == [("shape", "Shape at step 3")]
    said = {fields[0]["name"]: "(3, 6)"}
    mark = client.post(f"{API}/reveal", json={"showing": shown["showing"], "said": said}).json()["mark"]
    assert mark["verdict"] == "right"
    assert mark["against"] == "what the card claims of its demo, which nobody has run here yet"


def test_cells_of_a_mask_without_scripts(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, MASK)
    page = client.get("/study").text
    assert page.count('type="checkbox" name="said.mask-bottom-right.cells"') == 5
    page = told(client, page, *(f"0.{key}" for key in range(4)), of="mask-bottom-right.cells")
    assert "All 2 cells are right." in page
    assert "Run it" in page
    client.post("/study/answer", data={"ticket": field(page, "ticket"), "grade": "3"})
    assert detail(db)["said"] == {"mask-bottom-right.cells": "11110"}


@pytest.mark.parametrize("said", [{"other": "x"}, {"answer": "x" * 4001}])
def test_the_api_refuses_what_the_card_does_not_take(
    client: TestClient, settings: Settings, db: Database, said: dict[str, str]
) -> None:
    load(settings, db, TYPED)
    shown = client.get(f"{API}/next").json()
    assert client.post(f"{API}/reveal", json={"showing": shown["showing"], "said": said}).status_code == 422


def test_text_that_no_page_can_write_is_kept_as_it_can(
    client: TestClient, settings: Settings, db: Database
) -> None:
    load(settings, db, TYPED)
    shown = client.get(f"{API}/next").json()
    raw = json.dumps({"showing": shown["showing"], "said": {"answer": "f\ud800p"}})
    response = client.post(f"{API}/reveal", content=raw, headers={"Content-Type": "application/json"})
    assert response.status_code in (200, 422)


def test_the_log_still_rebuilds_every_state(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, TYPED, NUMBER)
    reveal(client, {"answer": "fp16"})
    reveal(client, {"answer": "40 GB"})
    with db.read() as conn:
        assert service.replay(conn) == ()

"""Cards that are drawn anew at each showing, and what is asked after an answer."""

import re
from datetime import UTC, datetime

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.library import drawing, params, rows
from app.library.format import parse_deck
from app.library.sync import sync
from app.settings import Settings

API = "/api/v1/study"
HEAD = "---\ndeck: attention/test\ntitle: Test\n---\n"
ESTIMATE = r"""Q: How many bytes do {=n} numbers take in {=dtype}?
kind: estimate
params: n=1..1000000 dtype=fp32|bf16
answer: 4 * n -> B
A: $4 \cdot {=n} = {=answer}$.
wrong: “{=answer / 2} B.” That is bf16.
id: size
level: IC5
next: spot, gone
demo: kv-cache tokens={=n}
"""
SPOT = """Q: Which of these is wrong of the causal mask?
kind: spot
right: It hides the future.
right: The diagonal stays.
right: It costs no weights.
wrong: It hides the past.
A: The past stays in sight.
id: spot
level: IC4
next: size
"""
SENTENCES = ["It costs no weights.", "It hides the future.", "It hides the past.", "The diagonal stays."]


def load(settings: Settings, db: Database, *cards: str) -> None:
    (settings.content / "decks" / "test.md").write_text(HEAD + "\n".join(cards), encoding="utf-8")
    assert sync(settings, db, datetime(2026, 11, 29, tzinfo=UTC)).errors == ()


def in_order(page: str) -> list[str]:
    listed = re.search(r"<ol.*?</ol>", page, re.DOTALL)
    assert listed
    return re.findall(r"It [^<]*|The [^<]*", listed[0])


def numbers(text: str) -> list[int]:
    return [int(found.replace(",", "")) for found in re.findall(r"\d[\d,]*", text)]


def test_question_reveal_and_log_agree_on_the_draw(
    client: TestClient, settings: Settings, db: Database
) -> None:
    load(settings, db, ESTIMATE)
    shown = client.get(f"{API}/next").json()
    assert shown["card"]["asks"] == "Estimate"
    n = numbers(shown["card"]["question"])[0]
    for _ in range(2):
        revealed = client.post(f"{API}/reveal", json={"showing": shown["showing"]}).json()
        assert revealed["drawn"]["n"] == n
        assert revealed["demo"] == f"kv-cache tokens={n}"
        assert f"<strong>{4 * n:,}&nbsp;B</strong>" in revealed["answer"]
    body = {"ticket": revealed["ticket"], "revision": shown["revision"], "grade": 3, "ms": 9000}
    assert client.post(f"{API}/answers", json=body).status_code == 200
    with db.read() as conn:
        detail = conn.execute(select(t.event.c.detail)).scalar_one()
    assert detail["drawn"] == revealed["drawn"]
    assert f"n = {n}" in client.get("/cards/size").text


def test_what_is_read_aloud_has_the_numbers_that_are_shown(
    client: TestClient, settings: Settings, db: Database
) -> None:
    load(settings, db, ESTIMATE.replace("id:", "say: It is {=n}, times four.\nid:"))
    page = client.get("/study").text
    showing = re.search(r'name="showing" value="([^"]+)"', page)
    assert showing
    revealed = client.get(f"/study/reveal?showing={showing[1]}").text
    asked, told = (re.search(r'data-text="([^"]+)"', html) for html in (page, revealed))
    assert asked
    assert told
    n = numbers(asked[1])[0]
    assert told[1] == f"It is {n:,}, times four."


def test_the_next_showing_draws_other_numbers(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, ESTIMATE)
    asked = {client.get(f"{API}/next").json()["card"]["question"] for _ in range(6)}
    assert len(asked) > 1


def test_the_pages_draw_from_the_showing(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, ESTIMATE)
    page = client.get("/study").text
    assert "Estimate" in page
    question = re.search(r"How many bytes do ([\d,]+) numbers", page)
    showing = re.search(r'name="showing" value="([^"]*)"', page)
    assert question
    assert showing
    answer = client.get("/study/reveal", params={"showing": showing[1]}).text
    assert f"How many bytes do {question[1]} numbers" in answer
    assert f"{4 * numbers(question[1])[0]:,}&nbsp;B" in answer


def test_a_draw_that_was_not_tried_and_has_no_value_gives_way_to_another(
    client: TestClient, settings: Settings, db: Database
) -> None:
    text = ESTIMATE.replace("4 * n", "4 * n / (n - 500)").replace("1..1000000", "1..1000")
    load(settings, db, text)
    (made,) = parse_deck(HEAD + text, "x.md").notes
    bad = next(draw for draw in range(1, 9999) if params.draw(made.params, str(draw))["n"] == 500)
    page = client.get(f"/cards/size?draw={bad}")
    body = client.get(f"/api/v1/cards/size?draw={bad}").json()
    assert page.status_code == 200
    assert body["drawn"]["n"] == numbers(body["question"])[0] != 500
    kept = drawing.source(made)
    assert kept
    assert drawing.values(kept, str(bad)) == body["drawn"]


def test_a_card_whose_row_left_the_table_is_shown_as_it_was_stored(
    client: TestClient, settings: Settings, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = ESTIMATE.replace("dtype=fp32|bf16", "model=llama-3-8b|mistral-7b").replace("{=dtype}", "{=model}")
    load(settings, db, text)
    monkeypatch.setattr(rows, "_rows", lambda table: {})
    shown = client.get(f"{API}/next").json()
    assert shown["card"]["question"] == "How many bytes do 1 numbers take in llama-3-8b?"
    revealed = client.post(f"{API}/reveal", json={"showing": shown["showing"]}).json()
    assert revealed["drawn"] == {}
    assert "<strong>4&nbsp;B</strong>" in revealed["answer"]
    body = {"ticket": revealed["ticket"], "revision": shown["revision"], "grade": 3, "ms": 9000}
    assert client.post(f"{API}/answers", json=body).status_code == 200
    assert client.get("/cards/size?draw=1").status_code == 200


def test_what_is_stored_is_the_canonical_draw(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, ESTIMATE)
    page = client.get("/cards/size").text
    assert "How many bytes do 1 numbers take in fp32?" in page
    assert "drawn anew each time" in page
    assert 'href="/cards/size?draw=1"' in page
    another = client.get("/cards/size?draw=1").text
    assert "How many bytes do 1 numbers" not in another
    assert client.get("/cards/size?draw=1").text == another
    api = client.get("/api/v1/cards/size").json()
    assert (api["question"], api["drawn"]) == (
        "How many bytes do 1 numbers take in fp32?",
        {"n": 1, "dtype": "fp32"},
    )
    drawn = client.get("/api/v1/cards/size?draw=1").json()
    assert drawn["question"] in another
    assert drawn["demo"] == f"kv-cache tokens={drawn['drawn']['n']}"
    assert client.get("/cards?q=numbers").text.count("How many bytes do 1 numbers") == 1


@pytest.mark.parametrize("draw", ["-1", "x", "100000"])
def test_a_draw_is_a_small_whole_number(
    client: TestClient, settings: Settings, db: Database, draw: str
) -> None:
    load(settings, db, ESTIMATE)
    assert client.get(f"/cards/size?draw={draw}").status_code == 422
    assert client.get(f"/api/v1/cards/size?draw={draw}").status_code == 422


def test_a_spot_lists_its_sentences_and_marks_the_wrong_one(
    client: TestClient, settings: Settings, db: Database
) -> None:
    load(settings, db, SPOT)
    orders = set()
    for _ in range(8):
        shown = client.get(f"{API}/next").json()
        sentences = shown["card"]["sentences"]
        assert sorted(sentences) == SENTENCES
        assert 'type="A"' in shown["card"]["question_html"]
        assert "wrong</strong>" not in shown["card"]["question_html"]
        orders.add(tuple(sentences))
        revealed = client.post(f"{API}/reveal", json={"showing": shown["showing"]}).json()
        letter = "ABCD"[sentences.index("It hides the past.")]
        assert revealed["drawn"] == {"wrong": letter}
        assert f"{letter} is wrong." in revealed["answer"]
    assert len(orders) > 1


def test_the_pages_mark_it_after_the_reveal_only(
    client: TestClient, settings: Settings, db: Database
) -> None:
    load(settings, db, SPOT)
    page = client.get("/study").text
    assert "Spot the wrong sentence" in page
    assert 'class="found"' not in page
    showing = re.search(r'name="showing" value="([^"]*)"', page)
    assert showing
    answer = client.get("/study/reveal", params={"showing": showing[1]}).text
    assert answer.count('class="found"') == 1
    assert in_order(page) == in_order(answer)
    assert 'class="found"' in client.get("/cards/spot").text


def test_follow_ups_come_after_the_answer(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, SPOT, ESTIMATE)
    page = client.get("/study").text
    assert "The interviewer goes on" not in page
    showing = re.search(r'name="showing" value="([^"]*)"', page)
    assert showing
    answer = client.get("/study/reveal", params={"showing": showing[1]}).text
    assert "The interviewer goes on" in answer
    assert 'href="/cards/size"' in answer
    shown = client.get(f"{API}/next").json()
    assert "next" not in shown["card"]
    revealed = client.post(f"{API}/reveal", json={"showing": shown["showing"]}).json()
    canonical = "How many bytes do 1 numbers take in fp32?"
    assert revealed["next"] == [{"id": "size", "question": canonical, "level": "IC5"}]
    assert "The interviewer goes on" in client.get("/cards/size").text
    assert [card["id"] for card in client.get("/api/v1/cards/size").json()["next"]] == ["spot"]


def test_a_mended_text_refuses_the_old_showing(client: TestClient, settings: Settings, db: Database) -> None:
    load(settings, db, ESTIMATE)
    shown = client.get(f"{API}/next").json()
    load(settings, db, ESTIMATE.replace("1..1000000", "1..2000000"))
    assert client.post(f"{API}/reveal", json={"showing": shown["showing"]}).status_code == 409

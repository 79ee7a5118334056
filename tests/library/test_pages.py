"""The Cards pages and their JSON, on the shipped decks."""

from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.library.sync import sync
from app.settings import ROOT, Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", content=ROOT / "content", zone="UTC")


@pytest.fixture
def shipped(app: FastAPI, client: TestClient, settings: Settings) -> TestClient:
    assert sync(settings, app.state.parts.db, datetime(2026, 11, 29, tzinfo=UTC)).errors == ()
    return client


def test_every_card_has_a_page_and_json_with_both_sides(shipped: TestClient) -> None:
    cards = shipped.get("/api/v1/cards", params={"limit": 200}).json()["cards"]
    assert len(cards) == 30
    for card in cards:
        page = shipped.get(f"/cards/{card['id']}")
        whole = shipped.get(f"/api/v1/cards/{card['id']}").json()
        assert page.status_code == 200
        assert whole["question_html"] in page.text
        assert whole["answer_html"] in page.text
        assert whole["source"]


def test_a_card_leads_on_in_words(shipped: TestClient) -> None:
    page = shipped.get("/cards/sqrt-dk").text
    assert "Asked next" in page
    assert 'href="/cards/causal-mask.1">A causal mask sets the score' in page


def test_what_is_often_wrong_stands_with_the_answer_wherever_it_is_shown(shipped: TestClient) -> None:
    whole = shipped.get("/api/v1/cards/sqrt-dk").json()
    assert "The softmax does that at any scale." in whole["answer_html"]
    assert "The softmax does that at any scale." not in whole["question_html"]
    assert "Often said, and wrong" in shipped.get("/cards/sqrt-dk").text


def test_an_answer_stands_in_the_cards_history(shipped: TestClient) -> None:
    shown = shipped.get("/api/v1/study/next").json()
    seen = shipped.post("/api/v1/study/reveal", json={"showing": shown["showing"]}).json()
    given = {"ticket": seen["ticket"], "revision": shown["revision"], "grade": 4, "ms": 7400}
    event = shipped.post("/api/v1/study/answers", json=given).json()["event"]
    path = f"/cards/{shown['card']['id']}"
    assert "<td>Easy</td>" in shipped.get(path).text
    assert "<td>7 s</td>" in shipped.get(path).text
    shipped.post("/api/v1/study/undo", json={"event": event})
    assert "(undone)" in shipped.get(path).text


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"level": "IC9"}, "IC9"),
        ({"cursor": "nonsense"}, "cursor"),
        ({"cursor": "WzEsMiwzLDQsNV0"}, "cursor"),  # [1,2,3,4,5]
        ({"cursor": b64encode(b"[" * 20_000).decode()}, "cursor"),
        ({"cursor": b64encode(b'[0,0,0,0,"\\ud800"]').decode()}, "cursor"),
        ({"cursor": "WzAsMCwwLDEwMDAwMDAwMDAwMDAwMDAwMDAwMCwiYSJd"}, "cursor"),  # a number past 64 bits
    ],
)
def test_wrong_questions_get_a_sentence(shipped: TestClient, query: dict[str, object], word: str) -> None:
    answer = shipped.get("/api/v1/cards", params=query)
    assert answer.status_code == 422
    assert word in answer.json()["detail"]
    assert shipped.get("/cards", params={k: v for k, v in query.items() if k != "limit"}).status_code in (
        200,
        422,
    )


@pytest.mark.parametrize("card_id", ["nothing", "causal-mask", "causal-mask.9", "%00", "x" * 3000])
def test_an_unknown_card_is_a_404_in_words(shipped: TestClient, card_id: str) -> None:
    assert shipped.get(f"/api/v1/cards/{card_id}").status_code == 404
    assert shipped.get(f"/cards/{card_id}").status_code == 404


def test_the_cursor_walks_through_every_card_once(shipped: TestClient) -> None:
    seen: list[str] = []
    cursor = ""
    while True:
        page = shipped.get("/api/v1/cards", params={"limit": 7, "cursor": cursor}).json()
        seen += [card["id"] for card in page["cards"]]
        if page["cursor"] is None:
            break
        cursor = page["cursor"]
    assert len(seen) == len(set(seen)) == 30


def test_decks_are_listed_with_their_cards(shipped: TestClient) -> None:
    decks = shipped.get("/api/v1/decks").json()
    assert [d["name"] for d in decks["decks"]] == ["attention/core", "attention/heads", "attention/serving"]
    assert sum(d["cards"] for d in decks["decks"]) == 30
    assert decks["problems"] == []

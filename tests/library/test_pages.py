"""The Cards pages and their JSON, on the shipped decks and on a small one."""

from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.db.engine import Database
from app.db.migrate import upgrade
from app.library.format import cards_of, parse_deck
from app.library.sync import sync
from app.main import create_app
from app.settings import ROOT, Settings

NOW = datetime(2026, 11, 29, tzinfo=UTC)


DECKS = tuple(
    parse_deck(path.read_text(encoding="utf-8"), path.name)
    for path in sorted((ROOT / "content" / "decks").glob("*.md"))
)
CARDS = [face.id for deck in DECKS for note in deck.notes for face in cards_of(note)]
SMALL = """---
deck: attention/small
title: Small
---
Q: Why divide by the root of $d_k$?
A: Or the softmax saturates.
wrong: “It is habit.” The softmax does that at any scale.
next: mask
id: scale
source: section 3.2.1

C: A causal mask hides {{c1::the future}}, and {{c2::keeps the diagonal}}.
id: mask
level: IC5
"""


@pytest.fixture
def small(client: TestClient, db: Database, settings: Settings) -> TestClient:
    (settings.content / "decks" / "small.md").write_text(SMALL, encoding="utf-8")
    assert sync(settings, db, NOW).errors == ()
    return client


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The shipped decks, read once for the tests of this file that only look."""
    settings = Settings(data=tmp_path_factory.mktemp("shipped"), zone="UTC")
    upgrade(settings.database)
    made = create_app(settings, lambda: NOW)
    assert sync(settings, made.state.parts.db, NOW).errors == ()
    with TestClient(made, base_url="http://localhost", follow_redirects=False) as client:
        yield client
    made.state.parts.db.close()


def listed(client: TestClient, limit: int) -> list[dict[str, Any]]:
    """All cards, page by page."""
    seen: list[dict[str, Any]] = []
    cursor = ""
    while cursor is not None:
        page = client.get("/api/v1/cards", params={"limit": limit, "cursor": cursor}).json()
        seen += page["cards"]
        cursor = page["cursor"]
    return seen


def test_the_shipped_cards_of_each_kind_and_deck_have_a_page_and_json_with_both_sides(
    shipped: TestClient,
) -> None:
    cards = listed(shipped, 200)
    assert [card["id"] for card in cards] == CARDS
    for card in {(card["deck"], card["kind"]): card for card in cards}.values():
        page = shipped.get(f"/cards/{card['id']}")
        whole = shipped.get(f"/api/v1/cards/{card['id']}").json()
        assert page.status_code == 200
        assert whole["question_html"].partition("<ol")[0] in page.text
        if card["kind"] == "spoken":
            assert page.text.index("Key points</p><ul><li>") < page.text.index("One way to say it</p><p>")
        else:
            assert whole["answer_html"] in page.text
        assert whole["source"]


def test_the_cursor_walks_through_every_shipped_card_once(shipped: TestClient) -> None:
    assert [card["id"] for card in listed(shipped, 37)] == CARDS


def test_decks_are_listed_with_their_cards(shipped: TestClient) -> None:
    decks = shipped.get("/api/v1/decks").json()
    assert [d["name"] for d in decks["decks"]] == [deck.name for deck in DECKS]
    assert sum(d["cards"] for d in decks["decks"]) == len(CARDS)
    assert decks["problems"] == []


def test_a_card_leads_on_in_words(small: TestClient) -> None:
    page = small.get("/cards/scale").text
    assert "The interviewer goes on" in page
    assert 'href="/cards/mask.1">A causal mask hides [blank]' in page


def test_what_is_often_wrong_stands_with_the_answer_wherever_it_is_shown(small: TestClient) -> None:
    whole = small.get("/api/v1/cards/scale").json()
    assert "The softmax does that at any scale." in whole["answer_html"]
    assert "The softmax does that at any scale." not in whole["question_html"]
    assert "Often said, and wrong" in small.get("/cards/scale").text


def test_an_answer_stands_in_the_cards_history(small: TestClient) -> None:
    shown = small.get("/api/v1/study/next").json()
    seen = small.post("/api/v1/study/reveal", json={"showing": shown["showing"]}).json()
    given = {"ticket": seen["ticket"], "revision": shown["revision"], "grade": 4, "ms": 7400}
    event = small.post("/api/v1/study/answers", json=given).json()["event"]
    path = f"/cards/{shown['card']['id']}"
    assert "<td>Easy</td>" in small.get(path).text
    assert "<td>7 s</td>" in small.get(path).text
    small.post("/api/v1/study/undo", json={"event": event})
    assert "(undone)" in small.get(path).text


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
def test_wrong_questions_get_a_sentence(small: TestClient, query: dict[str, object], word: str) -> None:
    answer = small.get("/api/v1/cards", params=query)
    assert answer.status_code == 422
    assert word in answer.json()["detail"]
    assert small.get("/cards", params={k: v for k, v in query.items() if k != "limit"}).status_code in (
        200,
        422,
    )


@pytest.mark.parametrize("card_id", ["nothing", "mask", "mask.9", "%00", "x" * 3000])
def test_an_unknown_card_is_a_404_in_words(small: TestClient, card_id: str) -> None:
    assert small.get(f"/api/v1/cards/{card_id}").status_code == 404
    assert small.get(f"/cards/{card_id}").status_code == 404

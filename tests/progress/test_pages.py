"""The progress pages and their CSV over the real rooms."""

import csv
import io

import pytest
from starlette.testclient import TestClient

from app.db.engine import Database
from app.progress import service
from tests.conftest import MovableClock, add_cards


def table(client: TestClient, what: str) -> list[dict[str, str]]:
    found = client.get("/progress.csv", params={"what": what})
    assert found.status_code == 200
    assert found.headers["content-type"].startswith("text/csv")
    assert found.headers["content-disposition"] == f'attachment; filename="aloud-{what}-2026-11-29.csv"'
    return list(csv.DictReader(io.StringIO(found.text)))


@pytest.fixture
def studied(client: TestClient, db: Database) -> TestClient:
    """Two cards answered, one of the answers taken back."""
    add_cards(db, "a", "b")
    add_cards(db, "pitch", queue="drill")
    for grade in (3, 1):
        shown = client.get("/api/v1/study/next").json()
        ticket = client.post("/api/v1/study/reveal", json={"showing": shown["showing"]}).json()["ticket"]
        given = {"ticket": ticket, "revision": shown["revision"], "grade": grade, "ms": 90_000}
        event = client.post("/api/v1/study/answers", json=given).json()["event"]
    client.post("/api/v1/study/undo", json={"event": event})
    return client


@pytest.mark.parametrize("path", ["/progress", "/progress/topics"])
def test_a_fresh_start_teaches_and_leads_on(client: TestClient, db: Database, path: str) -> None:
    assert client.get(path).status_code == 200
    add_cards(db, "a")
    page = client.get(path).text
    assert "Nothing was answered yet" in page or "You have not answered a card yet" in page


def test_an_answer_is_on_the_page_and_an_undone_one_is_not(studied: TestClient) -> None:
    page = studied.get("/progress").text
    assert "Sun 29 Nov 2026: 1 answer, 1 min" in page  # 90 s count as 60
    assert "1 of 30" in page
    assert "none yet" in page  # a card in its minute steps was not learned yet
    topics = studied.get("/progress/topics").text
    assert '<td role="cell" class="right" data-label="Seen">1</td>' in topics
    assert "0 of 1" in topics


def test_reviews_are_every_answer_of_the_log(studied: TestClient) -> None:
    rows = table(studied, "reviews")
    assert [(row["card_id"], row["grade"], row["undone"]) for row in rows] == [
        ("a", "3", "0"),
        ("b", "1", "1"),
    ]
    assert rows[0]["state_before"] == "new"
    assert rows[0]["interval_before"] == ""
    assert float(rows[0]["stability_after"]) == pytest.approx(2.3065)
    assert rows[0]["study_day"] == "2026-11-29"


def test_reviews_come_in_parts_that_leave_none_out(
    studied: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = table(studied, "reviews")
    monkeypatch.setattr(service, "CHUNK", 1)
    assert table(studied, "reviews") == whole


def test_days_and_forecast(studied: TestClient) -> None:
    (day,) = table(studied, "days")
    assert day == {
        "study_day": "2026-11-29",
        "answers": "1",
        "spoken": "0",
        "minutes": "1.00",
        "young_recalled": "0",
        "young": "0",
        "mature_recalled": "0",
        "mature": "0",
    }
    due = table(studied, "forecast")
    assert len(due) == 30
    assert due[0] == {"study_day": "2026-11-29", "read": "1", "spoken": "0"}


def test_another_table_is_named(client: TestClient) -> None:
    refused = client.get("/progress.csv", params={"what": "cards"})
    assert refused.status_code == 422
    assert "reviews" in refused.text


def test_the_tab_is_current(client: TestClient, clock: MovableClock) -> None:
    assert '<a href="/progress" data-go="p" aria-current="page">Progress</a>' in client.get("/progress").text

"""A new rollover hour is for what comes: an answer keeps the study day on which it was given."""

from datetime import UTC, date, datetime

from fastapi import FastAPI
from sqlalchemy import select
from starlette.testclient import TestClient

from app.db import tables as t
from app.main import create_app
from app.settings import Settings
from app.study import service
from tests.conftest import MovableClock, add_cards


def answer(client: TestClient) -> None:
    shown = client.get("/api/v1/study/next").json()
    told = client.post("/api/v1/study/reveal", json={"showing": shown["showing"]}).json()
    graded = {"ticket": told["ticket"], "revision": shown["revision"], "grade": 4, "ms": 1000}
    assert client.post("/api/v1/study/answers", json=graded).status_code == 200


def days(app: FastAPI) -> list[date]:
    """The study days of all answers, in the order of the log."""
    with app.state.parts.db.read() as conn:
        return list(conn.scalars(select(t.event.c.study_day).order_by(t.event.c.id)))


def test_answers_keep_their_day_when_the_rollover_moves(
    app: FastAPI, client: TestClient, settings: Settings, clock: MovableClock
) -> None:
    add_cards(app.state.parts.db, "a", "b")
    clock.now = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
    answer(client)  # at 2 o'clock, before the hour of 4: still the day before
    client.close()
    assert days(app) == [date(2026, 11, 29)]

    moved = create_app(settings.model_copy(update={"rollover": 1}), clock)
    with TestClient(moved, base_url="http://localhost") as later:
        assert days(moved) == [date(2026, 11, 29)]
        answer(later)
        assert days(moved) == [date(2026, 11, 29), date(2026, 11, 30)]
        with moved.state.parts.db.read() as conn:
            assert service.replay(conn) == ()

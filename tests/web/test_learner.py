"""The learner's own choices: the browser's zone is taken once, and a theme is kept."""

import pytest
from fastapi import FastAPI
from sqlalchemy import select
from starlette.testclient import TestClient

from app.db import tables as t


def zone(app: FastAPI) -> str | None:
    with app.state.parts.db.read() as conn:
        found = conn.scalar(select(t.learner.c.zone))
    assert found is None or isinstance(found, str)
    return found


def test_the_first_zone_that_a_browser_tells_is_kept(app: FastAPI, client: TestClient) -> None:
    assert zone(app) is None
    assert client.post("/zone", data={"zone": "Europe/Berlin"}).status_code == 204
    assert client.post("/zone", data={"zone": "Asia/Tokyo"}).status_code == 204
    assert zone(app) == "Europe/Berlin"


@pytest.mark.parametrize("wrong", ["Mars/Olympus", "../etc/passwd", "", "Europe/Berlin\x00", "x" * 5000])
def test_what_is_no_zone_is_told_and_not_kept(app: FastAPI, client: TestClient, wrong: str) -> None:
    answer = client.post("/zone", data={"zone": wrong})
    assert answer.status_code == 422
    assert zone(app) is None


def test_the_theme_is_drawn_by_the_server(client: TestClient) -> None:
    assert 'data-theme="auto"' in client.get("/").text
    client.post("/theme", data={"theme": "dark"})
    assert 'data-theme="dark"' in client.get("/").text
    assert client.post("/theme", data={"theme": "pink"}).status_code == 422


def test_a_fresh_data_folder_asks_the_browser_again(client: TestClient) -> None:
    """Not the browser remembers whether it has told its zone, but the learner's row."""
    asks = 'name="zone-address"'
    assert asks in client.get("/").text
    client.post("/zone", data={"zone": "Europe/Berlin"})
    assert asks not in client.get("/").text

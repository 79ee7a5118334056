"""What the tests share: a data folder of their own, a clock that moves when told, the app, a client, cards."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import hypothesis
import pytest
from fastapi import FastAPI
from sqlalchemy import insert
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.db.migrate import upgrade
from app.main import create_app
from app.settings import Settings

# Threads of PyTorch that wait for work would spin, and take the cores from whatever else runs: on two busy cores the
# same tests took minutes instead of seconds. It is read when torch is imported, here and in every child.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# A busy machine is no failure: examples are judged by what they show, not by how long they take.
hypothesis.settings.register_profile("aloud", deadline=None)
hypothesis.settings.load_profile("aloud")

SLOW_FIRST = ("e2e", "crash")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests that wait most come first: the last file never leaves one process alone."""
    items.sort(key=lambda item: not any(item.get_closest_marker(slow) for slow in SLOW_FIRST))


class MovableClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock(datetime(2026, 11, 29, 18, 0, tzinfo=UTC))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of a fresh data folder, with no decks until a test adds some."""
    content = tmp_path / "content"
    (content / "decks").mkdir(parents=True)
    return Settings(data=tmp_path / "data", content=content, zone="UTC")


@pytest.fixture(scope="session")
def _schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty database, made once and copied for each test."""
    path = tmp_path_factory.mktemp("schema") / "aloud.db"
    upgrade(path)
    return path


@pytest.fixture
def app(settings: Settings, clock: MovableClock, _schema: Path) -> Iterator[FastAPI]:
    settings.data.mkdir(parents=True, exist_ok=True)
    settings.database.write_bytes(_schema.read_bytes())
    made = create_app(settings, clock)
    yield made
    made.state.parts.db.close()


@pytest.fixture
def db(app: FastAPI) -> Database:
    database = app.state.parts.db
    assert isinstance(database, Database)
    return database


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://localhost", follow_redirects=False) as made:
        yield made


def add_cards(
    db: Database, *ids: str, deck: str = "test/deck", queue: str = "study", level: str = "IC4"
) -> None:
    """Insert plain cards: "a" is a note with one card, "n.1", "n.2" are siblings of the note "n"."""
    now = datetime(2026, 11, 1, tzinfo=UTC)
    points = [
        {"id": "p1", "text": "the mask", "text_html": "the mask", "hear": ["mask"], "doubt": []},
        {"id": "p2", "text": "the scale", "text_html": "the scale", "hear": ["root"], "doubt": []},
    ]
    body = {"time_s": 90, "points": points, "model": None} if queue == "drill" else {}
    with db.write() as conn:
        conn.execute(
            insert(t.deck).prefix_with("OR IGNORE"),
            {"name": deck, "origin": "shipped", "path": f"{deck}.md", "title": deck, "position": 0},
        )
        for at, card_id in enumerate(ids):
            key, _, number = card_id.partition(".")
            conn.execute(
                insert(t.note).prefix_with("OR IGNORE"),
                {
                    "key": key,
                    "deck_name": deck,
                    "kind": "spoken" if queue == "drill" else "cloze" if number else "question",
                    "level": level,
                    "core": True,
                    "source": "a test",
                    "demo": None,
                    "body": body,
                    "position": at,
                    "hash": key,
                    "revision": 1,
                    "changed_at": now,
                },
            )
            conn.execute(
                insert(t.card),
                {
                    "id": card_id,
                    "note_key": key,
                    "ord": int(number or 0),
                    "queue": queue,
                    "front": f"<p>question {card_id}</p>",
                    "back": f"<p>answer {card_id}</p>",
                    "words": f"question {card_id}",
                },
            )

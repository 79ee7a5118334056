"""A learner who studies in Berlin."""

import pytest
from starlette.testclient import TestClient

from app.accounts.learner import Learner, LearnerId, Preferences
from app.db.engine import Database
from tests.conftest import MovableClock
from tests.study.browsing import Browser
from tests.study.room import Room


@pytest.fixture
def learner() -> Learner:
    return Learner(LearnerId(1), "Europe/Berlin", 4, Preferences())


@pytest.fixture
def room(db: Database, learner: Learner, clock: MovableClock) -> Room:
    return Room(db, learner, clock)


@pytest.fixture
def browser(client: TestClient) -> Browser:
    return Browser(client)

"""What the tests of recordings share."""

import pytest
from starlette.testclient import TestClient

from app.db.engine import Database
from app.web.parts import Parts
from tests.conftest import add_cards
from tests.drill.recorder import Recorder


@pytest.fixture
def its(client: TestClient, db: Database) -> Parts:
    add_cards(db, "pitch", "other", queue="drill")
    parts = client.app.state.parts  # type: ignore[attr-defined]
    assert isinstance(parts, Parts)
    return parts


@pytest.fixture
def recorder(client: TestClient, its: Parts) -> Recorder:
    return Recorder(client, its)

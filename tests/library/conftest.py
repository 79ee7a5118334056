"""The Cards pages over one shipped deck of three notes, and one of the learner's own."""

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.library.decks import Decks
from app.settings import Settings

from .editor import MINE
from .test_sync import CLOZE, MASK, SCALE, write


@pytest.fixture
def decks(app: FastAPI) -> Decks:
    made = app.state.parts.decks
    assert isinstance(made, Decks)
    return made


@pytest.fixture
def room(client: TestClient, settings: Settings, decks: Decks) -> TestClient:
    """One shipped deck of three notes, and one of the learner's own."""
    write(settings, "a.md", SCALE, MASK, CLOZE)
    write(settings, "mine.md", MINE, MASK.replace("id: mask", "id: other"), own=True)
    decks.look()
    return client

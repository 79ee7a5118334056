"""The study room alone: only the routers it needs, and a learner who studies in Berlin."""

import importlib.util

import pytest

import app.main
from app.accounts.learner import Learner, LearnerId, Preferences


@pytest.fixture(autouse=True)
def _own_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are about one room; a room that is being built must not stop them."""
    there = tuple(name for name in app.main.ROUTERS if importlib.util.find_spec(name))
    monkeypatch.setattr(app.main, "ROUTERS", there)


@pytest.fixture
def learner() -> Learner:
    return Learner(LearnerId(1), "Europe/Berlin", 4, Preferences())

"""A learner who studies in Berlin."""

import pytest
from hypothesis import settings

from app.accounts.learner import Learner, LearnerId, Preferences

settings.register_profile("patient", deadline=None)  # a busy machine is no failure
settings.load_profile("patient")


@pytest.fixture
def learner() -> Learner:
    return Learner(LearnerId(1), "Europe/Berlin", 4, Preferences())

"""A learner who studies in Berlin."""

import pytest

from app.accounts.learner import Learner, LearnerId, Preferences


@pytest.fixture
def learner() -> Learner:
    return Learner(LearnerId(1), "Europe/Berlin", 4, Preferences())

"""Waits as a reader meets them."""

from datetime import UTC, date, datetime, timedelta

import pytest

from app.study import words
from app.study.cards import Standing
from app.study.memory import Memory
from app.study.scheduling import CardState

NOW = datetime(2026, 11, 29, 18, tzinfo=UTC)
TODAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("seconds", "said"), [(60, "1 min"), (330, "5.5 min"), (600, "10 min"), (3600, "1 h"), (6000, "1.7 h")]
)
def test_minutes(seconds: int, said: str) -> None:
    assert words.minutes(timedelta(seconds=seconds)) == said


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "1 day"),
        (29, "29 days"),
        (30, "1 month"),
        (46, "1.5 months"),
        (364, "12 months"),
        (365, "1 year"),
        (498, "1.4 years"),
        (36500, "99.9 years"),
    ],
)
def test_days(count: int, said: str) -> None:
    assert words.days(count) == said


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        (timedelta(seconds=-5), "a moment"),
        (timedelta(seconds=59), "a moment"),
        (timedelta(minutes=1), "1 minute"),
        (timedelta(minutes=59, seconds=40), "1 hour"),
        (timedelta(hours=9), "9 hours"),
        (timedelta(days=3), "3 days"),
    ],
)
def test_until(ahead: timedelta, said: str) -> None:
    assert words.until(NOW + ahead, NOW) == said


def standing(days: int | None, *, minutes: int | None = None, **more: object) -> str:
    state = CardState(
        "new" if days is None else "review",
        Memory(3.0, 5.0),
        due_day=None if days is None else TODAY + timedelta(days=days),
        due_at=None if minutes is None else NOW + timedelta(minutes=minutes),
    )
    found = Standing(state, **{"buried_until": None, "suspended": False, "version": 1, **more})  # type: ignore[arg-type]
    return words.standing(found, TODAY, NOW)


def test_standings() -> None:
    assert standing(None) == "new"
    assert standing(0) == "due today"
    assert standing(3) == "due in 3 days"
    assert standing(-2) == "due for 2 days"
    assert standing(0, minutes=8) == "due in 8 minutes"
    assert standing(0, minutes=-8) == "due today"
    assert standing(0, buried_until=TODAY + timedelta(days=1)) == "due, hidden until tomorrow"
    assert standing(None, buried_until=TODAY + timedelta(days=1)) == "new, hidden until tomorrow"
    assert standing(0, suspended=True) == "suspended"

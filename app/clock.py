"""The moment that it is, for whoever must know it; rules are told it."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """This moment, aware, in UTC."""
    return datetime.now(UTC)

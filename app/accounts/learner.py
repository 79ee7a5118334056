"""Who is studying, and how their days run."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import NewType
from zoneinfo import ZoneInfo

from app import days

LearnerId = NewType("LearnerId", int)


@dataclass(frozen=True)
class Preferences:
    """How a learner wants cards to come: steps in minutes, the maximum in days, limits a day for each tree of decks."""

    retention: float = 0.9
    maximum_interval: int = 36500
    learning_steps: tuple[float, ...] = (1.0, 10.0)
    relearning_steps: tuple[float, ...] = (10.0,)
    new_per_day: int = 10
    reviews_per_day: int = 200


@dataclass(frozen=True)
class Learner:
    """A learner's id, time zone (an IANA name) and the hour at which their study day begins."""

    id: LearnerId
    zone: str
    rollover: int
    prefers: Preferences = Preferences()

    def day(self, at: datetime) -> date:
        """The study day of the moment `at`."""
        return days.study_day(at, ZoneInfo(self.zone), self.rollover)

    def day_start(self, day: date) -> datetime:
        """The moment, in UTC, at which `day` begins."""
        return days.day_start(day, ZoneInfo(self.zone), self.rollover)

    def offset_minutes(self, at: datetime) -> int:
        return days.offset_minutes(at, ZoneInfo(self.zone))

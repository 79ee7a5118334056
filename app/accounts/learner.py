"""Who is studying, and how their days run."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import NewType
from zoneinfo import ZoneInfo

from app import clock

LearnerId = NewType("LearnerId", int)


@dataclass(frozen=True)
class Learner:
    """A learner's id, time zone (an IANA name) and the hour at which their study day begins."""

    id: LearnerId
    zone: str
    rollover: int

    def day(self, at: datetime) -> date:
        """The study day of the moment `at`."""
        return clock.study_day(at, ZoneInfo(self.zone), self.rollover)

    def day_start(self, day: date) -> datetime:
        """The moment, in UTC, at which `day` begins."""
        return clock.day_start(day, ZoneInfo(self.zone), self.rollover)

    def offset_minutes(self, at: datetime) -> int:
        return clock.offset_minutes(at, ZoneInfo(self.zone))

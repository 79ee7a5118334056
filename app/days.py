"""The study day, which turns over at an hour of the night. Pure: the moment is an argument.

>>> study_day(datetime(2026, 11, 29, 1, 0, tzinfo=UTC), ZoneInfo("Europe/Berlin"), 4)
datetime.date(2026, 11, 28)
"""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def study_day(at: datetime, zone: ZoneInfo, rollover: int) -> date:
    """The study day that the moment `at` belongs to.

    A review before the rollover hour belongs to the day before. The offset is that of the moment itself, so
    that a change to or from summer time moves no other day.
    """
    return (at.astimezone(zone).replace(tzinfo=None) - timedelta(hours=rollover)).date()


def day_start(day: date, zone: ZoneInfo, rollover: int) -> datetime:
    """The moment, in UTC, at which the study day `day` begins in `zone`."""
    return datetime.combine(day, time(rollover), zone).astimezone(UTC)


def offset_minutes(at: datetime, zone: ZoneInfo) -> int:
    """Minutes that local time in `zone` is ahead of UTC at the moment `at`."""
    offset = at.astimezone(zone).utcoffset() or timedelta()
    return int(offset.total_seconds() // 60)

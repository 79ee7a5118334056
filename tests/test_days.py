from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from app.days import day_start, offset_minutes, study_day

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("at", "day"),
    [
        (datetime(2026, 11, 29, 2, 59, tzinfo=UTC), date(2026, 11, 28)),  # 03:59 in Berlin
        (datetime(2026, 11, 29, 3, 0, tzinfo=UTC), date(2026, 11, 29)),  # 04:00
        (datetime(2026, 11, 29, 22, 59, tzinfo=UTC), date(2026, 11, 29)),
        (datetime(2026, 11, 29, 23, 30, tzinfo=UTC), date(2026, 11, 29)),  # 00:30, the day before still
    ],
)
def test_a_night_belongs_to_the_day_before(at: datetime, day: date) -> None:
    assert study_day(at, BERLIN, 4) == day


@pytest.mark.parametrize("change", [date(2026, 3, 29), date(2026, 10, 25)])
def test_summer_time_moves_no_study_day(change: date) -> None:
    """Each day begins at 04:00 local time and is followed by the next, 23 or 25 hours later at a change."""
    hours = []
    for offset in (-1, 0, 1):
        day = change + timedelta(days=offset)
        start = day_start(day, BERLIN, 4)
        assert start.astimezone(BERLIN).hour == 4
        assert study_day(start, BERLIN, 4) == day
        assert study_day(start - timedelta(seconds=1), BERLIN, 4) == day - timedelta(days=1)
        hours.append((day_start(day + timedelta(days=1), BERLIN, 4) - start) / timedelta(hours=1))
    assert sorted(hours)[0:3] in ([23, 24, 24], [24, 24, 25])


def test_the_offset_is_that_of_the_moment() -> None:
    assert offset_minutes(datetime(2026, 7, 1, tzinfo=UTC), BERLIN) == 120
    assert offset_minutes(datetime(2026, 12, 1, tzinfo=UTC), BERLIN) == 60

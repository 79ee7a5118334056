"""The figures as CSV, for a sheet or a notebook: a first row of names, then one row each. Pure."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields

from app.progress.stats import Day, Due, Review

DAYS = ("study_day", "answers", "spoken", "minutes", "young_recalled", "young", "mature_recalled", "mature")
FORECAST = ("study_day", "read", "spoken")
REVIEWS = tuple(field.name for field in fields(Review))


def lines(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV (RFC 4180); a missing value is an empty one."""
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def days(found: Iterable[Day]) -> str:
    rows = (
        (
            one.day.isoformat(),
            one.answers,
            one.spoken,
            f"{one.seconds / 60:.2f}",
            *astuple(one.recall.young),
            *astuple(one.recall.mature),
        )
        for one in found
    )
    return lines((DAYS, *rows))


def forecast(found: Iterable[Due]) -> str:
    return lines((FORECAST, *((one.day.isoformat(), one.read, one.spoken) for one in found)))


def reviews(found: Iterable[Review]) -> str:
    return lines(_review(one) for one in found)


def _review(one: Review) -> list[object]:
    row = [getattr(one, name) for name in REVIEWS]
    return [int(v) if isinstance(v, bool) else v.isoformat() if hasattr(v, "isoformat") else v for v in row]

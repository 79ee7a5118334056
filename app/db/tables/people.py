"""A learner, and what the scheduler was set to when they answered."""

from sqlalchemy import Column, ForeignKey, Integer, Text, UniqueConstraint

from app.db.tables.base import of_learner, table
from app.db.types import Json, Moment

learner = table(
    "learner",
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("zone", Text),  # null until the browser has told it
    Column("rollover", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
)

# What the scheduler was set to when an answer was given. Rows are never changed.
settings_snapshot = table(
    "settings_snapshot",
    Column("id", Integer, primary_key=True),
    of_learner(),
    Column("hash", Text, nullable=False),
    Column("body", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("learner_id", "hash"),
)

# What a learner has chosen, of what is no part of the schedule: whom the voice goes to, who judges.
preference = table(
    "preference",
    Column("learner_id", Integer, ForeignKey("learner.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

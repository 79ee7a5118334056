"""Interviews to come."""

from sqlalchemy import CheckConstraint, Column, Index, Integer, Text

from app.db.tables.base import of_learner, table
from app.db.types import Day, Json, Moment

# An interview to come, and what was planned for it. It is no part of what a card's state is made of.
round = table(
    "round",
    Column("id", Integer, primary_key=True),
    of_learner(),
    Column("name", Text, nullable=False),
    Column("date", Day, nullable=False),
    Column("topics", Json, nullable=False),  # names of decks, each with those below it; empty: every deck
    Column("level", Text, nullable=False),
    Column("minutes", Integer, nullable=False),  # a day
    Column("created_at", Moment, nullable=False),
    Column("debriefed_at", Moment),  # when the learner wrote down what was asked
    CheckConstraint("minutes between 1 and 1440", name="minutes"),
    Index(None, "learner_id", "date"),
    sqlite_autoincrement=True,  # an address of one that was removed never leads to another
)

"""Mock interviews, and what was asked in them."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, Text, UniqueConstraint

from app.db.tables.base import of_learner, table
from app.db.types import Json, Moment

interview = table(
    "interview",
    Column("id", Integer, primary_key=True),
    of_learner(),
    Column("key", Text, nullable=False),  # of the form that began it, so that a double click begins one
    Column("level", Text, nullable=False),
    Column("decks", Json, nullable=False),  # their names; none: all
    Column("minutes", Integer, nullable=False),
    Column("mode", Text, nullable=False),
    Column("drawn", Json, nullable=False),  # ids of the cards to ask, in their order, as they were drawn once
    Column("started_at", Moment, nullable=False),
    Column("ended_at", Moment),
    CheckConstraint("mode in ('spoken', 'typed', 'quiet')", name="mode"),
    UniqueConstraint("learner_id", "key"),
    Index(None, "learner_id", "started_at"),
)

# A question of an interview, from the moment it was asked.
asked = table(
    "asked",
    Column("interview_id", Integer, ForeignKey("interview.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    of_learner(),
    Column("card_id", Text, ForeignKey("card.id"), nullable=False),
    Column("follows", Integer),  # the position of the question that it goes on from
    Column("planned_s", Integer, nullable=False),
    Column("attempt", Json, nullable=False),  # as the drill has it: its key, when it began, how long it was
    Column("asked_at", Moment, nullable=False),
    Column("done_at", Moment),
    Column("grade", Integer),  # null: not rated yet, or skipped
    Column("text", Text, nullable=False, server_default=""),  # what was typed
    Column("event_id", Integer, ForeignKey("event.id")),
    Column("take_id", Integer, ForeignKey("take.id")),
    CheckConstraint("grade is null or grade between 1 and 4", name="grade"),
)

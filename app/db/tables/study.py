"""What a learner did with cards: the log, and what follows from it."""

from sqlalchemy import REAL, CheckConstraint, Column, ForeignKey, Index, Integer, Text, UniqueConstraint

from app.db.tables.base import of_learner, table
from app.db.types import Day, Flag, Json, Moment

card_state = table(
    "card_state",
    Column("learner_id", Integer, ForeignKey("learner.id"), primary_key=True),
    Column("card_id", Text, ForeignKey("card.id"), primary_key=True),
    Column("state", Text, nullable=False),  # new | learning | review | relearning
    Column("stability", REAL),
    Column("difficulty", REAL),
    Column("due_day", Day),  # the study day it is due; due_at too while in minute steps
    Column("due_at", Moment),
    Column("last_day", Day),
    Column("interval", Integer),  # whole days, of a graduated card
    Column("step", Integer),
    Column("lapses", Integer, nullable=False, server_default="0"),
    Column("reps", Integer, nullable=False, server_default="0"),
    Column("buried_until", Day),
    Column("suspended", Flag, nullable=False, server_default="0"),
    Column("flag", Integer, nullable=False, server_default="0"),
    Column("remark", Text, nullable=False, server_default=""),  # the learner's note to self
    Column("version", Integer, nullable=False, server_default="0"),  # grows with what moves it in the queue
    CheckConstraint("state in ('new', 'learning', 'review', 'relearning')", name="state"),
    Index(None, "learner_id", "suspended", "state", "due_day"),
    Index(None, "learner_id", "card_id", "state", "interval"),
)

event = table(
    "event",
    Column("id", Integer, primary_key=True),
    of_learner(),
    Column("card_id", Text, ForeignKey("card.id"), nullable=False),
    # review | drill | cram, which have a grade; bury | unbury | suspend | unsuspend | flag | note | reschedule, without
    Column("kind", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("study_day", Day, nullable=False),
    Column("offset_minutes", Integer, nullable=False),
    Column("grade", Integer),
    Column("ms", Integer),
    Column("before", Json),
    Column("after", Json),
    Column("snapshot_id", Integer, ForeignKey("settings_snapshot.id")),
    Column("algorithm", Text),
    Column("detail", Json),  # for a review: siblings it buried, with their state before
    Column("idem", Text),
    UniqueConstraint("learner_id", "idem"),
    CheckConstraint("grade is null or grade between 1 and 4", name="grade"),
    CheckConstraint("ms is null or ms >= 0", name="ms"),
    Index(None, "learner_id", "study_day"),
    Index(None, "learner_id", "kind"),
    Index(None, "card_id"),
)

undo = table(
    "undo",
    Column("id", Integer, primary_key=True),
    Column("event_id", Integer, ForeignKey("event.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("newest", Integer),  # of the events of its day, when it was undone: what comes later ends redo
    CheckConstraint("kind in ('undo', 'redo')", name="kind"),
    Index(None, "event_id"),
    Index(None, "newest"),
)

# The answers that count as study, one narrow row each, so that years of them are summed up at once: an event is some
# hundred times as long. Triggers on event and undo (migration 0009) keep it, and nothing else writes it.
answered = table(
    "answered",
    Column("learner_id", Integer, primary_key=True),
    Column("study_day", Day, primary_key=True),  # as the event has it: a later rollover hour moves nothing
    Column("card_id", Text, primary_key=True),
    Column("event_id", Integer, primary_key=True),
    Column("kind", Text, nullable=False),  # review | drill
    Column("grade", Integer, nullable=False),
    Column("ms", Integer),
    Column("interval_before", Integer),  # in days, where the card was graduated before the answer
    Column("undone", Flag, nullable=False),
    Column("first", Flag, nullable=False),  # of those to the card on this day that stand
    sqlite_with_rowid=False,
)

# The cards that a learner has learned and may be shown, one narrow row each, in the order in which a queue takes them.
# Triggers on card_state, card and note (migration 0011) keep it, and nothing else writes it.
due = table(
    "due",
    Column("learner_id", Integer, primary_key=True),
    Column("tree", Text, primary_key=True),
    Column("due_day", Day, primary_key=True),
    Column("shuffle", Integer, primary_key=True),
    Column("card_id", Text, primary_key=True),
    Column("note_key", Text, nullable=False),
    Column("deck_name", Text, nullable=False),
    Column("level", Text, nullable=False),
    Column("core", Flag, nullable=False),
    Column("buried_until", Day),
    Index(None, "card_id", "learner_id"),
    sqlite_with_rowid=False,
)

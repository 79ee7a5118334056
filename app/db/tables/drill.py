"""What was said aloud: recordings, what was heard in them, takes."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Text, UniqueConstraint

from app.db.tables.base import of_learner, table
from app.db.types import Flag, Json, Moment

# The sound of one attempt at a spoken card. Its bytes are a file below the data folder's audio/, appended to as they
# come; a row without `ended_at` is of a take that still goes on, or was cut off.
recording = table(
    "recording",
    Column("id", Integer, primary_key=True),
    of_learner(),
    Column("card_id", Text, ForeignKey("card.id"), nullable=False),
    Column("key", Text, nullable=False),  # of the attempt, which is signed and travels through the browser
    Column("mime", Text, nullable=False),  # audio/webm | audio/mp4 | audio/ogg | audio/wav
    Column("size", Integer, nullable=False, server_default="0"),  # bytes, once it ended
    Column("started_at", Moment, nullable=False),
    Column("ended_at", Moment),
    Column("lost", Text, nullable=False, server_default=""),  # why it ended early: microphone | page
    Column("deleted_at", Moment),  # the sound is gone, what was heard in it stays
    UniqueConstraint("learner_id", "key"),
    Index(None, "learner_id", "card_id"),
)

# What a machine heard in a recording. Every time is in milliseconds of the decoded sound.
hearing = table(
    "hearing",
    Column("recording_id", Integer, ForeignKey("recording.id"), primary_key=True),
    Column("job_id", Text, nullable=False),  # of the job that is to hear it, or has
    Column("provider", Text, nullable=False, server_default=""),  # embedded | endpoint; "": not heard yet
    Column("model", Text, nullable=False, server_default=""),
    Column("ms", Integer),  # the length
    Column("words", Json),  # [[start, end, word], ...]; where there are no times, [[null, null, text]]
    Column("speech", Json),  # [[start, end], ...] of the stretches in which somebody speaks
    Column("peaks", Json),  # loudness from 0 to 100, at equal steps
    Column("edited", Text),  # the text as the learner corrected it
    Column("at", Moment),
)

take = table(
    "take",
    Column("id", Integer, primary_key=True),
    of_learner(),
    Column("card_id", Text, ForeignKey("card.id"), nullable=False),
    Column("event_id", Integer, ForeignKey("event.id"), nullable=False, unique=True),
    Column("at", Moment, nullable=False),
    Column("planned_s", Integer, nullable=False),
    Column("spoken_ms", Integer, nullable=False),
    Column("ticks", Json, nullable=False),  # ids of the key points that the learner ticked
    Column("points", Json, nullable=False),  # ids and texts of the points as they stood then
    Column("interrupted", Flag, nullable=False),
    Column("notes_shown", Flag, nullable=False),
    Column("quiet", Flag, nullable=False),  # nothing was recorded, and nothing typed
    Column("text", Text),  # what was said, as the learner left it, or typed
    Column("recording_id", Integer, ForeignKey("recording.id")),
    Column("pace", Json),  # figures of the voice, kept for the trend though the sound may go
    Column("marks", Json),  # by point: mentioned | check | missed, as it was shown when the take was rated
    Index(None, "learner_id", "card_id", "at"),
)

# What a judge, a language model that the learner chose, said of an attempt. It ticks and grades nothing.
opinion = table(
    "opinion",
    Column("id", Integer, primary_key=True),
    of_learner(),
    Column("key", Text, nullable=False),  # of the attempt
    Column("judge", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("body", Json, nullable=False),
    Column("at", Moment, nullable=False),
    UniqueConstraint("learner_id", "key", "judge"),
)

# An answer that is typed, until it is rated: too long for the address that the rest of an attempt travels in. The study
# room keeps here, as JSON, what is said before a reveal, until the card is graded.
draft = table(
    "draft",
    Column("learner_id", Integer, ForeignKey("learner.id"), primary_key=True),
    Column("key", Text, primary_key=True),  # of the attempt, or "said " and that of the showing
    Column("text", Text, nullable=False),
    Column("at", Moment, nullable=False),
)

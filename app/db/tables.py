"""The tables, all STRICT. A learner's rows carry learner_id; the event log only ever grows.

Card state is what the events lead to: it can be thrown away and rebuilt from `event` and `undo`.
"""

from typing import Any

from sqlalchemy import (
    REAL,
    CheckConstraint,
    Column,
    Computed,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from app.db.types import Day, Flag, Json, Moment

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _table(name: str, *items: Any, **options: Any) -> Table:
    return Table(name, metadata, *items, sqlite_strict=True, **options)


def _learner() -> Column[int]:
    return Column("learner_id", Integer, ForeignKey("learner.id"), nullable=False)


learner = _table(
    "learner",
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("zone", Text),  # null until the browser has told it
    Column("rollover", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
)

# What the scheduler was set to when an answer was given. Rows are never changed.
settings_snapshot = _table(
    "settings_snapshot",
    Column("id", Integer, primary_key=True),
    _learner(),
    Column("hash", Text, nullable=False),
    Column("body", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("learner_id", "hash"),
)

deck = _table(
    "deck",
    Column("name", Text, primary_key=True),
    Column("origin", Text, nullable=False),  # shipped | own
    Column("path", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Index(None, "origin", "path"),
)

# One row for each deck file that was read, with what was wrong with it; a file is read again when its hash changes.
deck_file = _table(
    "deck_file",
    Column("origin", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("hash", Text, nullable=False),
    Column("errors", Json, nullable=False),
    Column("read_at", Moment, nullable=False),
)

# A note's turn among the new cards of its deck: the core first, then by level, then as the file has them.
TURNS = 1_000_000_000  # for the places in a file
TURN = (
    "((1 - core) * 8 + CASE level WHEN 'eli5' THEN 0 WHEN 'IC4' THEN 1 WHEN 'IC5' THEN 2 WHEN 'IC6' THEN 3 "
    f"ELSE 4 END) * {TURNS} + position"
)

note = _table(
    "note",
    Column("key", Text, primary_key=True),
    Column("deck_name", Text, ForeignKey("deck.name"), nullable=False),
    Column("owner_id", Integer, ForeignKey("learner.id")),  # null: shipped, for everybody
    Column("kind", Text, nullable=False),
    Column("level", Text, nullable=False),
    Column("core", Flag, nullable=False),
    Column("source", Text, nullable=False),
    Column("demo", Text),
    Column("body", Json, nullable=False),  # time, points, answer and the like, by kind
    Column("position", Integer, nullable=False),
    Column("hash", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("changed_at", Moment, nullable=False),
    Column("turn", Integer, Computed(TURN, persisted=False)),
    Index(None, "deck_name", "position"),
    Index(None, "deck_name", "turn"),
    Index(None, "key", "deck_name", "level", "owner_id"),
)

# Before this turn no card of the deck is new to the learner: new ones are looked for from here on. Only a hint that
# saves looking: triggers (migration 0004) lower or forget it when a card comes in before it, or is new again.
fresh_from = _table(
    "fresh_from",
    Column("learner_id", Integer, ForeignKey("learner.id"), primary_key=True),
    Column("deck_name", Text, primary_key=True),
    Column("turn", Integer, nullable=False),
)

# A note keeps the key it was first stored under for life; a file may come to call it otherwise (`was:`).
note_alias = _table(
    "note_alias",
    Column("alias", Text, primary_key=True),
    Column("note_key", Text, ForeignKey("note.key"), nullable=False),
)

note_tag = _table(
    "note_tag",
    Column("note_key", Text, ForeignKey("note.key"), primary_key=True),
    Column("tag", Text, primary_key=True),
    Index(None, "tag"),
)

# Where a note's text stands, and that text. Of an edited copy of a shipped card also which text it was copied from,
# and what the shipped deck says now.
note_source = _table(
    "note_source",
    Column("note_key", Text, ForeignKey("note.key"), primary_key=True),
    Column("origin", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column(
        "stamp", Text, nullable=False
    ),  # of the text and of what drew it: the same one need not be drawn again
    Column("retired", Flag, nullable=False),  # the file says `retired: yes`
    Column("copied", Text, nullable=False),  # the fingerprint of the text it was copied from; "": no copy
    Column("copied_text", Text),  # null: not known
    Column("shipped_text", Text),  # null: no longer shipped
    Index(None, "origin", "path"),
)

card = _table(
    "card",
    Column("id", Text, primary_key=True),
    Column("note_key", Text, ForeignKey("note.key"), nullable=False),
    Column("ord", Integer, nullable=False),
    Column("queue", Text, nullable=False),  # study | drill
    Column("front", Text, nullable=False),  # HTML, rendered and sanitised when the deck was read
    Column("back", Text, nullable=False),
    Column("words", Text, nullable=False),  # plain text, for search and for a screen reader's title
    Column("retired_at", Moment),  # since when no file has it
    UniqueConstraint("note_key", "ord"),
    Index(None, "id", "note_key", "queue", "retired_at"),
    Index(None, "queue", "retired_at", "id"),
    CheckConstraint("queue in ('study', 'drill')", name="queue"),
)

card_state = _table(
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

event = _table(
    "event",
    Column("id", Integer, primary_key=True),
    _learner(),
    Column("card_id", Text, ForeignKey("card.id"), nullable=False),
    # review | drill | cram, which have a grade; bury | unbury | suspend | unsuspend | flag | note, which have none
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

undo = _table(
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
answered = _table(
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

take = _table(
    "take",
    Column("id", Integer, primary_key=True),
    _learner(),
    Column("card_id", Text, ForeignKey("card.id"), nullable=False),
    Column("event_id", Integer, ForeignKey("event.id"), nullable=False, unique=True),
    Column("at", Moment, nullable=False),
    Column("planned_s", Integer, nullable=False),
    Column("spoken_ms", Integer, nullable=False),
    Column("ticks", Json, nullable=False),  # ids of the key points that the learner ticked
    Column("points", Json, nullable=False),  # ids and texts of the points as they stood then
    Column("interrupted", Flag, nullable=False),
    Column("notes_shown", Flag, nullable=False),
    Column("quiet", Flag, nullable=False),
    Column("text", Text),
    Index(None, "learner_id", "card_id", "at"),
)

job = _table(
    "job",
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("lane", Text, nullable=False),  # see app/jobs/lanes.py
    _learner(),
    Column("payload", Json, nullable=False),
    Column(
        "demo", Text, Computed("json_extract(payload, '$.demo')", persisted=False)
    ),  # of a run, for its index
    Column("params_hash", Text, nullable=False),
    Column("code_hash", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("message", Text, nullable=False, server_default=""),  # one sentence for a reader
    Column("progress", REAL, nullable=False, server_default="0"),
    Column("deadline_s", REAL, nullable=False),
    Column("attempt", Integer, nullable=False, server_default="0"),  # a claim adds one: the lease it is
    Column("losses", Integer, nullable=False, server_default="0"),  # workers that died over it, unexplained
    Column("loss", Text, nullable=False, server_default=""),  # how the last of them died, a sentence
    Column("worker", Text),
    Column("lease_until", Moment),
    Column("cancel", Flag, nullable=False, server_default="0"),
    Column("created_at", Moment, nullable=False),
    Column("started_at", Moment),
    Column("finished_at", Moment),
    Column("idem", Text),
    UniqueConstraint("learner_id", "idem"),
    CheckConstraint(
        "state in ('queued', 'running', 'done', 'failed', 'timed_out', 'cancelled')", name="state"
    ),
    Index(None, "state", "lane", "created_at"),
    Index(None, "learner_id", "state"),
    Index(None, "learner_id", "demo", "finished_at"),
    Index(None, "learner_id", "params_hash", "finished_at"),
)

result = _table(
    "result",
    Column("job_id", Text, ForeignKey("job.id"), primary_key=True),
    Column("body", Text, nullable=False),  # the result's JSON as the worker sent it, up to 1 MB
    Column("device", Text, nullable=False),
    Column("origin", Text, nullable=False),  # live | recorded
    Column("pinned", Flag, nullable=False, server_default="0"),
    Column("created_at", Moment, nullable=False),
)

# An interview to come, and what was planned for it. It is no part of what a card's state is made of.
round = _table(
    "round",
    Column("id", Integer, primary_key=True),
    _learner(),
    Column("name", Text, nullable=False),
    Column("date", Day, nullable=False),
    Column("topics", Json, nullable=False),  # names of decks, each with those below it; empty: every deck
    Column("level", Text, nullable=False),
    Column("minutes", Integer, nullable=False),  # a day
    Column("created_at", Moment, nullable=False),
    Column("debriefed_at", Moment),  # when the learner wrote down what was asked
    CheckConstraint("minutes between 1 and 1440", name="minutes"),
    Index(None, "learner_id", "date"),
)

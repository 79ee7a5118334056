"""Jobs for workers, and what came of them."""

from sqlalchemy import (
    REAL,
    CheckConstraint,
    Column,
    Computed,
    ForeignKey,
    Index,
    Integer,
    Text,
    UniqueConstraint,
)

from app.db.tables.base import of_learner, table
from app.db.types import Flag, Json, Moment

job = table(
    "job",
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("lane", Text, nullable=False),  # see app/jobs/lanes.py
    of_learner(),
    Column("payload", Json, nullable=False),
    Column("demo", Text, Computed("json_extract(payload, '$.demo')", persisted=False)),  # for its index
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

result = table(
    "result",
    Column("job_id", Text, ForeignKey("job.id"), primary_key=True),
    Column("body", Text, nullable=False),  # the result's JSON as the worker sent it, up to 1 MB
    Column("device", Text, nullable=False),
    Column("origin", Text, nullable=False),  # live | recorded
    Column("pinned", Flag, nullable=False, server_default="0"),
    Column("created_at", Moment, nullable=False),
)

"""SQL of what trials of speech to text have left."""

from datetime import datetime

from sqlalchemy import Connection, insert, select

from app.accounts.learner import LearnerId
from app.db.tables import job, result
from app.jobs.port import Held, Output
from app.jobs.states import State

KIND = "speech-trial"


def keep(conn: Connection, held: Held, output: Output, now: datetime) -> None:
    """Store what was heard, within the transaction that ends the job."""
    conn.execute(
        insert(result).values(
            job_id=held.id, body=output.body, device=output.device, origin="live", created_at=now
        )
    )


def heard(conn: Connection, learner_id: LearnerId, job_id: str) -> str | None:
    """The JSON of what was heard; None once it is forgotten."""
    query = select(result.c.body).join(job, job.c.id == result.c.job_id)
    return conn.scalar(query.where(job.c.id == job_id, job.c.learner_id == learner_id))


def waiting(conn: Connection) -> set[int]:
    """The learners who have a trial that has not ended."""
    is_open = job.c.state.in_((State.QUEUED, State.RUNNING))
    return set(conn.scalars(select(job.c.learner_id).where(job.c.kind == KIND, is_open)))

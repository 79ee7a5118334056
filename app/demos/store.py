"""SQL of kept results."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Select, select

from app.accounts.learner import LearnerId
from app.db.tables import job, result
from app.jobs.port import JobId
from app.jobs.states import State

KIND = "demo"
OPEN = tuple(state.value for state in State if not state.final)


@dataclass(frozen=True)
class Kept:
    """A result as it is kept: its JSON text and when it came in."""

    run: JobId
    body: str
    at: datetime


def of_run(conn: Connection, run: JobId) -> Kept | None:
    """What the run made, unless it was deleted meanwhile."""
    return _one(conn, _kept().where(result.c.job_id == run))


def latest(conn: Connection, params_hash: str, code_hash: str) -> Kept | None:
    """The newest result of these parameters by this code, whoever ran it."""
    same = (job.c.kind == KIND, job.c.params_hash == params_hash, job.c.code_hash == code_hash)
    return _one(conn, _kept().where(*same).order_by(result.c.created_at.desc()).limit(1))


@dataclass(frozen=True)
class Open:
    """A run that waits or runs."""

    run: JobId
    payload: dict[str, object]


def open_runs(conn: Connection, learner: LearnerId, params_hash: str | None = None) -> list[Open]:
    """The learner's runs that have not ended, newest first; of these parameters only, where they are given."""
    query = select(job.c.id, job.c.payload).where(
        job.c.kind == KIND, job.c.learner_id == learner, job.c.state.in_(OPEN)
    )
    if params_hash is not None:
        query = query.where(job.c.params_hash == params_hash)
    return [Open(JobId(r.id), r.payload) for r in conn.execute(query.order_by(job.c.created_at.desc()))]


def _kept() -> Select[tuple[str, str, datetime]]:
    return select(result.c.job_id, result.c.body, result.c.created_at).join(job, job.c.id == result.c.job_id)


def _one(conn: Connection, query: Select[tuple[str, str, datetime]]) -> Kept | None:
    row = conn.execute(query).first()
    return None if row is None else Kept(JobId(row.job_id), row.body, row.created_at)

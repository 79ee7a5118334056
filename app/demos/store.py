"""SQL of kept results and of runs that are still open."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Row, Select, func, insert, select

from app.accounts.learner import LearnerId
from app.db.tables import job, result
from app.jobs.port import Held, JobId, Output
from app.jobs.states import State
from kernels.result import OUT_OF_MEMORY

KIND = "demo"
OPEN = tuple(state.value for state in State if not state.final)


@dataclass(frozen=True)
class Kept:
    """A result that a run left, without its text; `at`: when it came in, `code`: the hash of the code that made it."""

    run: JobId
    demo: str
    params: Mapping[str, object]
    device: str
    code: str
    at: datetime


def of_run(conn: Connection, learner: LearnerId, run: str) -> Kept | None:
    """What the learner's run made, unless it was deleted meanwhile."""
    return _first(conn, _kept(learner).where(job.c.id == run))


def latest(conn: Connection, learner: LearnerId, params_hash: str, code_hash: str) -> Kept | None:
    """The newest result that a run of the learner's left, of these parameters by this code.

    A run whose memory ran out has its note on its own page alone, and hides no figures here.
    """
    same = (job.c.params_hash == params_hash, job.c.code_hash == code_hash)
    whole = func.json_extract(result.c.body, "$.blocks[0].id").is_distinct_from(OUT_OF_MEMORY)
    return _first(conn, _kept(learner).where(*same, whole))


def of_demo(conn: Connection, learner: LearnerId, demo: str, limit: int) -> list[Kept]:
    """The newest results that the learner's runs of this demo left, at most `limit`."""
    query = _kept(learner).where(job.c.demo == demo).limit(limit)
    return [_row(row) for row in conn.execute(query)]


def body(conn: Connection, run: JobId) -> str:
    """The result's JSON as the worker sent it."""
    return str(conn.scalar(select(result.c.body).where(result.c.job_id == run)))


def keep(conn: Connection, run: Held, output: Output, now: datetime) -> None:
    """Store what a run made, within the transaction that ends it."""
    conn.execute(
        insert(result).values(
            job_id=run.id, body=output.body, device=output.device, origin="live", created_at=now
        )
    )


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


def _kept(learner: LearnerId) -> Select[*tuple[object, ...]]:
    """What the learner's runs left, newest first: a result comes in at the moment at which its run ends."""
    columns = (result.c.job_id, job.c.payload, result.c.device, job.c.code_hash, result.c.created_at)
    mine = (job.c.kind == KIND, job.c.learner_id == learner)
    return (
        select(*columns)
        .join(job, job.c.id == result.c.job_id)
        .where(*mine)
        .order_by(job.c.finished_at.desc())
    )


def _first(conn: Connection, query: Select[*tuple[object, ...]]) -> Kept | None:
    row = conn.execute(query.limit(1)).first()
    return None if row is None else _row(row)


def _row(row: Row[*tuple[object, ...]]) -> Kept:
    payload = row.payload
    return Kept(
        JobId(row.job_id), payload["demo"], payload["params"], row.device, row.code_hash, row.created_at
    )

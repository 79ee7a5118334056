"""SQL of single jobs, shared by the operations of the SQLite adapter."""

from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Integer,
    Row,
    and_,
    func,
    literal_column,
    or_,
    select,
    update,
)

from app.accounts.learner import LearnerId
from app.db.tables import job
from app.jobs.port import Held, JobId, Order
from app.jobs.states import LOST, Outcome, State, Turn, after
from app.web.errors import Conflict, NotFound

# Settles which of two jobs of the same millisecond came first.
ROWID: ColumnElement[int] = literal_column("job.rowid", Integer)
NOT_YOURS = "This run is no longer yours: its lease has passed to another worker, or it has ended."


def settle(
    conn: Connection, row: Row[tuple[object, ...]], outcome: Outcome, message: str, now: datetime
) -> Turn:
    """End a worker's turn at the job in `row`."""
    turn = after(outcome, message, losses=row.losses, cancel=row.cancel, deadline_s=row.deadline_s)
    again = turn.state is State.QUEUED
    conn.execute(
        update(job)
        .where(job.c.id == row.id)
        .values(
            state=turn.state,
            losses=turn.losses,
            loss=(message or LOST) if turn.losses > row.losses else row.loss,
            message=turn.message,
            lease_until=None,
            **({"worker": None, "progress": 0.0, "started_at": None} if again else {"finished_at": now}),
        )
    )
    return turn


def get(conn: Connection, job_id: JobId) -> Row[tuple[object, ...]] | None:
    return conn.execute(select(job).where(job.c.id == job_id)).first()


def of(conn: Connection, job_id: JobId, learner: LearnerId) -> Row[tuple[object, ...]]:
    """The learner's job; raises NotFound."""
    row = conn.execute(
        select(job, ROWID.label("turn")).where(job.c.id == job_id, job.c.learner_id == learner)
    ).first()
    if row is None:
        raise NotFound("There is no such run. Open its demo to run it again.")
    return row


def leased(conn: Connection, job_id: JobId, worker: str, attempt: int) -> Row[tuple[object, ...]]:
    """The job while this worker's lease on it holds; else raises Conflict."""
    row = get(conn, job_id)
    if row is None or (row.state, row.worker, row.attempt) != (State.RUNNING, worker, attempt):
        raise Conflict(NOT_YOURS)
    return row


def held(row: Row[tuple[object, ...]]) -> Held:
    return Held(JobId(row.id), LearnerId(row.learner_id), row.kind, row.payload)


def by_key(conn: Connection, order: Order) -> JobId | None:
    """The job that the order's key stands for already; raises Conflict when that was another order."""
    if order.key is None:
        return None
    row = conn.execute(
        select(job.c.id, job.c.kind, job.c.params_hash).where(
            job.c.learner_id == order.learner, job.c.idem == order.key
        )
    ).first()
    if row is None:
        return None
    if (row.kind, row.params_hash) != (order.kind, order.params_hash):
        raise Conflict("This Idempotency-Key was used for a run with other parameters; send a new key.")
    return JobId(row.id)


def place(conn: Connection, row: Row[tuple[object, ...]]) -> int:
    """How many jobs of its kind are before this queued one; those of another lane may share its device."""
    earlier = or_(
        job.c.created_at < row.created_at, and_(job.c.created_at == row.created_at, row.turn > ROWID)
    )
    return (
        conn.scalar(select(func.count()).where(job.c.state == State.QUEUED, job.c.kind == row.kind, earlier))
        or 0
    )


def recent(most: int) -> FromClause:
    """The jobs that came last, so that looking back stays as quick as it is after years."""
    return select(job).order_by(ROWID.desc()).limit(most).subquery()

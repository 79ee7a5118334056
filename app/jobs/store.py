"""The port's adapter on SQLite: the table `job`; what a job makes is stored as its kind has it.

Each method is one transaction of its own.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Row, and_, delete, func, insert, or_, select, update

from app.accounts.learner import LearnerId
from app.clock import Clock
from app.db.engine import Database
from app.db.tables import job, result
from app.jobs import rows
from app.jobs.hub import Hub
from app.jobs.kinds import Kinds
from app.jobs.port import JOBS, QUEUE, Claim, Fault, Held, Job, JobId, Order, Output, Waiting
from app.jobs.states import Outcome, State
from app.web.errors import Busy, Conflict, Invalid

RETRY_AFTER_S = 5
LOOK_BACK = 500  # jobs, among which faults are looked for
NOT_ITS_OWN = (
    "The worker's result answers another run, or other parameters than this server sent; update both."
)


@dataclass(frozen=True)
class Limits:
    """Jobs that may wait in a lane, jobs of a kind that one learner may have open, and seconds that a lease lasts."""

    queue: int
    learner: int
    lease_s: float


class SqliteJobs:
    def __init__(self, db: Database, clock: Clock, hub: Hub, limits: Limits, kinds: Kinds) -> None:
        self._db = db
        self._clock = clock
        self._hub = hub
        self._limits = limits
        self._kinds = kinds

    def submit(self, order: Order) -> JobId:
        made = JobId(secrets.token_hex(8))
        with self._db.write() as conn:
            known = rows.by_key(conn, order)
            if known is not None:
                return known
            if order.refusal:
                raise Invalid(order.refusal)
            if not order.always:
                self._refuse_if_full(conn, order)
            conn.execute(
                insert(job).values(
                    id=made,
                    kind=order.kind,
                    lane=order.lane,
                    learner_id=order.learner,
                    payload=dict(order.payload),
                    params_hash=order.params_hash,
                    code_hash=order.code_hash,
                    state=State.QUEUED,
                    deadline_s=order.deadline_s,
                    created_at=self._clock(),
                    idem=order.key,
                )
            )
        self._tell(QUEUE, JOBS)
        return made

    def _refuse_if_full(self, conn: Connection, order: Order) -> None:
        is_open = job.c.state.in_((State.QUEUED, State.RUNNING))
        mine = (
            conn.scalar(
                select(func.count()).where(
                    is_open, job.c.learner_id == order.learner, job.c.kind == order.kind
                )
            )
            or 0
        )
        if mine >= self._limits.learner:
            raise Busy(
                f"You have {mine} runs open, as many as one person may; wait for one to end, or cancel one.",
                RETRY_AFTER_S,
            )
        waiting = (
            conn.scalar(select(func.count()).where(job.c.state == State.QUEUED, job.c.lane == order.lane))
            or 0
        )
        if waiting >= self._limits.queue:
            raise Busy(
                f"{waiting} runs wait already, as many as the queue takes; try again in a moment.",
                RETRY_AFTER_S,
            )

    def claim(self, worker: str, lanes: Sequence[str]) -> Claim | None:
        oldest = (
            select(job)
            .where(job.c.state == State.QUEUED, job.c.lane.in_(lanes))
            .order_by(job.c.created_at, rows.ROWID)
            .limit(1)
        )
        with self._db.read() as conn:  # most looks find nothing, and those should not take the writer
            if conn.execute(oldest).first() is None:
                return None
        now = self._clock()
        with self._db.write() as conn:
            row = conn.execute(oldest).first()
            if row is None:
                return None
            conn.execute(
                update(job)
                .where(job.c.id == row.id)
                .values(
                    state=State.RUNNING,
                    attempt=row.attempt + 1,
                    worker=worker,
                    lease_until=self._lease_from(now),
                    started_at=now,
                    progress=0.0,
                    message="",
                )
            )
        self._tell(JOBS)
        return Claim(JobId(row.id), row.attempt + 1, row.kind, row.payload, row.deadline_s)

    def heartbeat(self, job_id: JobId, worker: str, attempt: int, progress: float, words: str) -> bool:
        with self._db.write() as conn:
            row = rows.leased(conn, job_id, worker, attempt)
            conn.execute(
                update(job)
                .where(job.c.id == job_id)
                .values(lease_until=self._lease_from(self._clock()), progress=progress, message=words)
            )
        self._tell(JOBS)
        return bool(row.cancel)

    def finish(
        self,
        job_id: JobId,
        worker: str,
        attempt: int,
        outcome: Outcome,
        message: str,
        output: Output | None,
    ) -> State:
        now = self._clock()
        with self._db.write() as conn:
            row = rows.get(conn, job_id)
            if row is not None and (row.worker, row.attempt) == (worker, attempt) and State(row.state).final:
                return State(row.state)  # the worker did not hear our first answer
            row = rows.leased(conn, job_id, worker, attempt)
            if output is not None and output.payload not in (None, row.payload):
                outcome, message = Outcome.FAILED, NOT_ITS_OWN
            turn = rows.settle(conn, row, outcome, message, now)
            if turn.state is State.DONE and output is not None:
                conn.execute(update(job).where(job.c.id == job_id).values(code_hash=output.code_hash))
                self._kinds[row.kind].keep(conn, rows.held(row), output, now)
        self._tell(JOBS, *([QUEUE] if turn.state is State.QUEUED else []))
        return turn.state

    def held(self, job_id: JobId, worker: str, attempt: int) -> Held:
        with self._db.read() as conn:
            return rows.held(rows.leased(conn, job_id, worker, attempt))

    def kind(self, job_id: JobId) -> str:
        with self._db.read() as conn:
            row = rows.get(conn, job_id)
        if row is None:
            raise Conflict(rows.NOT_YOURS)
        return str(row.kind)

    def cancel(self, job_id: JobId, learner: LearnerId) -> State:
        with self._db.write() as conn:
            row = rows.of(conn, job_id, learner)
            state = State(row.state)
            if state is State.QUEUED:
                state = State.CANCELLED
                conn.execute(
                    update(job)
                    .where(job.c.id == job_id)
                    .values(state=state, message="Cancelled before it began.", finished_at=self._clock())
                )
            elif state is State.RUNNING:
                conn.execute(update(job).where(job.c.id == job_id).values(cancel=True))
        self._tell(JOBS)
        return state

    def get(self, job_id: JobId, learner: LearnerId) -> Job:
        with self._db.read() as conn:
            row = rows.of(conn, job_id, learner)
            place = rows.place(conn, row) if row.state == State.QUEUED else 0
        return Job(
            id=JobId(row.id),
            kind=row.kind,
            lane=row.lane,
            payload=row.payload,
            state=State(row.state),
            message=row.message,
            progress=row.progress,
            place=place,
            cancel=row.cancel,
            deadline_s=row.deadline_s,
            created_at=row.created_at,
            started_at=row.started_at,
            finished_at=row.finished_at,
        )

    def waiting(self) -> list[Waiting]:
        queued = (
            select(job.c.lane, func.count().label("count"), func.min(job.c.created_at).label("since"))
            .where(job.c.state == State.QUEUED)
            .group_by(job.c.lane)
            .order_by(job.c.lane)
        )
        with self._db.read() as conn:
            return [Waiting(row.lane, row._mapping["count"], row.since) for row in conn.execute(queued)]

    def faults(self, most: int) -> list[Fault]:
        of = rows.recent(LOOK_BACK).c
        wrong = or_(of.state.in_((State.FAILED, State.TIMED_OUT)), of.losses > 0)
        at = func.coalesce(of.finished_at, of.started_at, of.created_at)
        found = select(*of, at.label("at")).where(wrong).order_by(at.desc()).limit(most)
        with self._db.read() as conn:
            return [
                Fault(
                    job=JobId(row.id),
                    learner=LearnerId(row.learner_id),
                    payload=row.payload,
                    state=State(row.state),
                    losses=row.losses,
                    message=row.message,
                    at=row.at,
                    loss=row.loss,
                )
                for row in conn.execute(found)
            ]

    def give_back(self, workers: str, why: str) -> int:
        held = select(job).where(
            job.c.state == State.RUNNING, job.c.worker.startswith(workers, autoescape=True)
        )
        with self._db.read() as conn:
            if conn.execute(held).first() is None:
                return 0
        now = self._clock()
        with self._db.write() as conn:
            found = conn.execute(held).all()
            for row in found:
                rows.settle(conn, row, Outcome.STOPPED, why, now)
        self._tell(QUEUE, JOBS)
        return len(found)

    def sweep(self) -> int:
        now = self._clock()
        running = select(job).where(job.c.state == State.RUNNING)
        with self._db.read() as conn:
            if not any(self._overdue(row, now) for row in conn.execute(running)):
                return 0
        with self._db.write() as conn:
            ended = [(row, why) for row in conn.execute(running).all() if (why := self._overdue(row, now))]
            for row, why in ended:
                rows.settle(conn, row, why, "", now)
        self._tell(QUEUE, JOBS)
        return len(ended)

    def forget_results(self, before: datetime) -> int:
        """Delete results older than `before` that nobody has pinned; the number of them."""
        old = and_(result.c.created_at < before, result.c.pinned.is_(False))
        with self._db.write() as conn:
            return conn.execute(delete(result).where(old)).rowcount

    def _overdue(self, row: Row[tuple[object, ...]], now: datetime) -> Outcome | None:
        """Why a running job must end without a word of its worker: no sign of it, or a deadline it let pass."""
        if row.lease_until < now:
            return Outcome.DIED
        if row.started_at + timedelta(seconds=row.deadline_s + self._limits.lease_s) < now:
            return Outcome.TIMED_OUT
        return None

    def _lease_from(self, now: datetime) -> datetime:
        return now + timedelta(seconds=self._limits.lease_s)

    def _tell(self, *topics: str) -> None:
        for topic in topics:
            self._hub.notify(topic)

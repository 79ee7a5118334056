"""The port through which work is handed out. Whoever implements `Jobs` can carry it: SQLite now, a broker later.

Each method is whole in itself: when it returns, what it did is kept. A claim is a lease: it ends unless the worker
gives a sign, and `attempt` numbers it, so that a worker that was given up cannot finish a job that went on without it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NewType, Protocol

from app.accounts.learner import LearnerId
from app.jobs.states import Outcome, State

JobId = NewType("JobId", str)

QUEUE = "queue"  # topic of the hub: a job waits to be claimed
JOBS = "jobs"  # topic of the hub: some job has changed


@dataclass(frozen=True)
class Order:
    """A job to be done. `payload` is JSON; equal `params_hash` and `code_hash` mean an equal result.

    `key` makes a repeated submit harmless: the same key of the same learner is the same job, whatever is ready
    by then. `refusal` says why nobody who is ready would do the job, which is then not queued. `always`: it is queued
    however much waits, since what it is about cannot be asked for later.
    """

    kind: str
    lane: str
    learner: LearnerId
    payload: Mapping[str, object]
    params_hash: str
    code_hash: str
    deadline_s: float
    key: str | None = None
    refusal: str = ""
    always: bool = False


@dataclass(frozen=True)
class Job:
    """A job as it stands.

    `place` counts the jobs of its kind before it while it is queued; `progress` goes from 0 to 1; `cancel` tells
    that its learner wants it to end.
    """

    id: JobId
    kind: str
    lane: str
    payload: Mapping[str, object]
    state: State
    message: str
    progress: float
    place: int
    cancel: bool
    deadline_s: float
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True)
class Claim:
    """A job that was handed to a worker, to be done within `deadline_s` seconds."""

    id: JobId
    attempt: int
    kind: str
    payload: Mapping[str, object]
    deadline_s: float


@dataclass(frozen=True)
class Held:
    """A job whose lease holds: what it is about, and whose it is."""

    id: JobId
    learner: LearnerId
    kind: str
    payload: Mapping[str, object]


@dataclass(frozen=True)
class Output:
    """What a job made: its JSON as text, the device it ran on and the hash of the code that ran.

    `payload` is the one that it says it answers, if it says so; the output of another job's payload is refused.
    """

    body: str
    device: str
    code_hash: str
    payload: Mapping[str, object] | None = None


@dataclass(frozen=True)
class Waiting:
    """How many jobs wait in a lane, and since when the first of them."""

    lane: str
    count: int
    since: datetime


@dataclass(frozen=True)
class Fault:
    """A job that went wrong: it failed, ran out of time, or lost its worker or child `losses` times on the way.

    `loss` says how the last of them was lost.
    """

    job: JobId
    learner: LearnerId
    payload: Mapping[str, object]
    state: State
    losses: int
    message: str
    at: datetime
    loss: str = ""


class Jobs(Protocol):
    def submit(self, order: Order) -> JobId:
        """Queue a job. Raises Busy when too much waits, Conflict when the key stands for another order.

        Raises Invalid with the order's refusal, unless its key is known.
        """

    def claim(self, worker: str, lanes: Sequence[str]) -> Claim | None:
        """Take the job that has waited longest in `lanes`, or None."""

    def heartbeat(self, job: JobId, worker: str, attempt: int, progress: float, words: str) -> bool:
        """Renew the lease and tell the progress; True when the learner wants the job to end.

        Raises Conflict when the lease is no longer the worker's.
        """

    def finish(
        self, job: JobId, worker: str, attempt: int, outcome: Outcome, message: str, output: Output | None
    ) -> State:
        """End the worker's turn; a repeat changes nothing. Raises Conflict when the lease is no longer its own.

        A job that is done by the output of another payload has failed.
        """

    def held(self, job: JobId, worker: str, attempt: int) -> Held:
        """What the job is about that the worker holds. Raises Conflict when the lease is no longer its own."""

    def kind(self, job: JobId) -> str:
        """The kind of a job, by which its output is read. Raises Conflict when there is none."""

    def cancel(self, job: JobId, learner: LearnerId) -> State:
        """End a job that waits, ask a running one to end; what has ended stays. Raises NotFound."""

    def get(self, job: JobId, learner: LearnerId) -> Job:
        """The learner's job. Raises NotFound."""

    def waiting(self) -> list[Waiting]:
        """The lanes in which jobs wait."""

    def faults(self, most: int) -> list[Fault]:
        """What went wrong of late, whoever had asked for it, newest first."""

    def give_back(self, workers: str, why: str) -> int:
        """Let wait again, as no loss, what workers hold whose names begin with `workers`; the number of jobs."""

    def sweep(self) -> int:
        """Give back, or give up, the jobs whose worker is gone; the number of them."""

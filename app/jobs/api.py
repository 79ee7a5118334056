"""What workers call, over HTTP, from this machine or another. Each request bears the worker token.

A worker announces itself, claims a job (the answer waits until there is one), gives a sign of life while it runs and
finishes it. It dials out only, so it may stand behind a NAT.
"""

import asyncio
import hmac
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field

from app.jobs import outputs
from app.jobs.port import QUEUE, Claim, JobId, Output
from app.jobs.registry import Device, WorkerState
from app.jobs.service import Queue
from app.jobs.states import Outcome, State
from app.web.api import PREFIX, Its, errors
from app.web.errors import Invalid, Problem

LONGEST_WAIT_S = 30


class Unauthorized(Problem):
    """No worker token, or another server's."""

    status = 401
    headers = {"WWW-Authenticate": "Bearer"}  # noqa: RUF012  (as in Problem)


def worker_only(request: Request, its: Its) -> None:
    """Let pass only who knows the token."""
    given = request.headers.get("authorization", "")
    wanted = f"Bearer {its.settings.worker_token()}"
    if not hmac.compare_digest(given.encode(), wanted.encode()):
        raise Unauthorized(
            "The worker's token does not match. Pass the text of the file worker-token in this server's data "
            "folder as --token or ALOUD_TOKEN."
        )


class Stopping(Problem):
    """The server is about to end; a worker does well to wait before it asks again."""

    status = 503


router = APIRouter(
    prefix=f"{PREFIX}/worker",
    tags=["worker"],
    dependencies=[Depends(worker_only)],
    responses=errors(401, 422),
)


class FromWorker(BaseModel):
    """Fields that a newer worker adds are passed over, so that the two sides can be updated one by one."""

    model_config = ConfigDict(frozen=True)

    worker: Annotated[str, Field(min_length=1, max_length=100)]


class DeviceIn(BaseModel):
    kind: Annotated[str, Field(max_length=20)]
    name: Annotated[str, Field(max_length=200)]
    interpreter: bool = False


class Announcement(FromWorker):
    state: WorkerState
    words: Annotated[str, Field(max_length=500)] = ""
    devices: Annotated[list[DeviceIn], Field(max_length=64)] = []


class Rhythm(BaseModel):
    """`lease_s`: seconds without a sign after which a worker, or its job, is given up."""

    lease_s: float


class Wanted(FromWorker):
    lanes: Annotated[list[str], Field(min_length=1, max_length=8)]
    wait_s: Annotated[float, Field(ge=0, le=LONGEST_WAIT_S)] = 20


class Lease(BaseModel):
    id: str
    attempt: int
    kind: str
    payload: dict[str, object]
    deadline_s: float
    lease_s: float


class Sign(FromWorker):
    attempt: int
    progress: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0
    words: Annotated[str, Field(max_length=500)] = ""


class Wish(BaseModel):
    """`cancel`: the learner wants the run to end."""

    cancel: bool


class End(FromWorker):
    attempt: int
    outcome: Outcome
    message: Annotated[str, Field(max_length=2000)] = ""
    result: dict[str, object] | None = None


class Ended(BaseModel):
    state: State


@router.post("/announce")
def announce(body: Announcement, its: Its) -> Rhythm:
    """Say that a worker is there, is being installed, or cannot work; to be repeated within `lease_s`."""
    devices = [Device(d.kind, d.name, d.interpreter) for d in body.devices]
    its.workers.announce(body.worker, body.state, body.words, devices)
    return Rhythm(lease_s=its.workers.ttl_s)


@router.post(
    "/claim", response_model=Lease, responses={204: {"description": "Nothing to do in `wait_s` seconds."}}
)
async def claim(body: Wanted, request: Request, its: Its, jobs: Queue) -> Lease | Response:
    """Take the job that has waited longest; the answer waits for one up to `wait_s` seconds."""
    clock = asyncio.get_running_loop().time
    until = clock() + body.wait_s
    with its.hub.listen(QUEUE) as change:
        while not its.hub.closing:
            # A worker that hung up meanwhile would keep its job from the others until the lease ends.
            if await request.is_disconnected():
                break
            found = await run_in_threadpool(jobs.claim, body.worker, body.lanes)
            if found is not None:
                return _lease(found, its.settings.lease_s)
            if not await change.wait(until - clock()):
                break
    if its.hub.closing:
        raise Stopping("The server is stopping; ask again once it is back.")
    return Response(status_code=204)


@router.post("/jobs/{job_id}/heartbeat", responses=errors(409))
def heartbeat(job_id: str, body: Sign, jobs: Queue) -> Wish:
    """Give a sign of life, which renews the lease, and tell the progress."""
    return Wish(cancel=jobs.heartbeat(JobId(job_id), body.worker, body.attempt, body.progress, body.words))


@router.post("/jobs/{job_id}/finish", responses=errors(409))
def finish(job_id: str, body: End, jobs: Queue) -> Ended:
    """Hand in how the run ended. A repeat changes nothing; after the lease has passed on it is refused."""
    outcome, message, output = _judged(body)
    return Ended(state=jobs.finish(JobId(job_id), body.worker, body.attempt, outcome, message, output))


def _judged(body: End) -> tuple[Outcome, str, Output | None]:
    """A result that cannot be kept makes the run a failed one: it would be no better the next time."""
    if body.outcome is not Outcome.DONE:
        return body.outcome, body.message, None
    if body.result is None:
        raise Invalid("A run that is done needs its result.")
    try:
        return body.outcome, body.message, outputs.read(body.result)
    except outputs.BadOutput as error:
        return Outcome.FAILED, str(error), None


def _lease(found: Claim, lease_s: float) -> Lease:
    return Lease(
        id=found.id,
        attempt=found.attempt,
        kind=found.kind,
        payload=dict(found.payload),
        deadline_s=found.deadline_s,
        lease_s=lease_s,
    )

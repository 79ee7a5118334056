"""What workers call, over HTTP, from this machine or another. Each request bears a worker's token.

A worker announces itself, claims a job (the answer waits until there is one), gives a sign of life while it runs and
finishes it. It dials out only, so it may stand behind a NAT.
"""

import asyncio
import hmac
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse

from app.jobs.bodies import Announcement, End, Ended, LaneIn, Lease, Rhythm, Shown, Sign, Wanted, Wish
from app.jobs.kinds import BadOutput, Kinds
from app.jobs.port import QUEUE, Claim, JobId, Output
from app.jobs.service import Queue
from app.jobs.service import jobs as jobs_of
from app.jobs.standing import Device, Lane
from app.jobs.states import REVOKED, Outcome
from app.jobs.tokens import Tokens, name_in
from app.web.api import PREFIX, WRITE, Its, errors
from app.web.errors import Invalid, NotFound, Problem
from app.web.parts import Parts


class Unauthorized(Problem):
    """No worker's token, another server's, or one that was revoked."""

    status = 401
    headers = {"WWW-Authenticate": "Bearer"}  # noqa: RUF012  (as in Problem)


def token_of(request: Request, its: Its) -> str:
    """The name of the token that the request bears, empty for the server's own. Raises Unauthorized."""
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if hmac.compare_digest(given.encode(), its.settings.worker_token().encode()):
        return ""
    tokens = Tokens(its.settings.data)
    holder = tokens.holder(given)
    if holder is None:
        name = name_in(given)
        if name and not tokens.known(name):
            _dismiss(its, name)
        raise Unauthorized(_why(given))
    return holder


def _dismiss(its: Parts, token: str) -> None:
    """Let go of the workers of a token that was revoked, by their first word after that."""
    its.workers.dismiss(token)
    jobs_of(its).give_back(_name(token, ""), REVOKED)


def _why(given: str) -> str:
    if name := name_in(given):
        return (
            f'The token "{name}" is not valid here: it was revoked, or made anew since. '
            f"To make one on the server: aloud token NAME."
        )
    return (
        "The worker's token does not match. Pass the text of the file worker-token in this server's data "
        "folder as --token or ALOUD_TOKEN, or one that `aloud token NAME` made there."
    )


Token = Annotated[str, Depends(token_of)]


class Stopping(Problem):
    """The server is about to end; a worker does well to wait before it asks again."""

    status = 503


router = APIRouter(
    prefix=f"{PREFIX}/worker",
    tags=["worker"],
    dependencies=[Depends(token_of)],
    responses=errors(401, 422),
)


@router.get("/token")
def shown(token: Token) -> Shown:
    """Whether a worker with this token would be let in, and how that token is called here."""
    return Shown(token=token)


@router.post("/announce", responses=errors(*WRITE))
def announce(body: Announcement, its: Its, token: Token) -> Rhythm:
    """Say that a worker is there, is being installed, or cannot work; to be repeated within `lease_s`."""
    now = its.clock()
    its.workers.announce(
        body.worker,
        body.state,
        body.words,
        [Device(**device.model_dump()) for device in body.devices],
        lanes=[_lane(lane, now) for lane in body.lanes],
        token=token,
        since=now - timedelta(seconds=body.up_s),
    )
    return Rhythm(lease_s=its.workers.ttl_s)


def _lane(told: LaneIn, now: datetime) -> Lane:
    return Lane(
        told.state,
        now - timedelta(seconds=told.for_s),
        told.device,
        tuple(told.takes),
        told.demo,
        told.lost,
        told.words,
    )


@router.post(
    "/claim",
    response_model=Lease,
    responses={204: {"description": "Nothing to do in `wait_s` seconds."}, **errors(503, *WRITE)},
)
async def claim(body: Wanted, request: Request, its: Its, jobs: Queue, token: Token) -> Lease | Response:
    """Take the job that has waited longest; the answer waits for one up to `wait_s` seconds."""
    clock = asyncio.get_running_loop().time
    until = clock() + body.wait_s
    with its.hub.listen(QUEUE) as change:
        while not its.hub.closing:
            # A worker that hung up meanwhile would keep its job from the others until the lease ends.
            if await request.is_disconnected():
                break
            found = await run_in_threadpool(jobs.claim, _name(token, body.worker), body.lanes)
            if found is not None:
                return _lease(found, its.settings.lease_s)
            if not await change.wait(until - clock()):
                break
            await run_in_threadpool(token_of, request, its)  # it may have been revoked meanwhile
    if its.hub.closing:
        raise Stopping("The server is stopping; ask again once it is back.")
    return Response(status_code=204)


@router.post("/jobs/{job_id}/heartbeat", responses=errors(409, *WRITE))
def heartbeat(job_id: str, body: Sign, jobs: Queue, token: Token) -> Wish:
    """Give a sign of life, which renews the lease, and tell the progress."""
    return Wish(
        cancel=jobs.heartbeat(
            JobId(job_id), _name(token, body.worker), body.attempt, body.progress, body.words
        )
    )


@router.post("/jobs/{job_id}/finish", responses=errors(409, *WRITE))
def finish(job_id: str, body: End, its: Its, jobs: Queue, token: Token) -> Ended:
    """Hand in how the run ended. A repeat changes nothing; after the lease has passed on it is refused."""
    outcome, message, output = _judged(body, its.kinds, lambda: jobs.kind(JobId(job_id)))
    return Ended(
        state=jobs.finish(JobId(job_id), _name(token, body.worker), body.attempt, outcome, message, output)
    )


@router.get("/jobs/{job_id}/sound", response_class=FileResponse, responses=errors(404, 409))
def sound(
    job_id: str,
    worker: Annotated[str, Query(min_length=1, max_length=100)],
    attempt: int,
    its: Its,
    jobs: Queue,
    token: Token,
) -> FileResponse:
    """The recording that the job is about, for the holder of its lease alone."""
    held = jobs.held(JobId(job_id), _name(token, worker), attempt)
    find = its.kinds[held.kind].sound if held.kind in its.kinds else None
    if find is None:
        raise NotFound("No sound belongs to this job.")
    with its.db.read() as conn:
        path = find(conn, held)
    if path is None or not path.is_file():
        raise NotFound("The recording was deleted before it was heard.")
    return FileResponse(path, media_type="application/octet-stream", headers={"Cache-Control": "no-store"})


def _name(token: str, worker: str) -> str:
    """By which a worker holds a lease: the holder of another token cannot take its name."""
    return f"{token}/{worker}" if token else worker


def _judged(body: End, kinds: Kinds, kind_of: Callable[[], str]) -> tuple[Outcome, str, Output | None]:
    """A result that cannot be kept makes the run a failed one: it would be no better the next time."""
    if body.outcome is not Outcome.DONE:
        return body.outcome, body.message, None
    if body.result is None:
        raise Invalid("A run that is done needs its result.")
    try:
        return body.outcome, body.message, kinds[kind_of()].read(body.result)
    except BadOutput as error:
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

"""Demos over HTTP: what there is, running one, following it, cancelling it."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from pydantic import Field

from app.accounts.learner import Learner
from app.accounts.service import Current
from app.demos import ordering, service
from app.demos.service import Run
from app.jobs.port import JOBS, JobId, Jobs
from app.jobs.service import Queue
from app.jobs.states import State
from app.web.api import PREFIX, WRITE, Body, Its, errors
from app.web.parts import Parts
from kernels.catalog import DEMOS, Demo

HEARTBEAT_S = 15

router = APIRouter(prefix=PREFIX, tags=["demos"])


class ParamOut(Body):
    name: str
    kind: str
    default: bool | int | float | str
    label: str
    help: str
    unit: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    labels: dict[str, str]


class DemoOut(Body):
    name: str
    title: str
    summary: str
    look_for: str
    topic: str
    deadline_s: float
    needs: tuple[str, ...]
    params: tuple[ParamOut, ...]

    @classmethod
    def of(cls, demo: Demo) -> "DemoOut":
        given = {name: getattr(demo, name) for name in cls.model_fields if name != "params"}
        return cls(**given, params=tuple(ParamOut(**asdict(param)) for param in demo.params))


class DemosOut(Body):
    demos: list[DemoOut]


class RunBody(Body):
    """`params` may leave out what keeps its default."""

    demo: str
    params: dict[str, object] = Field(default_factory=dict)


class RunId(Body):
    id: str


class RunOut(Body):
    """`result` is there (schema 1) when the run is done, unless it was deleted since."""

    id: str
    demo: str
    params: dict[str, object]
    state: State
    place: int
    progress: float
    words: str
    created_at: datetime
    finished_at: datetime | None
    result: dict[str, object] | None = None

    @classmethod
    def of(cls, run: Run, result: dict[str, object] | None = None) -> "RunOut":
        return cls(**{**asdict(run), "params": dict(run.params)}, result=result)


@router.get("/demos")
def demos() -> DemosOut:
    """Every demo with its parameters and their limits."""
    return DemosOut(demos=[DemoOut.of(demo) for demo in DEMOS.values()])


@router.post("/runs", status_code=202, responses=errors(404, 409, 422, 429, *WRITE))
def submit(
    body: RunBody,
    its: Its,
    learner: Current,
    jobs: Queue,
    idempotency_key: Annotated[str | None, Header()] = None,
) -> RunId:
    """Queue a run. With an Idempotency-Key a repeat gives the id of the same run."""
    return RunId(id=_submit(its, jobs, learner, body, idempotency_key))


@router.get("/runs/{run_id}", responses=errors(404))
def one_run(run_id: str, its: Its, learner: Current, jobs: Queue) -> RunOut:
    """How a run stands, with its result when it is done."""
    run = _run(its, jobs, learner, run_id)
    with its.db.read() as conn:
        return RunOut.of(*service.with_result(conn, learner, run))


@router.delete("/runs/{run_id}", responses=errors(404, *WRITE))
def cancel(run_id: str, its: Its, learner: Current, jobs: Queue) -> RunOut:
    """Cancel a run: at once where it waits, within seconds where it runs. One that has ended stays as it is."""
    jobs.cancel(JobId(run_id), learner.id)
    return one_run(run_id, its, learner, jobs)


@router.get("/runs/{run_id}/events", response_class=StreamingResponse, responses=errors(404))
async def events(run_id: str, its: Its, learner: Current, jobs: Queue) -> StreamingResponse:
    """Server-sent events named `run`, each the whole of how the run stands (no result); ends when the run has."""
    await run_in_threadpool(_run, its, jobs, learner, run_id)  # a 404 must come before the stream begins
    return StreamingResponse(
        snapshots(its, jobs, learner, run_id),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def snapshots(its: Parts, jobs: Jobs, learner: Learner, run_id: str) -> AsyncIterator[str]:
    """The events of a run as they are sent: whenever it has changed, and a sign of life every HEARTBEAT_S seconds."""
    clock = asyncio.get_running_loop().time
    last, said = None, clock()
    with its.hub.listen(JOBS) as change:
        while not its.hub.closing:
            run = await run_in_threadpool(_run, its, jobs, learner, run_id)
            if run != last:
                yield f"event: run\ndata: {_event(run)}\n\n"
                last, said = run, clock()
            elif clock() >= said + HEARTBEAT_S:  # other runs wake this stream, too, with nothing to say
                yield ": still here\n\n"
                said = clock()
            if run.state.final:
                return
            await change.wait(said + HEARTBEAT_S - clock())


def _event(run: Run) -> str:
    told = {"state": run.state, "place": run.place, "progress": run.progress, "words": run.words}
    return json.dumps({**told, "final": run.state.final})


def _submit(its: Parts, jobs: Jobs, learner: Learner, body: RunBody, key: str | None) -> JobId:
    worker = its.workers.view()
    return ordering.submit(jobs, its.settings, learner, worker, body.demo, body.params, key)


def _run(its: Parts, jobs: Jobs, learner: Learner, run_id: str) -> Run:
    return service.run(jobs, learner, its.workers.view(), JobId(run_id))

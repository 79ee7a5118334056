"""Demos for whoever asks: how a run stands, and what there is to show of it. Runs are asked for in ordering.py."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.demos import results, runs, store
from app.demos.records import Records
from app.demos.results import Found
from app.demos.views import CardDemo, Links, RunView, Shown, shown
from app.jobs.lanes import GPU
from app.jobs.port import Job, JobId, Jobs
from app.jobs.standing import WorkerView
from app.jobs.states import State
from app.web.errors import NotFound
from kernels.catalog import DEMOS, Demo, Params, params_hash, parse_line

NO_RUN = "There is no such run. Open its demo to run it again."


@dataclass(frozen=True)
class Run:
    """A run as the API tells it. `progress` goes from 0 to 1, `place` counts the runs before it."""

    id: JobId
    demo: str
    params: Mapping[str, object]
    state: State
    place: int
    progress: float
    words: str
    created_at: datetime
    finished_at: datetime | None


def run(jobs: Jobs, learner: Learner, worker: WorkerView, job_id: JobId) -> Run:
    """How the learner's run stands. Raises NotFound."""
    job = jobs.get(job_id, learner.id)
    if job.kind != store.KIND:
        raise NotFound(NO_RUN)
    name, params = job.payload["demo"], job.payload["params"]
    assert isinstance(name, str) and isinstance(params, dict)  # noqa: PT018
    return Run(
        id=job.id,
        demo=name,
        params=params,
        state=job.state,
        place=job.place,
        progress=1.0 if job.state is State.DONE else job.progress,
        words=_words(job, name, worker),
        created_at=job.created_at,
        finished_at=job.finished_at,
    )


def _words(job: Job, name: str, worker: WorkerView) -> str:
    said = _said(job, name)
    if job.state is not State.QUEUED:
        return said
    if not worker.ready:
        return f"{said} {worker.help}"
    return f"{said} {runs.NO_GPU}" if job.lane == GPU and not worker.compiles else said


def _said(job: Job, name: str) -> str:
    known = DEMOS.get(name)
    return runs.words(
        job.state,
        message=job.message,
        place=job.place,
        cancel=job.cancel,
        deadline_s=job.deadline_s,
        usual_deadline_s=known.deadline_s if known else job.deadline_s,
    )


def with_result(conn: Connection, learner: Learner, of: Run) -> tuple[Run, dict[str, object] | None]:
    """A run with its result; where that was deleted, its words say so."""
    told, found = result_of(conn, learner, of)
    return told, None if found is None else read(found)


def result_of(conn: Connection, learner: Learner, of: Run) -> tuple[Run, Found | None]:
    """A run and what it left; where that was deleted, its words say so."""
    if of.state is not State.DONE:
        return of, None
    found = results.of_run(conn, learner.id, of.id)
    return (replace(of, words=runs.GONE) if found is None else of), found


def read(found: Found) -> dict[str, object] | None:
    """The result as JSON data; None for a record whose file cannot be read."""
    text = found.body()
    body = None if text is None else json.loads(text)
    assert body is None or isinstance(body, dict)
    return body


def show(found: Found, learner: Learner, named: Sequence[str] = (), *, others: bool = False) -> Shown | None:
    """A result, drawn; None where it cannot be read. With `named`, only the blocks of these ids, or all `others`."""
    body = read(found)
    if body is None:
        return None
    return shown(
        body,
        id=found.id,
        demo=found.demo,
        path=found.path,
        at=found.at,
        recorded=found.recorded,
        older=found.older,
        zone=learner.zone,
        named=tuple(named),
        others=others,
    )


def best(
    conn: Connection,
    records: Records,
    learner: Learner,
    chosen: Demo,
    params: Params,
    named: Sequence[str] = (),
) -> Shown | None:
    """What is shown of these parameters before a run: what the learner ran last, else a record."""
    found = results.of_params(conn, records, learner.id, chosen, params)
    drawn = (show(one, learner, named) for one in found)
    return next((one for one in drawn if one), None)


def open_runs(conn: Connection, learner: Learner) -> list[RunView]:
    """The learner's runs that have not ended, newest first."""
    return [_open(found) for found in store.open_runs(conn, learner.id)]


def as_they_stand(jobs: Jobs, learner: Learner, opened: Sequence[RunView]) -> list[RunView]:
    """Open runs with how each stands now, the oldest first; how the workers are is told beside them."""
    both = ((view, jobs.get(JobId(view.id), learner.id)) for view in reversed(opened))
    return [
        replace(
            view,
            words=_said(job, view.links.demo),
            fraction=job.progress if job.state is State.RUNNING else None,
        )
        for view, job in both
    ]


def waiting(
    conn: Connection,
    learner: Learner,
    chosen: Demo,
    params: Params,
    meanwhile: Shown | None,
    named: Sequence[str] = (),
) -> RunView | None:
    """The learner's run of these parameters that is still open, above what is shown until it ends."""
    found = store.open_runs(conn, learner.id, params_hash(chosen, params))
    return _open(found[0], meanwhile, named) if found else None


def _open(found: store.Open, meanwhile: Shown | None = None, named: Sequence[str] = ()) -> RunView:
    """A run that is still open, as a page shows it until the first of its events says how far it is."""
    name, params = str(found.payload["demo"]), found.payload["params"]
    assert isinstance(params, dict)
    known = DEMOS.get(name)
    return RunView(
        id=found.run,
        title=known.title if known else name,
        links=Links(name, params),
        runnable=known is not None,
        open=True,
        fraction=None,
        words="This run has not ended yet.",
        result=None,
        meanwhile=meanwhile,
        named=",".join(named),
    )


def on_card(
    conn: Connection, records: Records, learner: Learner, line: str | None, claims: Sequence[str] = ()
) -> CardDemo | None:
    """The demo that a card's `demo:` line names, with its newest result; None where there is none to run.

    `claims`: the ids of the blocks that the card's claims rest on, which are drawn first.
    """
    if not line:
        return None
    try:
        chosen, params = parse_line(line)
    except ValueError:  # the deck is older or newer than the demos; `aloud check` tells its author
        return None
    result = best(conn, records, learner, chosen, params, claims)
    return CardDemo(
        title=chosen.title,
        look_for=chosen.look_for,
        links=Links(chosen.name, params),
        result=result,
        waiting=waiting(conn, learner, chosen, params, result, claims),
        claims=",".join(claims),
    )

"""Asking for a run of a demo: its parameters are checked, and it waits for a worker that can do it."""

import hashlib
from collections.abc import Mapping

from app.accounts.learner import Learner
from app.demos import store
from app.jobs.lanes import DEMO, GPU
from app.jobs.port import JobId, Jobs, Order
from app.jobs.standing import WorkerView
from app.jobs.states import State
from app.settings import Settings
from app.web.errors import Conflict, Invalid, NotFound
from kernels.catalog import (
    DEMOS,
    BadParams,
    Demo,
    Params,
    UnknownDemo,
    code_hash,
    demo,
    params_hash,
    parse,
    refusals,
)

MOST_KEY = 200


def find(name: str) -> Demo:
    """The demo of that name. Raises NotFound with the nearest one."""
    try:
        return demo(name)
    except UnknownDemo as error:
        near = ((f"demos/{error.nearest}", DEMOS[error.nearest].title),) if error.nearest else ()
        raise NotFound(str(error), (*near, ("demos", "All demos"))) from None


def submit(
    jobs: Jobs,
    settings: Settings,
    learner: Learner,
    worker: WorkerView,
    name: str,
    raw: Mapping[str, object],
    key: str | None = None,
) -> JobId:
    """Queue a run. Raises NotFound for the demo, Busy and Conflict as the port does.

    Raises Invalid for parameters that do not fit, or that no ready worker would run.
    """
    chosen = find(name)
    try:
        params = parse(chosen, raw)
    except BadParams as error:
        raise Invalid(str(error)) from None
    if key is not None and not 0 < len(key) <= MOST_KEY:
        raise Invalid(f"Idempotency-Key must have 1 to {MOST_KEY} characters; any random text will do.")
    return jobs.submit(
        Order(
            kind=store.KIND,
            lane=_lane(chosen, params),
            learner=learner.id,
            payload={"demo": chosen.name, "params": params},
            params_hash=params_hash(chosen, params),
            code_hash=code_hash(chosen.name),
            deadline_s=min(chosen.deadline_s, settings.run_deadline_s or chosen.deadline_s),
            key=key,
            refusal=" ".join(refused(chosen, params, worker)),
        )
    )


def refused(chosen: Demo, params: Params, worker: WorkerView) -> tuple[str, ...]:
    """A sentence for each reason why the workers that are ready would not run it."""
    return refusals(chosen, params, interpreter=worker.ready and not worker.compiles)


def _lane(chosen: Demo, params: Params) -> str:
    """Where it waits: what an interpreter cannot do waits for a device that compiles."""
    return GPU if refusals(chosen, params, interpreter=True) else DEMO


def submit_drawn(
    jobs: Jobs,
    settings: Settings,
    learner: Learner,
    worker: WorkerView,
    name: str,
    raw: Mapping[str, str],
    key: str | None,
) -> JobId:
    """Queue what a page's form asks for, by the key that was drawn with it: sent twice it is one run.

    Who goes back in the browser sends the same key, though it is another run that is wanted: one with changed
    parameters, or one in place of a run that was cancelled.
    """
    while True:
        try:
            made = submit(jobs, settings, learner, worker, name, raw, key)
        except Conflict:
            chosen = find(name)
            key = _another(key, params_hash(chosen, parse(chosen, raw)))
            continue
        if key is None or jobs.get(made, learner.id).state is not State.CANCELLED:
            return made
        key = _another(key, made)


def _another(key: str | None, instead: str) -> str:
    """The key of what is wanted instead: the same one, however often the form is sent."""
    return hashlib.sha256(f"{instead} {key}".encode(errors="surrogatepass")).hexdigest()

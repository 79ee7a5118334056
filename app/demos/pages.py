"""The demo pages: the catalogue, one demo with its form, one run. All of it works as plain forms and links."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from app.accounts.learner import Learner
from app.accounts.service import Current
from app.demos import service
from app.demos.views import RunView, topics
from app.jobs.port import JobId, Jobs
from app.jobs.service import Queue
from app.web.api import Its
from app.web.errors import Invalid
from app.web.parts import Parts
from app.web.templating import url_for

RUN_KEY = "run-key"  # the form's field that is no parameter; no parameter can have a hyphen in its name

router = APIRouter(include_in_schema=False)


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form; of two with the same name the last, so that a ticked box wins over its hidden "no"."""
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


Form = Annotated[dict[str, str], Depends(_form)]


@router.get("/demos")
def catalogue(request: Request, its: Its, learner: Current) -> Response:
    with its.db.read() as conn:
        waiting = service.open_runs(conn, learner)
    return its.pages.render(
        request, "demos/list.html", topics=topics(), waiting=waiting, standing=its.workers.view()
    )


@router.get("/demos/{name}")
def one_demo(request: Request, its: Its, learner: Current, name: str) -> Response:
    return _demo(request, its, learner, name, dict(request.query_params))


@router.post("/demos/{name}/runs")
def run(request: Request, its: Its, learner: Current, jobs: Queue, name: str, form: Form) -> Response:
    params = {field: value for field, value in form.items() if field != RUN_KEY}
    key = form.get(RUN_KEY, "")[: service.MOST_KEY] or None
    worker = its.workers.view()
    try:
        made = service.submit_drawn(jobs, its.settings, learner, worker, name, params, key)
    except Invalid:
        return _demo(request, its, learner, name, params, status=422)
    return RedirectResponse(url_for(request)(f"runs/{made}"), 303)


@router.get("/runs/{run_id}")
def one_run(request: Request, its: Its, learner: Current, jobs: Queue, run_id: str) -> Response:
    return its.pages.render(request, "demos/run.html", run=_view(its, jobs, learner, run_id))


@router.get("/runs/{run_id}/fragment")
def fragment(request: Request, its: Its, learner: Current, jobs: Queue, run_id: str) -> Response:
    """What static/js/demos.js puts on a page in place of what was there."""
    return its.pages.render(request, "demos/_run.html", run=_view(its, jobs, learner, run_id))


@router.post("/runs/{run_id}/cancel")
def cancel(request: Request, learner: Current, jobs: Queue, run_id: str) -> Response:
    jobs.cancel(JobId(run_id), learner.id)
    return RedirectResponse(url_for(request)(f"runs/{run_id}"), 303)


def _demo(
    request: Request, its: Parts, learner: Learner, name: str, raw: dict[str, str], *, status: int = 200
) -> Response:
    worker = its.workers.view()
    with its.db.read() as conn:
        page = service.demo_page(conn, learner, worker, name, raw)
    return its.pages.render(
        request,
        "demos/demo.html",
        status=status if page.fits else 422,
        page=page,
        standing=worker,
    )


def _view(its: Parts, jobs: Jobs, learner: Learner, run_id: str) -> RunView:
    found = service.run(jobs, learner, its.workers.view(), JobId(run_id))
    with its.db.read() as conn:
        return service.run_view(conn, learner, found)

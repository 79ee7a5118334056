"""The demo pages: the catalogue, a demo with its form, a run, two results. All of it works as plain forms and links."""

import hashlib
import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from app.accounts.learner import Learner
from app.accounts.service import Current
from app.demos import ordering, results, service, showing
from app.demos.results import Found
from app.demos.views import RunView
from app.jobs.port import JobId, Jobs
from app.jobs.service import Queue
from app.web.api import Its
from app.web.errors import Invalid, NotFound
from app.web.parts import Parts
from app.web.templating import url_for

# Fields of the form that are no parameters; no parameter can have a hyphen in its name.
RUN_KEY = "run-key"
NEW_SEED = "new-seed"
SEEDS = 10_000  # seeds that are drawn for a learner are short enough to be told to another
MOST_NAMED = 2000  # characters of a list of block ids

GONE = "There is no such result, or it was deleted, as old ones are; its demo can be run again."

router = APIRouter(include_in_schema=False)


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form; of two with the same name the last, so that a ticked box wins over its hidden "no"."""
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


Form = Annotated[dict[str, str], Depends(_form)]


@router.get("/demos")
def catalogue(request: Request, its: Its, learner: Current, q: str = "") -> Response:
    with its.db.read() as conn:
        page = showing.catalogue(conn, learner, q.strip()[:200])
    return its.pages.render(request, "demos/list.html", page=page, standing=its.workers.view())


@router.get("/demos/{name}")
def one_demo(request: Request, its: Its, learner: Current, name: str) -> Response:
    query = dict(request.query_params)
    on = query.pop(showing.RECORDED_ON, "")
    return _demo(request, its, learner, name, query, on=on)


@router.post("/demos/{name}/runs")
def run(request: Request, its: Its, learner: Current, jobs: Queue, name: str, form: Form) -> Response:
    params = {field: value for field, value in form.items() if field not in (RUN_KEY, NEW_SEED)}
    key = form.get(RUN_KEY, "")[: ordering.MOST_KEY] or None
    if NEW_SEED in form:
        params["seed"] = _seed(key)
    worker = its.workers.view()
    try:
        made = ordering.submit_drawn(jobs, its.settings, learner, worker, name, params, key)
    except Invalid:
        return _demo(request, its, learner, name, params, status=422)
    return RedirectResponse(url_for(request)(f"runs/{made}"), 303)


@router.get("/demos/{name}/compare")
def compare(
    request: Request, its: Its, learner: Current, name: str, left: str = "", right: str = ""
) -> Response:
    with its.db.read() as conn:
        page = showing.compare_page(conn, its.records, learner, name, left, right)
    return its.pages.render(request, "demos/compare.html", page=page)


@router.get("/demos/{name}/recorded/{record}.json")
def record_json(its: Its, learner: Current, name: str, record: str) -> Response:
    """A recorded result as it stands in its file."""
    with its.db.read() as conn:
        return _file(showing.result(conn, its.records, learner, name, record))


@router.get("/demos/{name}/recorded/{record}/blocks")
def record_blocks(
    request: Request, its: Its, learner: Current, name: str, record: str, without: str = ""
) -> Response:
    with its.db.read() as conn:
        return _blocks(
            request, its, learner, showing.result(conn, its.records, learner, name, record), without
        )


@router.get("/demos/{name}/recorded/{record}")
def record(request: Request, its: Its, learner: Current, name: str, record: str) -> Response:
    """A record's page is that of its demo, with its parameters."""
    with its.db.read() as conn:
        found = showing.result(conn, its.records, learner, name, record)
    return RedirectResponse(url_for(request)(f"demos/{name}", **showing.record_link(found)), 303)


@router.get("/runs/{run_id}.json")
def run_json(its: Its, learner: Current, run_id: str) -> Response:
    """What a run made, as the worker sent it."""
    with its.db.read() as conn:
        return _file(results.of_run(conn, learner.id, run_id))


@router.get("/runs/{run_id}")
def one_run(request: Request, its: Its, learner: Current, jobs: Queue, run_id: str) -> Response:
    return its.pages.render(request, "demos/run.html", run=_view(its, jobs, learner, run_id))


@router.get("/runs/{run_id}/fragment")
def fragment(
    request: Request, its: Its, learner: Current, jobs: Queue, run_id: str, named: str = ""
) -> Response:
    """What static/js/demos.js puts on a page in place of what was there; `named` are the blocks to draw first."""
    return its.pages.render(request, "demos/_run.html", run=_view(its, jobs, learner, run_id, _ids(named)))


@router.get("/runs/{run_id}/blocks")
def run_blocks(request: Request, its: Its, learner: Current, run_id: str, without: str = "") -> Response:
    """The blocks that a card did not draw at first."""
    with its.db.read() as conn:
        found = results.of_run(conn, learner.id, run_id)
        if found is None:
            raise NotFound(GONE)
        return _blocks(request, its, learner, found, without)


@router.post("/runs/{run_id}/cancel")
def cancel(request: Request, learner: Current, jobs: Queue, run_id: str) -> Response:
    jobs.cancel(JobId(run_id), learner.id)
    return RedirectResponse(url_for(request)(f"runs/{run_id}"), 303)


def _demo(
    request: Request,
    its: Parts,
    learner: Learner,
    name: str,
    raw: dict[str, str],
    *,
    on: str = "",
    status: int = 200,
) -> Response:
    worker = its.workers.view()
    with its.db.read() as conn:
        page = showing.demo_page(conn, its.records, learner, worker, name, raw, on)
    return its.pages.render(
        request,
        "demos/demo.html",
        status=status if page.fits else 422,
        page=page,
        standing=worker,
    )


def _view(its: Parts, jobs: Jobs, learner: Learner, run_id: str, named: tuple[str, ...] = ()) -> RunView:
    found = service.run(jobs, learner, its.workers.view(), JobId(run_id))
    with its.db.read() as conn:
        return showing.run_view(conn, its.records, learner, found, named)


def _blocks(request: Request, its: Parts, learner: Learner, found: Found, without: str) -> Response:
    result = service.show(found, learner, _ids(without), others=True)
    if result is None:
        raise NotFound(GONE)
    return its.pages.render(request, "demos/_blocks.html", result=result)


def _file(found: Found | None) -> Response:
    """A result as a file to keep."""
    text = found.body() if found else None
    if found is None or text is None:
        raise NotFound(GONE)
    saved = f'attachment; filename="{showing.file_name(found)}"'
    return Response(text, media_type="application/json", headers={"Content-Disposition": saved})


def _ids(listed: str) -> tuple[str, ...]:
    return tuple(filter(None, listed[:MOST_NAMED].split(",")))


def _seed(key: str | None) -> str:
    """A seed at random, and the same one for a form that is sent twice."""
    drawn = hashlib.sha256((key or secrets.token_hex(16)).encode(errors="surrogatepass")).digest()
    return str(int.from_bytes(drawn[:8]) % SEEDS)

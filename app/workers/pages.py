"""The page of the workers, and the two parts that pages ask for again: it, and the corner of every page."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.accounts.service import Current
from app.demos import service as demos
from app.jobs.service import Queue
from app.web.api import Its
from app.web.templating import url_for
from app.workers import service

router = APIRouter(include_in_schema=False)


@router.get("/worker")
def whole(request: Request, its: Its, learner: Current, jobs: Queue) -> Response:
    return _page("worker/worker.html", request, its, learner, jobs)


@router.get("/worker/now")
def now(request: Request, its: Its, learner: Current, jobs: Queue) -> Response:
    """What on that page changes, for static/js/fresh.js."""
    return _page("worker/_now.html", request, its, learner, jobs)


@router.get("/worker/corner")
def corner(request: Request, its: Its) -> Response:
    """The corner of every page, which says how the workers are."""
    return its.pages.render(request, "worker/_corner.html")


def _page(template: str, request: Request, its: Its, learner: Current, jobs: Queue) -> Response:
    with its.db.read() as conn:
        opened = demos.open_runs(conn, learner)
    runs = demos.as_they_stand(jobs, learner, opened)
    view = service.page(jobs, its.workers, learner, its.clock())
    address = f"{request.url.scheme}://{request.url.netloc}{url_for(request)()}".rstrip("/")
    return its.pages.render(request, template, view=view, runs=runs, address=address)

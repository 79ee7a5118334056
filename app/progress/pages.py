"""Progress: the days, the minutes, what was recalled, what comes, topic by topic; and all of it as CSV."""

from collections.abc import Iterator
from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from app.accounts.learner import Learner
from app.accounts.service import Current
from app.progress import service, writing
from app.web.api import Its
from app.web.parts import Parts

router = APIRouter(include_in_schema=False)


@router.get("/progress")
def progress(request: Request, its: Its, learner: Current) -> Response:
    with its.db.read() as conn:
        view = service.overview(conn, learner, its.clock())
    return its.pages.render(request, "progress/progress.html", view=view)


@router.get("/progress/topics")
def topics(request: Request, its: Its, learner: Current) -> Response:
    with its.db.read() as conn:
        view = service.topics(conn, learner, its.clock())
    return its.pages.render(request, "progress/topics.html", view=view)


@router.get("/progress.csv")
def table(its: Its, learner: Current, what: Literal["reviews", "days", "forecast"] = "reviews") -> Response:
    """What the pictures are drawn from; `reviews` is every answer of the log."""
    now = its.clock()
    name = f"aloud-{what}-{learner.day(now).isoformat()}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    if what == "reviews":
        return StreamingResponse(_reviews(its, learner), media_type="text/csv", headers=headers)
    with its.db.read() as conn:
        if what == "days":
            text = writing.days(service.days(conn, learner))
        else:
            text = writing.forecast(service.forecast(conn, learner, now))
    return Response(text, media_type="text/csv", headers=headers)


def _reviews(its: Parts, learner: Learner) -> Iterator[str]:
    """Years of answers, some thousands at a time, each by a short transaction of its own: a slow client holds none."""
    yield writing.lines([writing.REVIEWS])
    after = 0
    while True:
        with its.db.read() as conn:
            found = service.reviews(conn, learner, after)
        if not found:
            return
        after = found[-1].id
        yield writing.reviews(found)

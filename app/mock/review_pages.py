"""The review of an interview's question: what was said beside its key points, ticks, text and rating."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from app.accounts.learner import Learner
from app.accounts.service import Current
from app.drill.hearing.ordering import have_heard, leave
from app.drill.recording import service as recordings
from app.drill.recording.sound import RecordingId
from app.mock import service, sitting_page
from app.mock.ways import Id, Position, Text, Ticks, to
from app.web.api import Its
from app.web.errors import Invalid
from app.web.parts import Parts

router = APIRouter(prefix="/mock/{interview}/{position}", include_in_schema=False)


@router.get("/heard")
def heard(
    request: Request,
    its: Its,
    learner: Current,
    interview: Id,
    position: Position,
    part: Annotated[str, Query(pattern="^(said|points)$")] = "said",
) -> Response:
    """A part of the review alone, for static/js/fresh.js: while something is written down, it is asked for again."""
    with its.db.read() as conn:
        found = service.sitting(conn, learner, interview)
        asked = found.current
        if asked is None or asked.turn.position != position or asked.attempt.state != "review":
            raise Invalid("This question is not under review any more; reload the page.")
        _, said = sitting_page.answer(conn, its, learner, found)
    return its.pages.render(request, f"drill/_{part}.html", said=said)


@router.post("/ticks")
def tick(
    request: Request,
    its: Its,
    learner: Current,
    interview: Id,
    position: Position,
    point: Ticks = (),
    text: Text = None,
) -> Response:
    """The review again, with ticks and text as they are: what Enter in a checkbox sends, which is no rating."""
    _keep(its, learner, interview, position, point, text)
    return to(request, interview)


@router.post("/hear")
def hear(
    request: Request, its: Its, learner: Current, interview: Id, position: Position, point: Ticks = ()
) -> Response:
    """Have the recording written down, for the first time or once more."""
    recording = _keep(its, learner, interview, position, point)
    if recording is not None:
        have_heard(its, learner, recording)
    return to(request, interview)


@router.post("/hear/cancel")
def cancel(
    request: Request, its: Its, learner: Current, interview: Id, position: Position, point: Ticks = ()
) -> Response:
    """Let nobody write it down; the recording stays, and can be written down later."""
    recording = _keep(its, learner, interview, position, point)
    if recording is not None:
        leave(its, learner, recording)
    return to(request, interview)


@router.post("/rate")
def rate(
    request: Request,
    its: Its,
    learner: Current,
    interview: Id,
    position: Position,
    grade: Annotated[int, Form(ge=1, le=4)],
    point: Ticks = (),
    text: Text = None,
) -> Response:
    try:
        with its.db.write() as conn:
            service.rate(conn, learner, its.clock(), interview, position, grade, point, text)
    except Invalid as problem:
        return sitting_page.page(request, its, learner, interview, str(problem))
    return to(request, interview)


def _keep(
    its: Parts,
    learner: Learner,
    interview: int,
    position: int,
    ticks: tuple[str, ...],
    text: str | None = None,
) -> RecordingId | None:
    """Keep ticks and text; what was recorded of the answer, None where there is nothing, or the question is over."""
    with its.db.write() as conn:
        asked = service.tick(conn, learner, its.clock(), interview, position, ticks, text)
        found = recordings.of_attempt(conn, learner, asked.attempt.key) if asked else None
    return found.id if found else None

"""The report of an interview, and what can be done from there: cards into today's queue, sound heard and deleted."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from app.accounts.service import Current
from app.drill.hearing.ordering import have_heard
from app.drill.recording import service as recordings
from app.drill.review import service as reviewing
from app.library import service as library
from app.mock import report_views, reporting, service
from app.mock.report import to_review
from app.mock.ways import Id, Position, to_report, wipe
from app.study import changes
from app.study import service as study
from app.web.api import Its
from app.web.templating import url_for

router = APIRouter(prefix="/mock/{interview}", include_in_schema=False)


@router.get("/report")
def report(
    request: Request,
    its: Its,
    learner: Current,
    interview: Id,
    called: Annotated[int | None, Query(ge=0, le=999)] = None,
) -> Response:
    now = its.clock()
    with its.db.read() as conn:
        found = service.sitting(conn, learner, interview)
        lines = reporting.lines(conn, learner, found)
        again = to_review(lines)
        view = report_views.report_view(
            found.interview,
            lines,
            study.standings(conn, learner, now, again),
            called=report_views.called_words(called),
            titles={deck.name: deck.title for deck in library.decks(conn)},
            learner=learner,
            callable_cards=changes.callable_cards(conn, learner, now, again),
            ears=reviewing.ears(conn, its, learner),
        )
    return its.pages.render(request, "mock/report.html", view=view)


@router.post("/today")
def call(request: Request, its: Its, learner: Current, interview: Id) -> Response:
    """What went badly is due today."""
    with its.db.write() as conn:
        called = reporting.call(conn, learner, its.clock(), interview)
    return to_report(request, interview, called=called)


@router.post("/hear")
def hear(request: Request, its: Its, learner: Current, interview: Id) -> Response:
    """Have all that was recorded and not written down written down."""
    with its.db.read() as conn:
        left = reporting.unheard(conn, learner, interview)
    for recording in left:
        have_heard(its, learner, recording)
    return to_report(request, interview)


@router.get("/{position}/sound/delete")
def ask_to_delete(
    request: Request, its: Its, learner: Current, interview: Id, position: Position
) -> Response:
    with its.db.read() as conn:
        reporting.sound(conn, learner, interview, position)
    url = url_for(request)
    return its.pages.render(
        request,
        "drill/delete.html",
        title="Delete the sound of this answer?",
        address=url(f"mock/{interview}/{position}/sound/delete"),
        back=url(f"mock/{interview}/report"),
        lead="The sound goes for good. What was heard stays, and so does your rating, if there is one.",
    )


@router.post("/{position}/sound/delete")
def delete(request: Request, its: Its, learner: Current, interview: Id, position: Position) -> Response:
    with its.db.write() as conn:
        found = reporting.sound(conn, learner, interview, position)
        gone = recordings.forget(conn, learner, its.clock(), found.id)
    wipe(its, gone)
    return to_report(request, interview)

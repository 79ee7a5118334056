"""The pages after a take: what was said beside its key points, ticks and rating, the take that was saved."""

from typing import Annotated

from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import Response

from app.accounts.learner import Learner
from app.accounts.service import Current
from app.drill import attempt as attempts
from app.drill import service
from app.drill.attempt import Attempt
from app.drill.hearing.ordering import have_heard, leave
from app.drill.pitch import TakeId
from app.drill.recording import taking
from app.drill.recording.sound import RecordingId
from app.drill.review import service as reviewing
from app.drill.said import service as said
from app.drill.ways import go_on, see_take
from app.study.cards import EventId
from app.study.scheduling import CardId
from app.web.api import Its
from app.web.errors import Invalid
from app.web.parts import Parts

router = APIRouter(prefix="/drill", include_in_schema=False)

Signed = Annotated[str, Form()]
Ticks = Annotated[tuple[str, ...], Form()]
Text = Annotated[str | None, Form()]
LARGEST = 2**63 - 1  # of the ids that SQLite gives, which begin at 1
TakePath = Annotated[TakeId, Path(ge=1, le=LARGEST)]


@router.get("/{card_id}/review")
def review(request: Request, its: Its, learner: Current, card_id: CardId, take: str = "") -> Response:
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    with its.db.read() as conn:
        saved = service.saved(conn, learner, attempt)
    return _review(request, its, learner, attempt) if saved is None else see_take(request, saved)


@router.get("/{card_id}/heard")
def heard(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take: str = "",
    part: Annotated[str, Query(pattern="^(said|points)$")] = "said",
) -> Response:
    """A part of the review alone, for static/js/fresh.js: while something is written down, it is asked for again."""
    attempt = attempts.read(its.signer, take, learner.id, card_id).finished()
    with its.db.read() as conn:
        view = reviewing.part(conn, its, learner, attempt)
    return its.pages.render(request, f"drill/_{part}.html", said=view)


@router.post("/{card_id}/ticks")
def tick(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take: Signed,
    point: Ticks = (),
    text: Text = None,
) -> Response:
    """The review again, with ticks and text as they are: what Enter in a checkbox sends, which is no rating."""
    attempt = attempts.read(its.signer, take, learner.id, card_id).finished()
    return go_on(request, its, _ticked(its, learner, attempt, point, text))


@router.post("/{card_id}/hear")
def hear(
    request: Request, its: Its, learner: Current, card_id: CardId, take: Signed, point: Ticks = ()
) -> Response:
    """Have the recording written down, for the first time or once more."""
    attempt = attempts.read(its.signer, take, learner.id, card_id).finished()
    taking.end(its, learner, attempt)
    have_heard(its, learner, _recording(its, learner, attempt))
    return go_on(request, its, _ticked(its, learner, attempt, point, None))


@router.post("/{card_id}/hear/cancel")
def cancel(
    request: Request, its: Its, learner: Current, card_id: CardId, take: Signed, point: Ticks = ()
) -> Response:
    """Let nobody write it down; the recording stays, and can be written down later."""
    attempt = attempts.read(its.signer, take, learner.id, card_id).finished()
    leave(its, learner, _recording(its, learner, attempt))
    return go_on(request, its, _ticked(its, learner, attempt, point, None))


@router.post("/{card_id}/takes")
def save(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take: Signed,
    grade: Annotated[int, Form(ge=1, le=4)],
    point: Ticks = (),
    text: Text = None,
) -> Response:
    attempt = attempts.read(its.signer, take, learner.id, card_id).finished()
    try:
        with its.db.write() as conn:
            if text is not None:
                said.correct(conn, learner, attempt, text, its.clock())
            saved = service.save(conn, learner, its.clock(), attempt, grade, point)
    except Invalid as problem:
        return _review(request, its, learner, attempt, str(problem))
    return see_take(request, saved)


@router.get("/{card_id}/takes/{take_id}")
def saved_take(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take_id: TakePath,
) -> Response:
    with its.db.read() as conn:
        view = reviewing.saved(conn, its, learner, card_id, take_id)
    return its.pages.render(request, "drill/take.html", view=view)


@router.post("/undo")
def undo(
    request: Request, its: Its, learner: Current, event: Annotated[EventId, Form(ge=1, le=LARGEST)]
) -> Response:
    """Take a rating back, and rate the same take again, once: what was said stays said."""
    with its.db.write() as conn:
        take = service.undo(conn, learner, its.clock(), event)
        again = service.rated_again(conn, learner, take)
    if again is not None:
        return see_take(request, again)
    return go_on(request, its, attempts.rate_again(learner.id, take))


@router.get("/{card_id}/takes/{take_id}/heard")
def heard_of_take(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take_id: TakePath,
    part: Annotated[str, Query(pattern="^(told|ticked)$")] = "told",
) -> Response:
    """A part of a saved take alone, for static/js/fresh.js, as long as it is being written down."""
    with its.db.read() as conn:
        view = reviewing.saved(conn, its, learner, card_id, take_id)
    return its.pages.render(request, f"drill/_{part}.html", view=view, said=view.said)


def _recording(its: Parts, learner: Learner, attempt: Attempt) -> RecordingId:
    """What is to be written down, or not. Raises Invalid where nothing was recorded."""
    with its.db.read() as conn:
        found = said.of_attempt(conn, learner, attempt).recording
    if found is None:
        raise Invalid("Nothing was recorded in this take, so there is nothing to write down.")
    return found.id


def _ticked(
    its: Parts, learner: Learner, attempt: Attempt, point: tuple[str, ...], text: str | None
) -> Attempt:
    """The attempt with these ticks, after what was corrected in its text is kept."""
    if text is not None:
        with its.db.write() as conn:
            said.correct(conn, learner, attempt, text, its.clock())
    with its.db.read() as conn:
        return attempt.tick(service.known_ticks(conn, learner, attempt.card_id, point))


def _review(request: Request, its: Parts, learner: Learner, attempt: Attempt, problem: str = "") -> Response:
    with its.db.read() as conn:
        view = reviewing.review(conn, its, learner, attempt.finished(), problem)
    return its.pages.render(request, "drill/review.html", status=422 if problem else 200, view=view)

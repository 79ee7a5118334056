"""The drill's pages: choose a pitch, say it against the clock, review it, see the take that was saved."""

from typing import Annotated

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import RedirectResponse, Response

from app.accounts.learner import Learner
from app.accounts.service import Current
from app.drill import attempt as attempts
from app.drill import service, views
from app.drill.attempt import Attempt
from app.drill.pitch import Take, TakeId
from app.library import service as library
from app.study import service as study
from app.study.cards import EventId
from app.study.scheduling import CardId
from app.web.api import Its
from app.web.errors import Invalid
from app.web.parts import Parts
from app.web.templating import url_for

router = APIRouter(prefix="/drill", include_in_schema=False)

Signed = Annotated[str, Form()]
Ticks = Annotated[tuple[str, ...], Form()]
LARGEST = 2**63 - 1  # of the ids that SQLite gives, which begin at 1


@router.get("")
def choose(request: Request, its: Its, learner: Current) -> Response:
    now = its.clock()
    with its.db.read() as conn:
        choices = service.choices(conn, learner, now)
    view = views.list_view(choices, learner, learner.day(now))
    return its.pages.render(request, "drill/list.html", view=view)


@router.get("/{card_id}")
def stand(request: Request, its: Its, learner: Current, card_id: CardId, take: str = "") -> Response:
    now = its.clock()
    attempt = (
        attempts.read(its.signer, take, learner.id, card_id) if take else attempts.begin(learner.id, card_id)
    )
    with its.db.read() as conn:
        saved = service.saved(conn, learner, attempt)
        pitch = service.pitch(conn, learner, card_id)
        history = service.history(conn, learner, card_id)
    if saved is not None:
        return _see_take(request, saved)
    view = views.stand_view(
        pitch,
        attempt,
        history,
        take=attempts.sign(its.signer, attempt),
        learner=learner,
        now=now,
        ready_s=its.settings.ready_s,
    )
    return its.pages.render(request, "drill/stand.html", view=view)


@router.post("/{card_id}/start")
def start(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take: Signed,
    speaking: Annotated[bool, Form()] = False,
) -> Response:
    """The clock begins to run: after the time to get ready, or at once for a learner who is `speaking` already."""
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    return _go_on(request, its, attempt.start(its.clock(), 0 if speaking else its.settings.ready_s))


@router.post("/{card_id}/notes")
def show_notes(request: Request, its: Its, learner: Current, card_id: CardId, take: Signed) -> Response:
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    return _go_on(request, its, attempt.show_notes())


@router.post("/{card_id}/finish")
def finish(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take: Signed,
    spoken_ms: Annotated[int | None, Form()] = None,
    interrupted: Annotated[bool, Form()] = False,
    notes: Annotated[bool, Form()] = False,
) -> Response:
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    return _go_on(request, its, attempt.finish(its.clock(), spoken_ms, interrupted, notes))


@router.get("/{card_id}/review")
def review(request: Request, its: Its, learner: Current, card_id: CardId, take: str = "") -> Response:
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    with its.db.read() as conn:
        saved = service.saved(conn, learner, attempt)
    return _review(request, its, learner, attempt) if saved is None else _see_take(request, saved)


@router.post("/{card_id}/ticks")
def tick(
    request: Request, its: Its, learner: Current, card_id: CardId, take: Signed, point: Ticks = ()
) -> Response:
    """The review again, with what was ticked so far: what Enter in a checkbox sends, which is no rating."""
    attempt = attempts.read(its.signer, take, learner.id, card_id).finished()
    with its.db.read() as conn:
        known = service.known_ticks(conn, learner, card_id, point)
    return _go_on(request, its, attempt.tick(known))


@router.post("/{card_id}/takes")
def save(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take: Signed,
    grade: Annotated[int, Form(ge=1, le=4)],
    point: Ticks = (),
) -> Response:
    attempt = attempts.read(its.signer, take, learner.id, card_id).finished()
    try:
        with its.db.write() as conn:
            saved = service.save(conn, learner, its.clock(), attempt, grade, point)
    except Invalid as problem:
        return _review(request, its, learner, attempt, str(problem))
    return _see_take(request, saved)


@router.get("/{card_id}/takes/{take_id}")
def saved_take(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take_id: Annotated[TakeId, Path(ge=1, le=LARGEST)],
) -> Response:
    now = its.clock()
    with its.db.read() as conn:
        take = service.take(conn, learner, card_id, take_id)
        pitch = service.pitch(conn, learner, card_id)
        view = views.take_view(
            pitch,
            take,
            again=service.rated_again(conn, learner, take),
            history=service.history(conn, learner, card_id),
            due=service.due_day(conn, learner, card_id),
            choices=service.choices(conn, learner, now),
            follow_ups=library.follow_ups(conn, pitch.next),
            learner=learner,
            today=learner.day(now),
        )
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
        return _see_take(request, again)
    return _go_on(request, its, attempts.rate_again(learner.id, take))


def _review(request: Request, its: Parts, learner: Learner, attempt: Attempt, problem: str = "") -> Response:
    finished = attempt.finished()
    with its.db.read() as conn:
        pitch = service.pitch(conn, learner, attempt.card_id)
        choices = study.preview_spoken(conn, learner, its.clock(), attempt.card_id)
        follow_ups = library.follow_ups(conn, pitch.next)
    view = views.review_view(
        pitch,
        finished,
        choices,
        take=attempts.sign(its.signer, finished),
        problem=problem,
        follow_ups=follow_ups,
    )
    return its.pages.render(request, "drill/review.html", status=422 if problem else 200, view=view)


def _go_on(request: Request, its: Parts, attempt: Attempt) -> Response:
    """To the page of the attempt's next part; the attempt itself is in the address."""
    path = f"drill/{attempt.card_id}" + ("/review" if attempt.state == "review" else "")
    return _see(request, path, take=attempts.sign(its.signer, attempt))


def _see_take(request: Request, take: Take) -> Response:
    return _see(request, f"drill/{take.card_id}/takes/{take.id}")


def _see(request: Request, path: str, **query: object) -> Response:
    return RedirectResponse(url_for(request)(path, **query), 303)

"""The mock interview's pages: choose one, and answer question after question."""

import secrets
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from app.accounts.learner import Learner
from app.accounts.service import Current
from app.drill import attempt as attempts
from app.drill.recording import service as recordings
from app.drill.recording import taking
from app.library import service as library
from app.mock import service, sitting_page, views
from app.mock.plan import THINK_S, Wish
from app.mock.ways import Id, Position, to, wipe
from app.web.api import Its
from app.web.errors import Invalid
from app.web.parts import Parts

router = APIRouter(prefix="/mock", include_in_schema=False)

USUAL = Wish("IC5", (), 20, "spoken")


@router.get("")
def interviews(request: Request, its: Its, learner: Current) -> Response:
    return _list(request, its, learner, USUAL)


@router.post("")
def start(
    request: Request,
    its: Its,
    learner: Current,
    key: Annotated[str, Form(min_length=1, max_length=80)],
    level: Annotated[str, Form(max_length=20)] = USUAL.level,
    minutes: Annotated[int, Form()] = USUAL.minutes,
    mode: Annotated[str, Form(max_length=20)] = USUAL.mode,
    deck: Annotated[tuple[str, ...], Form(max_length=200)] = (),
) -> Response:
    wish = USUAL
    try:
        with its.db.read() as conn:
            known = tuple(found.name for found in library.decks(conn))
        wish = service.wish(level, deck, minutes, mode, known)
        with its.db.write() as conn:
            made = service.start(conn, learner, its.clock(), wish, key)
    except Invalid as problem:
        return _list(request, its, learner, wish, str(problem))
    return to(request, made)


@router.get("/{interview}")
def sit(request: Request, its: Its, learner: Current, interview: Id) -> Response:
    """The open question, wherever one stands with it; the report once the interview is over."""
    return sitting_page.page(request, its, learner, interview)


@router.post("/{interview}/end")
def end(request: Request, its: Its, learner: Current, interview: Id) -> Response:
    with its.db.write() as conn:
        gone = service.end(conn, learner, its.clock(), interview)
    wipe(its, gone)
    return to(request, interview)


@router.post("/{interview}/{position}/start")
def begin(
    request: Request,
    its: Its,
    learner: Current,
    interview: Id,
    position: Position,
    speaking: Annotated[bool, Form()] = False,
) -> Response:
    """The clock begins to run: after the time to think, or at once for a learner who is `speaking` already."""
    with its.db.write() as conn:
        ready_s = 0 if speaking else THINK_S
        made = service.begin(conn, learner, its.clock(), interview, position, ready_s)
    return to(request, interview, take=attempts.sign(its.signer, made) if made else "")


@router.post("/{interview}/{position}/again")
def ask_again(request: Request, its: Its, learner: Current, interview: Id, position: Position) -> Response:
    """Start over: the same question, from its time to think; what was recorded or typed so far goes."""
    with its.db.write() as conn:
        gone = service.again(conn, learner, its.clock(), interview, position)
    wipe(its, gone)
    return to(request, interview)


@router.post("/{interview}/{position}/draft")
def keep(
    request: Request,
    its: Its,
    learner: Current,
    interview: Id,
    position: Position,
    text: Annotated[str, Form()] = "",
    page: Annotated[bool, Form()] = True,
) -> Response:
    """Keep the text so far; static/js/kept.js wants no `page` in return."""
    with its.db.write() as conn:
        service.draft(conn, learner, interview, position, text)
    return to(request, interview) if page else Response(status_code=204)


@router.post("/{interview}/{position}/finish")
def finish(
    request: Request,
    its: Its,
    learner: Current,
    interview: Id,
    position: Position,
    spoken_ms: Annotated[int | None, Form()] = None,
    interrupted: Annotated[bool, Form()] = False,
    text: Annotated[str, Form()] = "",
) -> Response:
    with its.db.write() as conn:
        done = service.finish(
            conn, learner, its.clock(), interview, position,
            spoken_ms=spoken_ms, interrupted=interrupted, text=text,
        )  # fmt: skip
    if done is not None:
        taking.end(its, learner, done)
    return to(request, interview)


@router.post("/{interview}/{position}/resume")
def resume(request: Request, its: Its, learner: Current, interview: Id, position: Position) -> Response:
    """The review of an answer whose page was left, with what was recorded of it, or written, until then."""
    with its.db.read() as conn:
        asked = service.open_question(conn, learner, interview, position)
        begun = recordings.of_attempt(conn, learner, asked.attempt.key) if asked else None
    kept = taking.resume(its, learner, begun.id) if begun else None
    with its.db.write() as conn:
        service.resume(conn, learner, interview, position, kept)
    return to(request, interview)


@router.post("/{interview}/{position}/skip")
def skip(request: Request, its: Its, learner: Current, interview: Id, position: Position) -> Response:
    with its.db.write() as conn:
        gone = service.skip(conn, learner, its.clock(), interview, position)
    wipe(its, gone)
    return to(request, interview)


def _list(request: Request, its: Parts, learner: Learner, wish: Wish, problem: str = "") -> Response:
    with its.db.read() as conn:
        decks, past = library.decks(conn), service.past(conn, learner)
    view = views.list_view(
        decks, wish, past, key=secrets.token_urlsafe(9), problem=problem, learner=learner, now=its.clock()
    )
    return its.pages.render(request, "mock/list.html", status=422 if problem else 200, view=view)

"""The mock interview's pages: choose one, answer question after question, read the report."""

import secrets
from typing import Annotated

from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import RedirectResponse, Response

from app.accounts.learner import Learner
from app.accounts.preferences import preference
from app.accounts.service import Current
from app.drill import attempt as attempts
from app.drill.words import where_words
from app.library import service as library
from app.mock import course, report_views, service, views
from app.mock.plan import THINK_S, Wish
from app.mock.report import to_review
from app.study import changes
from app.study import service as study
from app.web.api import Its
from app.web.errors import Invalid
from app.web.parts import Parts
from app.web.templating import url_for

router = APIRouter(prefix="/mock", include_in_schema=False)

LARGEST = 2**63 - 1  # of the ids that SQLite gives, which begin at 1
Id = Annotated[int, Path(ge=1, le=LARGEST)]
Position = Annotated[int, Path(ge=1, le=1000)]
Ticks = Annotated[tuple[str, ...], Form()]
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
    return _to(request, made)


@router.get("/{interview}")
def sit(request: Request, its: Its, learner: Current, interview: Id) -> Response:
    """The open question, wherever one stands with it; the report once the interview is over."""
    return _sit(request, its, learner, interview)


@router.post("/{interview}/end")
def end(request: Request, its: Its, learner: Current, interview: Id) -> Response:
    with its.db.write() as conn:
        service.end(conn, learner, its.clock(), interview)
    return _to(request, interview)


@router.get("/{interview}/report")
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
        lines = service.lines(conn, learner, found)
        again = to_review(lines)
        view = report_views.report_view(
            found.interview,
            lines,
            study.standings(conn, learner, now, again),
            called=report_views.called_words(called),
            titles={deck.name: deck.title for deck in library.decks(conn)},
            learner=learner,
            callable_cards=changes.callable_cards(conn, learner, now, again),
        )
    return its.pages.render(request, "mock/report.html", view=view)


@router.post("/{interview}/today")
def call(request: Request, its: Its, learner: Current, interview: Id) -> Response:
    """What went badly is due today."""
    with its.db.write() as conn:
        called = service.call(conn, learner, its.clock(), interview)
    return RedirectResponse(url_for(request)(f"mock/{interview}/report", called=called), 303)


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
    return _to(request, interview, take=attempts.sign(its.signer, made) if made else "")


@router.post("/{interview}/{position}/again")
def ask_again(request: Request, its: Its, learner: Current, interview: Id, position: Position) -> Response:
    with its.db.write() as conn:
        service.again(conn, learner, its.clock(), interview, position)
    return _to(request, interview)


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
        service.finish(
            conn, learner, its.clock(), interview, position,
            spoken_ms=spoken_ms, interrupted=interrupted, text=text,
        )  # fmt: skip
    return _to(request, interview)


@router.post("/{interview}/{position}/ticks")
def tick(
    request: Request, its: Its, learner: Current, interview: Id, position: Position, point: Ticks = ()
) -> Response:
    """The review again, with what was ticked so far: what Enter in a checkbox sends, which is no rating."""
    with its.db.write() as conn:
        service.tick(conn, learner, interview, position, point)
    return _to(request, interview)


@router.post("/{interview}/{position}/rate")
def rate(
    request: Request,
    its: Its,
    learner: Current,
    interview: Id,
    position: Position,
    grade: Annotated[int, Form(ge=1, le=4)],
    point: Ticks = (),
) -> Response:
    try:
        with its.db.write() as conn:
            service.rate(conn, learner, its.clock(), interview, position, grade, point)
    except Invalid as problem:
        return _sit(request, its, learner, interview, str(problem))
    return _to(request, interview)


@router.post("/{interview}/{position}/skip")
def skip(request: Request, its: Its, learner: Current, interview: Id, position: Position) -> Response:
    with its.db.write() as conn:
        service.skip(conn, learner, its.clock(), interview, position)
    return _to(request, interview)


def _list(request: Request, its: Parts, learner: Learner, wish: Wish, problem: str = "") -> Response:
    with its.db.read() as conn:
        decks, past = library.decks(conn), service.past(conn, learner)
    view = views.list_view(
        decks, wish, past, key=secrets.token_urlsafe(9), problem=problem, learner=learner, now=its.clock()
    )
    return its.pages.render(request, "mock/list.html", status=422 if problem else 200, view=view)


def _sit(request: Request, its: Parts, learner: Learner, interview: int, problem: str = "") -> Response:
    now = its.clock()
    with its.db.read() as conn:
        found = service.sitting(conn, learner, interview)
        asked, asks = found.current, found.asks
        if asked is None or asks is None:
            return RedirectResponse(url_for(request)(f"mock/{interview}/report"), 303)
        review = asked.attempt.state == "review"
        choices = service.choices(conn, learner, now, asks) if review else ()
        speech = preference(conn, learner, "speech")
    status = 422 if problem else 200
    take = attempts.sign(its.signer, asked.attempt)
    if review:
        view = views.review_view(found, choices, take=take, problem=problem)
        return its.pages.render(request, "mock/review.html", status=status, view=view)
    elapsed_ms = asked.attempt.since_start_ms(now)
    if elapsed_ms is not None and course.is_left(elapsed_ms, asked.turn.planned_s):
        return its.pages.render(
            request, "mock/left.html", status=status, view=views.left_view(found, elapsed_ms)
        )
    ask = views.ask_view(found, take=take, ready_s=THINK_S, now=now, where=where_words(speech))
    return its.pages.render(request, "mock/ask.html", status=status, view=ask)


def _to(request: Request, interview: int, **query: object) -> Response:
    return RedirectResponse(url_for(request)(f"mock/{interview}", **query), 303)

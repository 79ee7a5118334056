"""The study room for people: the question, the answer with its four grades, the done page. Works without scripts."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from app.accounts.learner import Learner
from app.accounts.service import Current
from app.demos import service as demos
from app.library import service as library
from app.study import service, sheets, tickets, views
from app.study.faces import face
from app.study.marking import fields
from app.study.results import Showing
from app.study.saying import Say
from app.web.api import Its
from app.web.errors import Conflict, Problem
from app.web.parts import Parts
from app.web.templating import url_for

router = APIRouter(prefix="/study", include_in_schema=False)
Text = Annotated[str, Form(max_length=2000)]
Asked = Annotated[str, Query(max_length=2000)]
SignedForm = Annotated[str, Form(max_length=sheets.SIGNED)]
SignedQuery = Annotated[str, Query(max_length=sheets.SIGNED)]
UNDONE = "This answer was undone before, so it does not count. Grade the card when it is shown again."


@router.get("")
def next_card(request: Request, its: Its, learner: Current, card: str = "", deck: str = "") -> Response:
    """The card to study now; `card` (the one just taken back) comes first if it is due."""
    return _next(request, its, learner, deck=deck, first=card)


@router.get("/reveal")
def reveal(
    request: Request, its: Its, learner: Current, showing: SignedQuery = "", deck: Asked = ""
) -> Response:
    """The card with its answer. A reveal changes nothing, so it has an address; once graded, that leads on."""
    now = its.clock()
    if not showing:
        return _on(request, deck)
    try:
        note = tickets.read(its.signer, "showing", showing, learner)
        with its.db.read() as conn:
            if service.graded(conn, learner, note.key):
                return _on(request, deck)
            card, waits = service.reveal(conn, learner, now, note.card, note.revision)
            desk = service.desk(conn, learner, now, deck or None)
            claims = library.claims(conn, card.id) if card.demo else ()
            shown = face(card, note.key)
            demo = demos.on_card(conn, its.records, learner, shown.demo, claims)
            follow_ups = library.follow_ups(conn, card.next)
            paper = sheets.sheet(conn, its.records, learner, card, shown)
        note, marked = sheets.sent(paper, note, request.query_params.multi_items())
    except Conflict:  # answered or edited since: nothing was answered here, so there is nothing to tell
        return _on(request, deck)
    except Problem as problem:
        return _next(request, its, learner, deck=deck, problem=problem)
    ticket = tickets.sign(its.signer, "ticket", note)
    top = views.head(desk, deck, "")
    view = views.answer(card, shown, top, ticket, waits=waits, demo=demo, follow_ups=follow_ups, mark=marked)
    return its.pages.render(request, "study/card.html", view=view)


@router.post("/answer")
def answer(
    request: Request, its: Its, learner: Current, ticket: SignedForm = "", grade: Text = "", deck: Text = ""
) -> Response:
    now = its.clock()
    try:
        note = tickets.read(its.signer, "ticket", ticket, learner)
        with its.db.write() as conn:
            given = service.answer(
                conn,
                learner,
                now,
                card_id=note.card,
                revision=note.revision,
                grade=int(grade) if grade in ("1", "2", "3", "4") else 0,
                ms=note.waited_ms(now),
                idem=note.key,
                given=note.given,
            )
        if given.undone:
            raise Conflict(UNDONE)
    except Problem as problem:
        return _next(request, its, learner, deck=deck, problem=problem)
    return _on(request, deck)


@router.post("/undo")
def undo(request: Request, its: Its, learner: Current, event: Text = "", deck: Text = "") -> Response:
    known = int(event) if event.isascii() and event.isdigit() and len(event) < 16 else 0
    try:
        with its.db.write() as conn:
            undone = service.undo(conn, learner, its.clock(), known)
    except Problem as problem:
        return _next(request, its, learner, deck=deck, problem=problem)
    return _on(request, deck, card=undone.card_id)


@router.get("/answer")
@router.get("/undo")
def back(request: Request) -> Response:
    """A reload of a refused answer's page leads to the card that is due now."""
    return _on(request)


def _on(request: Request, deck: str = "", card: str = "") -> Response:
    return RedirectResponse(url_for(request)("study", card=card, deck=deck), 303)


def _next(
    request: Request,
    its: Parts,
    learner: Learner,
    *,
    deck: str,
    first: str = "",
    problem: Problem | None = None,
) -> Response:
    """The next card's page, or the done page; with what went wrong, if something did."""
    now = its.clock()
    with its.db.read() as conn:
        found = service.next_card(conn, learner, now, deck or None, first or None)
    status = problem.status if problem else 200
    top = views.head(found, deck, str(problem or ""))
    if isinstance(found, Showing):
        note = tickets.show(found.card, learner, now)
        showing = tickets.sign(its.signer, "showing", note)
        shown = face(found.card, note.key)
        with its.db.read() as conn:
            say = Say.of(fields(sheets.sheet(conn, its.records, learner, found.card, shown)))
        view = views.question(found.card, shown, top, showing, say)
        return its.pages.render(request, "study/card.html", status=status, view=view)
    return its.pages.render(request, "study/done.html", status=status, view=views.done(found, top, now))

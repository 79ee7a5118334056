"""The study room for people: the question, the answer with its four grades, the done page. Works without scripts."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from app.accounts.learner import Learner
from app.accounts.service import Current
from app.demos import service as demos
from app.library import service as library
from app.study import changes, mark_pages, service, sheets, some_pages, tickets, views
from app.study.choosing import Asked, ByAddress, ByForm, Text
from app.study.chosen import ALL, Chosen
from app.study.faces import face
from app.study.marking import fields
from app.study.results import Showing
from app.study.saying import Say
from app.web.api import Its
from app.web.errors import Conflict, Problem
from app.web.parts import Parts
from app.web.templating import url_for


async def _pairs(request: Request) -> list[tuple[str, str]]:
    """The fields of a form, with all that have the same name."""
    return [(name, value) for name, value in (await request.form()).multi_items() if isinstance(value, str)]


router = APIRouter(prefix="/study", include_in_schema=False)
router.include_router(mark_pages.router)
router.include_router(some_pages.router)
SignedForm = Annotated[str, Form(max_length=sheets.SIGNED)]
SignedQuery = Annotated[str, Query(max_length=sheets.SIGNED)]
Sent = Annotated[list[tuple[str, str]], Depends(_pairs)]
UNDONE = "This answer was undone before, so it does not count. Grade the card when it is shown again."


@router.get("")
def next_card(
    request: Request, its: Its, learner: Current, chosen: ByAddress, card: Asked = "", leech: Asked = ""
) -> Response:
    """The card to study now; `card` (the one just taken back) comes first if it is due.

    `leech` names a card that the last answer has suspended.
    """
    return _next(request, its, learner, chosen, first=card, leech=leech)


@router.get("/reveal")
def reveal(
    request: Request, its: Its, learner: Current, chosen: ByAddress, showing: SignedQuery = ""
) -> Response:
    """The card with its answer. A reveal changes nothing, so it has an address; once graded, that leads on.

    What was said before is not in the address: it is too long for one, and a log of addresses is no place for it.
    """
    now = its.clock()
    if not showing:
        return _on(request, chosen)
    try:
        note = tickets.read(its.signer, "showing", showing, learner)
        with its.db.read() as conn:
            if service.graded(conn, learner, note.key):
                return _on(request, chosen)
            card, waits = service.reveal(conn, learner, now, note.card, note.revision)
            desk = service.desk(conn, learner, now, chosen)
            claims = library.claims(conn, card.id) if card.demo else ()
            shown = face(card, note.key)
            demo = demos.on_card(conn, its.records, learner, shown.demo, claims)
            follow_ups = library.follow_ups(conn, card.next)
            paper = sheets.sheet(conn, its.records, learner, card, shown)
            told = sheets.kept(conn, learner, paper, note)
        ticket, marked = sheets.said(paper, note, told)
    except Conflict:  # answered or edited since: nothing was answered here, so there is nothing to tell
        return _on(request, chosen)
    except Problem as problem:
        return _next(request, its, learner, chosen, problem=problem)
    view = views.answer(
        card,
        shown,
        views.head(desk, chosen, ""),
        tickets.sign(its.signer, "showing", note),
        tickets.sign(its.signer, "ticket", ticket),
        choices=views.choices(waits, cram=note.cram),
        demo=demo,
        follow_ups=follow_ups,
        mark=marked,
    )
    return its.pages.render(request, "study/card.html", view=view)


@router.post("/reveal")
def say(
    request: Request, its: Its, learner: Current, chosen: ByForm, sent: Sent, showing: SignedForm = ""
) -> Response:
    """Keep what was said, and lead to the card with its answer."""
    now = its.clock()
    try:
        note = tickets.read(its.signer, "showing", showing, learner)
        with its.db.read() as conn:
            card, _ = service.reveal(conn, learner, now, note.card, note.revision)
            paper = sheets.sheet(conn, its.records, learner, card, face(card, note.key))
        if told := sheets.sent(paper, sent):
            with its.db.write() as conn:
                sheets.keep(conn, learner, now, note, told)
    except Conflict:  # as for the reveal itself
        return _on(request, chosen)
    except Problem as problem:
        return _next(request, its, learner, chosen, problem=problem)
    return RedirectResponse(url_for(request)("study/reveal", showing=showing, **chosen.query()), 303)


@router.post("/answer")
def answer(
    request: Request, its: Its, learner: Current, chosen: ByForm, ticket: SignedForm = "", grade: Text = ""
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
                cram=note.cram,
            )
            sheets.forget(conn, learner, now, note)
        if given.undone:
            raise Conflict(UNDONE)
    except Problem as problem:
        return _next(request, its, learner, chosen, problem=problem)
    return _on(request, chosen, leech=given.card_id if given.leech else "")


@router.post("/undo")
def undo(request: Request, its: Its, learner: Current, chosen: ByForm, event: Text = "") -> Response:
    try:
        with its.db.write() as conn:
            undone = changes.undo(conn, learner, its.clock(), _event(event))
    except Problem as problem:
        return _next(request, its, learner, chosen, problem=problem)
    return _on(request, chosen, card=undone.card_id)


@router.post("/redo")
def redo(request: Request, its: Its, learner: Current, chosen: ByForm, event: Text = "") -> Response:
    try:
        with its.db.write() as conn:
            changes.redo(conn, learner, its.clock(), _event(event))
    except Problem as problem:
        return _next(request, its, learner, chosen, problem=problem)
    return _on(request, chosen)


@router.get("/answer")
@router.get("/undo")
@router.get("/redo")
def back(request: Request) -> Response:
    """A reload of a refused answer's page leads to the card that is due now."""
    return _on(request, ALL)


def _event(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _on(request: Request, chosen: Chosen, **more: str) -> Response:
    return RedirectResponse(url_for(request)("study", **more, **chosen.query()), 303)


def _next(
    request: Request,
    its: Parts,
    learner: Learner,
    chosen: Chosen,
    *,
    first: str = "",
    leech: str = "",
    problem: Problem | None = None,
) -> Response:
    """The next card's page, or the done page; with what went wrong, or what was suspended, if something was."""
    now = its.clock()
    with its.db.read() as conn:
        found = service.next_card(conn, learner, now, chosen, first or None)
        suspended = changes.leech(conn, learner, leech) if leech else None
    status = problem.status if problem else 200
    top = views.head(found, chosen, str(problem or ""), suspended)
    if isinstance(found, Showing):
        note = tickets.show(found.card, learner, now, cram=chosen.cram is not None)
        showing = tickets.sign(its.signer, "showing", note)
        shown = face(found.card, note.key)
        with its.db.read() as conn:
            say = Say.of(fields(sheets.sheet(conn, its.records, learner, found.card, shown)))
        view = views.question(found.card, shown, top, showing, say)
        return its.pages.render(request, "study/card.html", status=status, view=view)
    return its.pages.render(
        request, "study/done.html", status=status, view=views.done(found, top, now, chosen)
    )

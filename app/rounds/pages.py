"""The rounds for people: dates to set, the plan towards each, the sheet for the eve, what was asked."""

from typing import Annotated

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import RedirectResponse, Response

from app.accounts.learner import Learner
from app.accounts.service import Current
from app.rounds import asked, drafts, eve, form, service, views
from app.rounds.cards import Round
from app.rounds.wanted import Asked, Wanted
from app.web.api import Its
from app.web.errors import Invalid, Problem
from app.web.parts import Parts
from app.web.templating import url_for

router = APIRouter(prefix="/rounds", include_in_schema=False)
Number = Annotated[int, Path(ge=1, le=2**63 - 1)]
Text = Annotated[str, Form(max_length=400)]
Topics = Annotated[tuple[str, ...], Form()]


@router.get("")
def all_rounds(request: Request, its: Its, learner: Current) -> Response:
    now = its.clock()
    with its.db.read() as conn:
        view = views.list_view(
            service.rounds(conn, learner), service.outlooks(conn, learner, now), learner.day(now)
        )
    return its.pages.render(request, "rounds/list.html", view=view)


@router.get("/new")
def new(request: Request, its: Its, learner: Current) -> Response:
    return _form(request, its, Wanted(Asked()), None)


@router.post("")
def add(
    request: Request,
    its: Its,
    learner: Current,
    name: Text = "",
    date: Text = "",
    topic: Topics = (),
    level: Text = "",
    minutes: Text = "",
) -> Response:
    with its.db.write() as conn:
        found = service.add(conn, learner, its.clock(), Asked(name, date, topic, level, minutes))
    return _form(request, its, found, None) if isinstance(found, Wanted) else _see(request, found)


@router.get("/{number}")
def one_round(request: Request, its: Its, learner: Current, number: Number) -> Response:
    now = its.clock()
    with its.db.read() as conn:
        one = service.one_round(conn, learner, number)
        ahead = {found.plan.round.id: found for found in service.outlooks(conn, learner, now)}
    view = views.round_view(one, ahead.get(one.id), learner.day(now))
    return its.pages.render(request, "rounds/round.html", view=view)


@router.get("/{number}/edit")
def edit(request: Request, its: Its, learner: Current, number: Number) -> Response:
    with its.db.read() as conn:
        one = service.one_round(conn, learner, number)
    return _form(request, its, Wanted(Asked.of(one)), one)


@router.post("/{number}")
def change(
    request: Request,
    its: Its,
    learner: Current,
    number: Number,
    name: Text = "",
    date: Text = "",
    topic: Topics = (),
    level: Text = "",
    minutes: Text = "",
) -> Response:
    with its.db.write() as conn:
        one = service.one_round(conn, learner, number)
        found = service.change(conn, learner, its.clock(), number, Asked(name, date, topic, level, minutes))
    return _form(request, its, found, one) if isinstance(found, Wanted) else _see(request, found)


@router.post("/{number}/remove")
def remove(request: Request, its: Its, learner: Current, number: Number) -> Response:
    with its.db.write() as conn:
        service.remove(conn, learner, number)
    return RedirectResponse(url_for(request)("rounds"), 303)


def _form(request: Request, its: Parts, wanted: Wanted, one: Round | None) -> Response:
    with its.db.read() as conn:
        view = form.form_view(wanted, service.decks(conn), one)
    return its.pages.render(request, "rounds/form.html", status=422 if wanted.errors else 200, view=view)


def _see(request: Request, one: Round) -> Response:
    return RedirectResponse(url_for(request)(views.path(one)), 303)


@router.get("/{number}/sheet")
def sheet(request: Request, its: Its, learner: Current, number: Number) -> Response:
    """The sheet for the eve, on screen and on paper."""
    now = its.clock()
    with its.db.read() as conn:
        one = service.one_round(conn, learner, number)
        view = eve.sheet_view(conn, learner, now, one)
    return its.pages.render(request, "rounds/sheet.html", view=view)


@router.get("/{number}/debrief")
def debrief(request: Request, its: Its, learner: Current, number: Number) -> Response:
    return _debrief(request, its, learner, number)


@router.post("/{number}/debrief")
def write_down(
    request: Request,
    its: Its,
    learner: Current,
    number: Number,
    asked_: Annotated[str, Form(alias="asked", max_length=50_000)] = "",
    nothing: Text = "",
) -> Response:
    """Draft cards of what was asked. The file comes first: sent again after a crash, it adds nothing twice."""
    with its.db.read() as conn:
        one = service.one_round(conn, learner, number)
    questions = drafts.lines(asked_)
    try:
        if len(questions) > drafts.MOST_LINES:
            raise Invalid(f"That are {len(questions)} questions; send at most {drafts.MOST_LINES} at a time.")
        if questions:
            asked.keep(its.settings, its.decks, one, questions)
        elif not nothing:
            raise Invalid("Write at least one question, each on a line of its own.")
    except Problem as problem:
        return _debrief(request, its, learner, number, asked_, problem)
    with its.db.write() as conn:
        service.debriefed(conn, learner, its.clock(), one)
    return RedirectResponse(url_for(request)(f"{views.path(one)}/debrief"), 303)


def _debrief(
    request: Request,
    its: Parts,
    learner: Learner,
    number: int,
    typed: str = "",
    problem: Problem | None = None,
) -> Response:
    with its.db.read() as conn:
        one = service.one_round(conn, learner, number)
        view = eve.debrief_view(conn, learner, its.clock(), one, typed, str(problem or ""))
    status = problem.status if problem else 200
    return its.pages.render(request, "rounds/debrief.html", status=status, view=view)

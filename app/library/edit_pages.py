"""The pages on which cards are written: a new one, one that is there, its shipped text; a look at the deck files."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from app.accounts.service import Current
from app.library import edit_views as views
from app.library import editing, offers, service
from app.library.cards import Written
from app.library.comparing import compare
from app.library.draft import LineError, with_id
from app.library.edit_views import Difference, EditView
from app.library.editing import ChangedMeanwhile, Opened, Unreadable
from app.library.own_files import Desk
from app.library.text import unify
from app.web.api import Its
from app.web.errors import Problem
from app.web.parts import Parts
from app.web.templating import url_for

router = APIRouter(prefix="/cards", include_in_schema=False)
Text = Annotated[str, Form(max_length=200_000)]
Short = Annotated[str, Form(max_length=200)]
Back = Literal["", "study", "drill"]
PREVIEW = "preview"


@router.post("/look")
def look(request: Request, its: Its, learner: Current) -> Response:
    """Read the decks that have changed on disk; what that was stands on the Cards page."""
    its.decks.look()
    return RedirectResponse(url_for(request)("cards") + "#decks", 303)


@router.get("/news")
def news(request: Request, its: Its, learner: Current) -> Response:
    """What the last look found: the part of the Cards page that is drawn anew while it is open."""
    with its.db.read() as conn:
        view = views.news(its.decks.last, learner, offers.changed_copies(conn))
    return its.pages.render(request, "cards/_news.html", news=view)


@router.get("/new")
def new(request: Request, its: Its, learner: Current, deck: str = "") -> Response:
    return _new_page(request, its, views.SKELETON, deck)


@router.post("/new")
def create(
    request: Request, its: Its, learner: Current, text: Text = "", deck: Short = "", do: Short = ""
) -> Response:
    if do == PREVIEW:
        return _new_page(request, its, text, deck)
    try:
        made = editing.create(_desk(its), deck, text)
    except Unreadable as wrong:
        return _new_page(request, its, text, deck, refused=wrong.errors)
    except Problem as problem:
        return _new_page(request, its, text, deck, problem=problem)
    return RedirectResponse(url_for(request)(f"cards/{made}"), 303)


@router.get("/{card_id}/edit")
def edit(
    request: Request, its: Its, learner: Current, card_id: str, back: Back = "", merge: str = ""
) -> Response:
    """The editor; with `merge`, what the shipped card says by now stands beside it."""
    written = _written(its, card_id)
    opened = editing.open_card(its.settings, written)
    beside = written.shipped_text if merge and written.copied else None
    return _edit_page(request, its, card_id, opened, opened.text, back=back, beside=beside)


@router.post("/{card_id}/edit")
def save(
    request: Request,
    its: Its,
    learner: Current,
    card_id: str,
    text: Text = "",
    seen: Short = "",
    base: Short = "",
    back: Annotated[Back, Form()] = "",
    do: Short = "",
) -> Response:
    written = _written(its, card_id)
    beside = written.shipped_text if base else None
    try:
        opened = editing.open_card(its.settings, written)
    except Problem as problem:
        opened = Opened(written, written.text, seen)
        return _edit_page(request, its, card_id, opened, text, back=back, problem=problem)
    try:
        if do == PREVIEW:
            return _edit_page(request, its, card_id, opened, text, seen=seen, back=back, beside=beside)
        editing.save(_desk(its), written, text, seen=seen, base=base)
    except Unreadable as wrong:
        return _edit_page(
            request, its, card_id, opened, text, seen=seen, back=back, beside=beside, refused=wrong.errors
        )
    except ChangedMeanwhile as changed:
        return _edit_page(request, its, card_id, changed.opened, text, back=back, problem=changed)
    except Problem as problem:
        return _edit_page(
            request, its, card_id, opened, text, seen=seen, back=back, beside=beside, problem=problem
        )
    return RedirectResponse(url_for(request)(_after(back, card_id)), 303)


@router.post("/{card_id}/retire")
def retire(request: Request, its: Its, learner: Current, card_id: str) -> Response:
    editing.retire(_desk(its), _written(its, card_id))
    return _card(request, card_id)


@router.post("/{card_id}/restore")
def restore(request: Request, its: Its, learner: Current, card_id: str) -> Response:
    editing.restore(_desk(its), _written(its, card_id))
    return _card(request, card_id)


@router.get("/{card_id}/shipped")
def shipped(request: Request, its: Its, learner: Current, card_id: str) -> Response:
    """What the shipped card says since it was edited here, with three ways to go on."""
    written = _written(its, card_id)
    if not offers.has_news(written):
        return _card(request, card_id)
    with its.db.read() as conn:
        words = service.card(conn, card_id).row.words
    opened = editing.open_card(its.settings, written)
    view = views.shipped(card_id, words, written, opened.text, offers.fingerprint_of(written))
    return its.pages.render(request, "cards/shipped.html", view=view)


@router.post("/{card_id}/shipped")
def decide(
    request: Request, its: Its, learner: Current, card_id: str, base: Short = "", do: Short = ""
) -> Response:
    """Keep the edited text, or take the shipped one; `base` says which shipped text was decided on."""
    written = _written(its, card_id)
    if base != offers.fingerprint_of(written):
        return RedirectResponse(url_for(request)(f"cards/{card_id}/shipped"), 303)
    if do == "mine":
        editing.keep_mine(_desk(its), written)
    elif do == "theirs":
        editing.take_shipped(_desk(its), written)
    return _card(request, card_id)


def _desk(its: Parts) -> Desk:
    return Desk(its.settings, its.db, its.decks)


def _written(its: Parts, card_id: str) -> Written:
    with its.db.read() as conn:
        return editing.of_card(conn, card_id)


def _card(request: Request, card_id: str) -> Response:
    return RedirectResponse(url_for(request)(f"cards/{card_id}"), 303)


def _preview(its: Parts, text: str, card: str, refused: tuple[LineError, ...] = ()) -> views.Preview:
    if card:
        demo = editing.demo_of(its.settings, _written(its, card))
        return views.preview(editing.draft(text, demo), refused=refused)
    if views.is_blank(text) and not refused:
        return views.blank()
    suggested = editing.suggestion(its.db, text)
    made = with_id(text, suggested)
    return views.preview(editing.draft(made), "" if made == unify(text) else suggested, refused)


def _new_page(
    request: Request,
    its: Parts,
    text: str,
    deck: str,
    *,
    refused: tuple[LineError, ...] = (),
    problem: Problem | None = None,
) -> Response:
    with its.db.read() as conn:
        decks = offers.own_decks(conn)
    view = EditView(
        title="A new card",
        path="cards/new",
        text=unify(text),
        seen="",
        base="",
        back="cards",
        came="",
        where="",
        problem=str(problem or ""),
        preview=_preview(its, text, "", refused),
        difference=None,
        card="",
        deck=deck or (decks[0][0] if decks else views.OWN_DECK),
        decks=tuple(decks),
    )
    return its.pages.render(request, "cards/edit.html", status=_status(refused, problem), view=view)


def _after(back: str, card_id: str) -> str:
    """Where the editor leads to: whence the learner came."""
    return {"study": "study", "drill": f"drill/{card_id}"}.get(back, f"cards/{card_id}")


def _edit_page(
    request: Request,
    its: Parts,
    card_id: str,
    opened: Opened,
    text: str,
    *,
    seen: str = "",
    back: str,
    beside: str | None = None,
    refused: tuple[LineError, ...] = (),
    problem: Problem | None = None,
) -> Response:
    difference = None
    if isinstance(problem, ChangedMeanwhile):
        difference = Difference("the file now", "your text", compare(opened.text, unify(text)))
    elif beside is not None:
        difference = Difference("the shipped card now", "your text", compare(beside, unify(text)))
    view = EditView(
        title="Edit a card",
        path=f"cards/{card_id}/edit",
        text=unify(text),
        seen=seen or opened.seen,
        base="" if beside is None else offers.fingerprint_of(opened.written),
        back=_after(back, card_id),
        came=back,
        where=views.lead(opened.written),
        problem=str(problem or ""),
        preview=_preview(its, text, card_id, refused),
        difference=difference,
        card=card_id,
        deck="",
        decks=(),
    )
    return its.pages.render(request, "cards/edit.html", status=_status(refused, problem), view=view)


def _status(refused: tuple[LineError, ...], problem: Problem | None) -> int:
    return problem.status if problem else 422 if refused else 200

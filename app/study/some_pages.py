"""Study some cards: choose by deck, tag, level and core, see how many that is, and how to go through them."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from app.accounts.service import Current
from app.library import service as library
from app.study import picking, service, some
from app.study.choosing import ByAddress
from app.web.api import Its
from app.web.templating import url_for

router = APIRouter()


@router.get("/some")
def choose(request: Request, its: Its, learner: Current, chosen: ByAddress) -> Response:
    now = its.clock()
    with its.db.read() as conn:
        today = service.counts(conn, learner, now, chosen)
        tallies = picking.tallies(conn, learner, now, chosen)
        decks = [(deck.name, deck.title) for deck in library.decks(conn)]
        view = some.view(chosen, tallies, today, decks=decks, tags=library.tags(conn))
    return its.pages.render(request, "study/some.html", view=view)


@router.get("/cram")
def cram(request: Request, its: Its, learner: Current, chosen: ByAddress) -> Response:
    """Begin a cram of what was chosen. It writes nothing: the address alone says since when its answers count."""
    with its.db.read() as conn:
        begins = picking.cram_begins(conn, learner)
    return RedirectResponse(url_for(request)("study", **chosen.query() | {"cram": str(begins)}), 303)

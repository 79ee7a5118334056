"""The Cards pages: a list that can be searched, and one card with both of its sides."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from app.accounts.service import Current
from app.drill.history import service as takes
from app.library import edit_views, offers, service
from app.library.asked import ByAddress
from app.library.views import card_view, list_view, texts
from app.progress import service as progress
from app.study import changes
from app.study import service as study
from app.web.api import Its

router = APIRouter(include_in_schema=False)
PAGE = 50
Draw = Annotated[int, Query(ge=0, le=9999)]


@router.get("/cards")
def card_list(
    request: Request,
    its: Its,
    learner: Current,
    wanted: ByAddress,
    cursor: str = "",
) -> Response:
    now = its.clock()
    with its.db.read() as conn:
        found = service.search(conn, wanted, PAGE, cursor)
        view = list_view(
            wanted,
            found,
            study.standings(conn, learner, now, [card.id for card in found.cards]),
            decks=service.decks(conn),
            tags=service.tags(conn),
            problems=service.problems(conn),
        )
        news = edit_views.news(its.decks.last, learner, offers.changed_copies(conn))
    return its.pages.render(request, "cards/list.html", view=view, news=news)


@router.get("/cards/{card_id}")
def one_card(request: Request, its: Its, learner: Current, card_id: str, draw: Draw = 0) -> Response:
    """A card with both sides; `draw` counts draws of its numbers, where it has some."""
    now = its.clock()
    with its.db.read() as conn:
        page = service.card(conn, card_id)
        view = card_view(
            page,
            study.standings(conn, learner, now, [page.row.id])[page.row.id],
            siblings=service.words_of(conn, page.siblings),
            follow_ups=service.follow_ups(conn, texts(page, "next")),
            draw=draw,
        )
        standing = offers.standing(conn, page.row.id)
        marks = changes.marked(conn, learner, now, page.row.id)
        past = progress.history(conn, learner, now, page.row.id, takes.by_event(conn, learner, page.row.id))
    primer = its.primers.now.of_deck(view.deck)
    return its.pages.render(
        request, "cards/card.html", view=view, standing=standing, past=past, primer=primer, marks=marks
    )

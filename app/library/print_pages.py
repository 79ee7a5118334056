"""The print view of the Cards page: every card that fits, both sides, on screen and on paper."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.accounts.service import Current
from app.library.printing import print_view
from app.library.service import Wanted
from app.web.api import Its

router = APIRouter(include_in_schema=False)


@router.get("/cards/print")
def printed(
    request: Request,
    its: Its,
    learner: Current,
    q: str = "",
    tag: str = "",
    level: str = "",
    deck: str = "",
    core: str = "",
) -> Response:
    wanted = Wanted(q.strip(), tag, level, deck)
    with its.db.read() as conn:
        view = print_view(conn, wanted, core=core in ("yes", "true", "1", "on"))
    return its.pages.render(request, "cards/print.html", view=view)

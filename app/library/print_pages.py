"""The print view of the Cards page: every card that fits, both sides, on screen and on paper."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.accounts.service import Current
from app.library.asked import ByAddress
from app.library.printing import print_view
from app.web.api import Its

router = APIRouter(include_in_schema=False)


@router.get("/cards/print")
def printed(
    request: Request,
    its: Its,
    learner: Current,
    wanted: ByAddress,
    core: str = "",
) -> Response:
    with its.db.read() as conn:
        view = print_view(conn, wanted, core=core in ("yes", "true", "1", "on"))
    return its.pages.render(request, "cards/print.html", view=view)

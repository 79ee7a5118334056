"""Listen: cards read aloud by the browser's own voice, one after the other, hands free."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.accounts.service import Current
from app.listen.views import listen_view
from app.study import listening
from app.study.choosing import ByAddress
from app.web.api import Its

router = APIRouter(include_in_schema=False)


@router.get("/listen")
def listen(request: Request, its: Its, learner: Current, chosen: ByAddress) -> Response:
    """What is due, or some cards, as /study/some chooses them."""
    with its.db.read() as conn:
        cards, due = listening.to_hear(conn, learner, its.clock(), chosen)
    return its.pages.render(request, "listen/listen.html", view=listen_view(cards, due, chosen))

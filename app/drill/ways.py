"""Where the drill's handlers lead to: the next part of an attempt, or the take that it became."""

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from app.drill import attempt as attempts
from app.drill.attempt import Attempt
from app.drill.pitch import Take
from app.web.parts import Parts
from app.web.templating import url_for


def go_on(request: Request, its: Parts, attempt: Attempt) -> Response:
    """To the page of the attempt's next part; the attempt itself is in the address."""
    part = "/review" if attempt.state == "review" else "/typed" if attempt.typed else ""
    return see(request, f"drill/{attempt.card_id}{part}", take=attempts.sign(its.signer, attempt))


def see_take(request: Request, take: Take) -> Response:
    return see(request, f"drill/{take.card_id}/takes/{take.id}")


def see(request: Request, path: str, **query: object) -> Response:
    return RedirectResponse(url_for(request)(path, **query), 303)

"""The learner's own choices: the theme (a cookie) and the time zone (told by the browser)."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from app.accounts import service
from app.accounts.service import Current
from app.web.api import Its
from app.web.errors import Invalid
from app.web.security import split
from app.web.templating import THEME_COOKIE, THEMES, url_for

router = APIRouter(include_in_schema=False)
YEAR_S = 365 * 24 * 3600


@router.post("/theme")
def choose_theme(
    request: Request, theme: Annotated[str, Form()], back: Annotated[str, Form(alias="next")] = ""
) -> Response:
    if theme not in THEMES:
        raise Invalid(f"There is no theme {theme[:20]!r}; choose one of {', '.join(THEMES)}.")
    response = RedirectResponse(_own_path(back) or url_for(request)(), 303)
    response.set_cookie(THEME_COOKIE, theme, max_age=YEAR_S, samesite="lax", httponly=True)
    return response


@router.post("/zone", status_code=204)
def tell_zone(request: Request, learner: Current, its: Its, zone: Annotated[str, Form()]) -> None:
    service.check_zone(zone)
    with its.db.write() as conn:
        service.adopt_zone(conn, learner, zone)
    request.app.state.asks_zone = False


def _own_path(path: str) -> str:
    """`path` when it leads into this app; else nothing, so that no form can redirect elsewhere."""
    parts = split(path)
    own = parts is not None and not parts.scheme and not parts.netloc and path.startswith("/")
    return path if own and "\\" not in path else ""

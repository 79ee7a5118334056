"""The learner's own choices: the theme (a cookie) and the time zone (told by the browser)."""

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from app.accounts import service
from app.accounts.service import Current
from app.web.errors import Invalid
from app.web.parts import Parts, parts
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
def tell_zone(learner: Current, its: Annotated[Parts, Depends(parts)], zone: Annotated[str, Form()]) -> None:
    service.adopt_zone(its, learner, zone)


def _own_path(path: str) -> str:
    """`path` when it leads into this app; else nothing, so that no form can redirect elsewhere."""
    parsed = urlsplit(path)
    own = (
        not parsed.scheme
        and not parsed.netloc
        and path.startswith("/")
        and not path.startswith(("//", "/\\"))
    )
    return path if own else ""

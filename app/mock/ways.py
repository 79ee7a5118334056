"""What the interview's handlers share: the parts of their addresses, and where they lead."""

from typing import Annotated

from fastapi import Form, Path, Request
from fastapi.responses import RedirectResponse, Response

from app.drill.recording import service as recordings
from app.drill.recording.sound import Recording
from app.web.parts import Parts
from app.web.templating import url_for

LARGEST = 2**63 - 1  # of the ids that SQLite gives, which begin at 1
Id = Annotated[int, Path(ge=1, le=LARGEST)]
Position = Annotated[int, Path(ge=1, le=1000)]
Ticks = Annotated[tuple[str, ...], Form()]
Text = Annotated[str | None, Form()]


def to(request: Request, interview: int, **query: object) -> Response:
    """To where one stands in the interview."""
    return RedirectResponse(url_for(request)(f"mock/{interview}", **query), 303)


def to_report(request: Request, interview: int, **query: object) -> Response:
    return RedirectResponse(url_for(request)(f"mock/{interview}/report", **query), 303)


def wipe(its: Parts, gone: Recording | None) -> None:
    """Delete the file of a recording whose row says, by now, that it is gone."""
    if gone is not None:
        recordings.files(its.settings).delete(gone)

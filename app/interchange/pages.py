"""The page Import and export, reached from Cards, and what it hands out."""

from dataclasses import asdict
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, File, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from app.accounts.service import Current
from app.interchange.exporting import Format, export
from app.interchange.importing import BadFile, bring_in
from app.interchange.views import Told, exchange_view, told_of
from app.library import service as library
from app.library import sources
from app.library.asked import ByAddress
from app.library.service import Wanted
from app.web.api import Its
from app.web.parts import Parts
from app.web.signing import NotOurs
from app.web.templating import url_for

router = APIRouter(include_in_schema=False)
TOLD = "import"  # what its report is signed for


@router.get("/cards/exchange")
def exchange(
    request: Request,
    its: Its,
    learner: Current,
    wanted: ByAddress,
    told: str = "",
) -> Response:
    """The page; `told` is what an import did, signed, as it sends the browser here."""
    try:
        said = Told.of(its.signer.open(TOLD, told)) if told else None
    except NotOurs:
        said = None
    return _page(request, its, wanted, said=said)


@router.get("/cards/exchange/export")
def handed_out(
    request: Request,
    its: Its,
    learner: Current,
    format: Format,
    wanted: ByAddress,
) -> Response:
    """The cards that fit, as a file. Notes link back to the address that this request came to."""
    with its.db.read() as conn:
        places = sources.found(conn, wanted)
    address = f"{request.url.scheme}://{request.headers['host']}{url_for(request).root}"
    made = export(sources.load(its.settings, places), format, address, its.clock())
    name = f"attachment; filename*=UTF-8''{quote(made.name)}"
    headers = {"Content-Disposition": name, "Cache-Control": "no-store"}
    return Response(made.data, media_type=made.media_type, headers=headers)


@router.post("/cards/exchange")
def brought_in(
    request: Request, its: Its, learner: Current, file: Annotated[UploadFile | None, File()] = None
) -> Response:
    """Import a file. What came of it goes along with the redirect, so that Back and a reload send nothing again."""
    if file is None or not file.filename:
        return _page(request, its, Wanted(), refused="No file was chosen; choose one, then import it.")
    try:
        outcome = bring_in(its.settings, file.filename, file.file)
    except BadFile as bad:
        return _page(request, its, Wanted(), refused=f"{file.filename[:80]}: {bad}")
    said = its.signer.sign(TOLD, asdict(told_of(outcome, its.decks.look().synced.errors)))
    return RedirectResponse(url_for(request)("cards/exchange", told=said), 303)


def _page(
    request: Request, its: Parts, wanted: Wanted, *, said: Told | None = None, refused: str = ""
) -> Response:
    with its.db.read() as conn:
        view = exchange_view(wanted, library.decks(conn), library.tags(conn), told=said, refused=refused)
    return its.pages.render(request, "cards/exchange.html", status=422 if refused else 200, view=view)

"""The primers: a list to read in order, and one page each."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.accounts.service import Current
from app.primers import service
from app.web.api import Its

router = APIRouter(prefix="/primers", include_in_schema=False)


@router.get("")
def primers(request: Request, its: Its, learner: Current) -> Response:
    stock = its.primers.now
    with its.db.read() as conn:
        view = service.primer_list(conn, stock)
    return its.pages.render(request, "primers/list.html", view=view)


@router.get("/{name}")
def one_primer(request: Request, its: Its, learner: Current, name: str) -> Response:
    stock = its.primers.now
    with its.db.read() as conn:
        page = service.primer_page(conn, stock, its.records, learner, name)
    return its.pages.render(request, "primers/primer.html", page=page)

"""The judge's part of the pages of a take: look at it, ask, leave the question."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from app.accounts.service import Current
from app.drill import attempt as attempts
from app.drill.attempt import Attempt
from app.drill.judge import commenting
from app.drill.judge.asking import TooMany
from app.study.scheduling import CardId
from app.web.api import Its
from app.web.errors import Busy
from app.web.parts import Parts
from app.web.templating import url_for

router = APIRouter(prefix="/drill", include_in_schema=False)

Signed = Annotated[str, Form()]


@router.get("/{card_id}/judge")
def look(request: Request, its: Its, learner: Current, card_id: CardId, take: str = "") -> Response:
    """The part alone, for static/js/opinion.js."""
    attempt = attempts.read(its.signer, take, learner.id, card_id).finished()
    with its.db.read() as conn:
        part = commenting.part(conn, its, learner, attempt)
    return its.pages.render(request, "drill/_opinion_now.html", part=part)


@router.post("/{card_id}/judge")
async def ask(request: Request, its: Its, learner: Current, card_id: CardId, take: Signed) -> Response:
    """Ask the judge that the learner chose. No request waits for the answer: the page looks for it again."""
    attempt = attempts.read(its.signer, take, learner.id, card_id).finished()

    def prepare() -> commenting.Order:
        with its.db.read() as conn:
            return commenting.order(conn, its, learner, attempt)

    wanted = await run_in_threadpool(prepare)
    try:
        about, whom = (learner.id, wanted.key), wanted.judge.where
        its.asking.begin(about, lambda: commenting.carry_out(its, learner, wanted), whom)
    except TooMany:
        raise Busy("The judge is asked several things already; wait until one is answered.", 10) from None
    return _back(request, its, attempt)


@router.post("/{card_id}/judge/cancel")
async def cancel(request: Request, its: Its, learner: Current, card_id: CardId, take: Signed) -> Response:
    attempt = attempts.read(its.signer, take, learner.id, card_id).finished()

    def find() -> str:
        with its.db.read() as conn:
            return commenting.key(conn, learner, attempt)

    await its.asking.cancel((learner.id, await run_in_threadpool(find)))
    return _back(request, its, attempt)


def _back(request: Request, its: Parts, attempt: Attempt) -> Response:
    """To the review, which leads on to the saved take where there is one."""
    path = f"drill/{attempt.card_id}/review"
    address = url_for(request)(path, take=attempts.sign(its.signer, attempt))
    return RedirectResponse(f"{address}#opinion", 303)

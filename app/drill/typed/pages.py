"""An answer that is typed instead of said: its time is counted, and its text is kept as it comes."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from app.accounts.service import Current
from app.drill import attempt as attempts
from app.drill import service
from app.drill.attempt import Attempt
from app.drill.said import service as said
from app.drill.typed import view as typed_view
from app.drill.ways import go_on, see, see_take
from app.study.scheduling import CardId
from app.web.api import Its
from app.web.errors import Invalid

router = APIRouter(prefix="/drill", include_in_schema=False)

Signed = Annotated[str, Form()]
Text = Annotated[str, Form()]


@router.get("/{card_id}/typed")
def write(request: Request, its: Its, learner: Current, card_id: CardId, take: str = "") -> Response:
    """The form. Whoever comes without an attempt that is typed begins one, and its clock runs from then on."""
    now = its.clock()
    attempt = (
        attempts.read(its.signer, take, learner.id, card_id) if take else attempts.begin(learner.id, card_id)
    )
    with its.db.read() as conn:
        saved = service.saved(conn, learner, attempt)
        pitch = service.pitch(conn, learner, card_id)
        text = said.drafted(conn, learner, attempt)
    if saved is not None:
        return see_take(request, saved)
    if pitch.retired:
        return see(request, f"drill/{card_id}")
    if not attempt.typed or attempt.state == "prompt":
        return go_on(request, its, _begun(attempt).start(now, 0))
    if attempt.state == "review":
        return go_on(request, its, attempt)
    view = typed_view.typed_view(
        pitch,
        text,
        elapsed_ms=attempt.since_start_ms(now) or 0,
        take=attempts.sign(its.signer, attempt),
    )
    return its.pages.render(request, "drill/typed.html", view=view)


@router.post("/{card_id}/typed")
def finish(
    request: Request, its: Its, learner: Current, card_id: CardId, take: Signed, text: Text = ""
) -> Response:
    """Done: to the review, where the text can still be changed."""
    attempt = _typed(attempts.read(its.signer, take, learner.id, card_id))
    with its.db.write() as conn:
        said.draft(conn, learner, attempt, text, its.clock())
    return go_on(request, its, attempt.finish(its.clock(), None, interrupted=False, notes_shown=False))


@router.post("/{card_id}/draft")
def keep(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take: Signed,
    text: Text = "",
    page: Annotated[bool, Form()] = True,
) -> Response:
    """Keep the text so far; static/js/kept.js wants no `page` in return."""
    attempt = _typed(attempts.read(its.signer, take, learner.id, card_id))
    with its.db.write() as conn:
        said.draft(conn, learner, attempt, text, its.clock())
    return go_on(request, its, attempt) if page else Response(status_code=204)


def _begun(attempt: Attempt) -> Attempt:
    """The attempt as one that is typed; one that was begun aloud is left with its recording, and another begins."""
    if attempt.typed or attempt.state == "prompt":
        return replace(attempt, typed=True)
    return attempts.begin(attempt.learner_id, attempt.card_id, typed=True)


def _typed(attempt: Attempt) -> Attempt:
    if not attempt.typed:
        raise Invalid("This take is spoken; begin a typed answer from the drill.")
    return attempt

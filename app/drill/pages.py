"""The drill's pages before a take: choose a pitch, and say it against the clock."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from app.accounts.service import Current
from app.drill import attempt as attempts
from app.drill import service, views
from app.drill.hearing import service as hearing
from app.drill.recording import service as recordings
from app.drill.recording import taking
from app.drill.recording.cut_off import cut_off
from app.drill.ways import go_on, see, see_take
from app.study.scheduling import CardId
from app.web.api import Its

router = APIRouter(prefix="/drill", include_in_schema=False)

Signed = Annotated[str, Form()]


@router.get("")
def choose(request: Request, its: Its, learner: Current) -> Response:
    now = its.clock()
    with its.db.read() as conn:
        choices = service.choices(conn, learner, now)
        begun = cut_off(conn, learner, its.settings, now)
        usage = recordings.usage(conn, learner, its.settings)
    view = views.list_view(choices, learner, learner.day(now))
    return its.pages.render(request, "drill/list.html", view=view, cut_off=begun, usage=usage.words)


@router.get("/{card_id}")
def stand(request: Request, its: Its, learner: Current, card_id: CardId, take: str = "") -> Response:
    now = its.clock()
    attempt = (
        attempts.read(its.signer, take, learner.id, card_id) if take else attempts.begin(learner.id, card_id)
    )
    with its.db.read() as conn:
        saved = service.saved(conn, learner, attempt)
        pitch = service.pitch(conn, learner, card_id)
        history = service.history(conn, learner, card_id)
        endpoint = hearing.sent_to(conn, learner, its.settings)
        recording = recordings.of_attempt(conn, learner, attempt.key)
    if saved is not None:
        return see_take(request, saved)
    view = views.stand_view(
        pitch,
        attempt,
        history,
        take=attempts.sign(its.signer, attempt),
        learner=learner,
        now=now,
        ready_s=its.settings.ready_s,
        endpoint=endpoint,
        cut=recording is not None and recording.open,
    )
    return its.pages.render(request, "drill/stand.html", view=view)


@router.post("/{card_id}/start")
def start(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take: Signed,
    speaking: Annotated[bool, Form()] = False,
) -> Response:
    """The clock begins to run: after the time to get ready, or at once for a learner who is `speaking` already."""
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    return go_on(request, its, attempt.start(its.clock(), 0 if speaking else its.settings.ready_s))


@router.post("/{card_id}/notes")
def show_notes(request: Request, its: Its, learner: Current, card_id: CardId, take: Signed) -> Response:
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    return go_on(request, its, attempt.show_notes())


@router.post("/{card_id}/over")
def start_over(request: Request, its: Its, learner: Current, card_id: CardId, take: Signed) -> Response:
    """A new attempt in place of this one, whose recording goes; unless it was rated, somewhere else."""
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    with its.db.write() as conn:
        gone = recordings.discard(conn, learner, its.clock(), attempt.key)
    if gone is not None:
        recordings.files(its.settings).delete(gone)
    return see(request, f"drill/{card_id}")


@router.post("/{card_id}/finish")
def finish(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take: Signed,
    spoken_ms: Annotated[int | None, Form()] = None,
    interrupted: Annotated[bool, Form()] = False,
    notes: Annotated[bool, Form()] = False,
) -> Response:
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    done = attempt.finish(its.clock(), spoken_ms, interrupted, notes)
    if done.state == "review":
        taking.end(its, learner, done)
    return go_on(request, its, done)

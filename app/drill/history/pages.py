"""The history of takes, its sound to be deleted, and all of it as a zip."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from app.accounts.service import Current
from app.drill import words
from app.drill.history import archive
from app.drill.history import service as history
from app.drill.pitch import TakeId
from app.drill.recording import service as recordings
from app.drill.recording.sound import Recording
from app.study.scheduling import CardId
from app.web.api import Its
from app.web.templating import url_for

router = APIRouter(prefix="/drill", include_in_schema=False)
LARGEST = 2**63 - 1
RecordingPath = Annotated[int, Path(ge=1, le=LARGEST)]
Before = Annotated[TakeId | None, Query(ge=1, le=LARGEST)]
FromTake = Annotated[TakeId | None, Query(ge=1, le=LARGEST)]  # on whose page one was, and comes back to


@router.get("/history")
def takes(
    request: Request, its: Its, learner: Current, card: CardId | None = None, before: Before = None
) -> Response:
    """The cards that were said, or the takes of one; `before` leads on to older ones."""
    now = its.clock()
    with its.db.read() as conn:
        if card:
            past = history.of_card(conn, learner, now, card, before)
            return its.pages.render(request, "drill/card_history.html", view=past)
        said = history.cards(conn, learner, now, before)
        usage = recordings.usage(conn, learner, its.settings)
    return its.pages.render(request, "drill/history.html", view=said, usage=usage)


@router.get("/history/takes.zip")
def zipped(its: Its, learner: Current) -> Response:
    with its.db.read() as conn:
        spoken = history.spoken(conn, learner)
    name = f"aloud-takes-{learner.day(its.clock())}.zip"
    return StreamingResponse(
        archive.pieces(spoken, recordings.files(its.settings)),
        media_type="application/zip",
        headers={
            "Cache-Control": "private, no-store",
            "Content-Disposition": f'attachment; filename="{name}"',
        },
    )


@router.get("/sound/{recording_id}/delete")
def ask_to_delete(
    request: Request, its: Its, learner: Current, recording_id: RecordingPath, take: FromTake = None
) -> Response:
    with its.db.read() as conn:
        recording = recordings.by_id(conn, learner, recording_id)
    return its.pages.render(
        request,
        "drill/delete.html",
        title="Delete this recording?",
        address=url_for(request)(f"drill/sound/{recording.id}/delete", take=take),
        back=_left(request, recording, take),
        lead=words.delete_words(recording.rated),
    )


@router.post("/sound/{recording_id}/delete")
def delete(
    request: Request, its: Its, learner: Current, recording_id: RecordingPath, take: FromTake = None
) -> Response:
    with its.db.write() as conn:
        gone = recordings.forget(conn, learner, its.clock(), recording_id)
    recordings.files(its.settings).delete(gone)
    return RedirectResponse(_left(request, gone, take), 303)


@router.get("/history/delete")
def ask_to_delete_all(request: Request, its: Its, learner: Current) -> Response:
    with its.db.read() as conn:
        usage = recordings.usage(conn, learner, its.settings)
        unrated = recordings.unfinished(conn, learner)
    if not usage.recordings:
        return RedirectResponse(url_for(request)("drill/history"), 303)
    return its.pages.render(
        request,
        "drill/delete.html",
        title=f"Delete all sound: {usage.words}?",
        address=url_for(request)("drill/history/delete"),
        back=url_for(request)("drill/history"),
        lead=words.delete_all_words(len(unrated)),
    )


@router.post("/history/delete")
def delete_all(request: Request, its: Its, learner: Current) -> Response:
    with its.db.write() as conn:
        gone = recordings.forget_all(conn, learner, its.clock())
    for recording in gone:
        recordings.files(its.settings).delete(recording)
    return RedirectResponse(url_for(request)("drill/history"), 303)


def _left(request: Request, recording: Recording, take: TakeId | None) -> str:
    """Where one came from: the take, or the page that lists the recording, which is the drill until it is rated."""
    url = url_for(request)
    if take is not None:
        return url(f"drill/{recording.card_id}/takes/{take}")
    return url("drill/history", card=recording.card_id) if recording.rated else url("drill")

"""What the browser sends while somebody speaks, and what it plays afterwards."""

from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, Path, Query, Request, UploadFile
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse, Response

from app.accounts.service import Current
from app.drill import attempt as attempts
from app.drill.recording import service as recordings
from app.drill.recording import taking
from app.drill.recording.audio_files import Gap
from app.drill.recording.sound import MOST_BYTES, Lost
from app.study.scheduling import CardId
from app.web.api import Its
from app.web.errors import Invalid
from app.web.templating import url_for

router = APIRouter(prefix="/drill", include_in_schema=False)

LARGEST = 2**63 - 1
MOST_UPLOAD = MOST_BYTES + 2**20  # a form's own words come on top
Signed = Annotated[str, Query(alias="take")]
RecordingPath = Annotated[int, Path(ge=1, le=LARGEST)]


async def _body(request: Request) -> bytes:
    return await request.body()


@router.post("/{card_id}/sound")
def add_sound(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take: Signed,
    offset: Annotated[int, Query(ge=0, le=MOST_BYTES)],
    piece: Annotated[bytes, Depends(_body)],
) -> Response:
    """Some more of a take's sound, from byte `offset` on. It answers with the bytes that there are; 409 at a gap."""
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    kind = recordings.type_of(request.headers.get("content-type", ""), piece, offset)
    try:
        size = taking.add(its, learner, attempt, kind, offset, piece)
    except Gap as gap:
        return JSONResponse({"size": gap.size, "detail": str(gap)}, gap.status)
    return JSONResponse({"size": size})


@router.post("/{card_id}/sound/end")
def end_sound(
    its: Its, learner: Current, card_id: CardId, take: Signed, lost: Annotated[Lost, Form()] = ""
) -> Response:
    """No more comes. A repeat changes nothing, and so does the end of what never began."""
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    return JSONResponse({"size": taking.end(its, learner, attempt, lost)})


@router.post("/{card_id}/sound/file")
def whole_file(
    request: Request,
    its: Its,
    learner: Current,
    card_id: CardId,
    take: Annotated[str, Form()],
    file: Annotated[UploadFile, File()],
) -> Response:
    """A take that was recorded elsewhere, such as by a phone's own recorder: the way out where no page may listen."""
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    if (file.size or 0) > MOST_BYTES:
        raise Invalid(f"A recording takes at most {MOST_BYTES // 2**20} MB; choose a shorter one.")
    taking.add_file(its, learner, attempt, file.file)
    done = recordings.made_elsewhere(attempt)
    path = url_for(request)(f"drill/{card_id}/review", take=attempts.sign(its.signer, done))
    return RedirectResponse(path, 303)


@router.get("/sound/{recording_id}")
def play(its: Its, learner: Current, recording_id: RecordingPath) -> Response:
    """The bytes, for their owner; a player may ask for any part of them."""
    with its.db.read() as conn:
        recording = recordings.by_id(conn, learner, recording_id)
    return FileResponse(
        recordings.place(its.settings, recording),
        media_type=recording.mime,
        filename=f"take-{recording.name}",
        content_disposition_type="inline",
        headers={"Cache-Control": "private, no-store"},
    )


@router.post("/sound/{recording_id}/review")
def go_on(request: Request, its: Its, learner: Current, recording_id: RecordingPath) -> Response:
    """The review of a take that was cut off, which ends it: with what there is of it."""
    attempt = taking.resume(its, learner, recording_id)
    path = url_for(request)(f"drill/{attempt.card_id}/review", take=attempts.sign(its.signer, attempt))
    return RedirectResponse(path, 303)

"""What the browser sends while somebody speaks, and what it plays afterwards."""

from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, Path, Query, Request, UploadFile
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse, Response

from app.accounts.learner import Learner
from app.accounts.service import Current
from app.drill import attempt as attempts
from app.drill import recordings, service
from app.drill.attempt import Attempt
from app.drill.audio_files import Gap
from app.drill.sound import HEAD, MOST_BYTES, Lost, Recording, SoundType
from app.study.scheduling import CardId
from app.web.api import Its
from app.web.errors import Conflict, Invalid
from app.web.parts import Parts
from app.web.templating import url_for

router = APIRouter(prefix="/drill", include_in_schema=False)

LARGEST = 2**63 - 1
MOST_UPLOAD = MOST_BYTES + 2**20  # a form's own words come on top
PIECE = 2**20
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
        recording = _recording(its, learner, attempt, kind, offset)
        size = recordings.files(its.settings).append(recording, offset, piece)
    except Gap as gap:
        return JSONResponse({"size": gap.size, "detail": str(gap)}, gap.status)
    return JSONResponse({"size": size})


@router.post("/{card_id}/sound/end")
def end_sound(
    its: Its, learner: Current, card_id: CardId, take: Signed, lost: Annotated[Lost, Form()] = ""
) -> Response:
    """No more comes. A repeat changes nothing, and so does the end of what never began."""
    attempt = attempts.read(its.signer, take, learner.id, card_id)
    return JSONResponse({"size": end_of(its, learner, attempt, lost)})


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
    kind = recordings.type_of_file(file.file.read(HEAD))
    recording = _recording(its, learner, attempt, kind, 0)
    file.file.seek(0)
    at = 0
    while piece := file.file.read(PIECE):
        at = recordings.files(its.settings).append(recording, at, piece)
    end_of(its, learner, attempt)
    done = recordings.made_elsewhere(attempt, its.clock())
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


@router.get("/sound/{recording_id}/review")
def go_on(request: Request, its: Its, learner: Current, recording_id: RecordingPath) -> Response:
    """The review of a take that was cut off, with what there is of it."""
    with its.db.read() as conn:
        recording = recordings.by_id(conn, learner, recording_id)
    attempt = recordings.resumed(recording, recordings.files(its.settings).written(recording))
    end_of(its, learner, attempt, "page")
    path = url_for(request)(f"drill/{recording.card_id}/review", take=attempts.sign(its.signer, attempt))
    return RedirectResponse(path, 303)


def end_of(its: Parts, learner: Learner, attempt: Attempt, lost: Lost = "") -> int:
    """End the attempt's recording, if it has one; the bytes that were kept."""
    there = recordings.files(its.settings)
    with its.db.read() as conn:
        recording = recordings.of_attempt(conn, learner, attempt.key)
    if recording is None:
        return 0
    size = there.settle(recording)
    if recording.open:
        with its.db.write() as conn:
            recordings.end(conn, learner, its.clock(), recording, size, lost)
    return size


def _recording(its: Parts, learner: Learner, attempt: Attempt, kind: SoundType, offset: int) -> Recording:
    """The attempt's recording, open for more of this type; made by its first bytes."""
    with its.db.read() as conn:
        found = recordings.of_attempt(conn, learner, attempt.key)
        if found is None and service.saved(conn, learner, attempt) is not None:
            raise Conflict("This take was rated already; start the next one to record it.")
    if found is None and offset:
        raise Gap(0)
    if found is None:
        with its.db.write() as conn:
            service.pitch(conn, learner, attempt.card_id)  # it is there
            found = recordings.begin(conn, learner, its.clock(), attempt, kind)
    return recordings.writable(found, kind)

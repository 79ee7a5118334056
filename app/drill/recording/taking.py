"""The sound of an attempt on its way to the disk: what touches a file, and in transactions of its own its row."""

from datetime import datetime
from typing import BinaryIO

from app.accounts.learner import Learner
from app.drill import service
from app.drill.attempt import Attempt
from app.drill.hearing.ordering import have_heard
from app.drill.recording import service as recordings
from app.drill.recording.audio_files import Gap, Mixed
from app.drill.recording.sound import HEAD, Lost, Recording, SoundType
from app.web.errors import Conflict, Problem
from app.web.parts import Parts

PIECE = 2**20


def add(its: Parts, learner: Learner, attempt: Attempt, kind: SoundType, offset: int, piece: bytes) -> int:
    """Some more of its sound, from byte `offset` on; the bytes that there are then.

    Raises Gap where what comes before is missing, Conflict once the recording has ended or where another page makes it.
    """
    recording = _open(its, learner, attempt, kind, offset)
    return recordings.files(its.settings).append(recording, offset, piece)


def add_file(its: Parts, learner: Learner, attempt: Attempt, file: BinaryIO) -> None:
    """A whole recording that was made elsewhere, and its end: all of it, or nothing.

    Raises Invalid for what is none, Conflict for an attempt that has a recording.
    """
    kind = recordings.type_of_file(file.read(HEAD))
    with its.db.read() as conn:
        if recordings.of_attempt(conn, learner, attempt.key) is not None:
            raise Conflict("This take has a recording already; start it again to add a file instead.")
    recording = _open(its, learner, attempt, kind, 0)
    there = recordings.files(its.settings)
    file.seek(0)
    at = 0
    try:
        while piece := file.read(PIECE):
            at = there.append(recording, at, piece)
    except Mixed:
        raise  # the file that is there came with another request, which goes on
    except Problem:
        there.delete(recording)
        with its.db.write() as conn:
            recordings.take_back(conn, recording)
        raise
    end(its, learner, attempt)


def end(its: Parts, learner: Learner, attempt: Attempt, lost: Lost = "") -> int:
    """No more comes: it is to be heard now. The bytes that were kept; 0 where nothing was recorded.

    A repeat changes nothing.
    """
    with its.db.read() as conn:
        recording = recordings.of_attempt(conn, learner, attempt.key)
    if recording is None:
        return 0
    now = its.clock()
    last = recordings.files(its.settings).written(recording) or now
    return _end(its, learner, recording, min(now, last) if lost == "page" else now, lost)


def resume(its: Parts, learner: Learner, recording_id: int) -> Attempt:
    """The attempt of a recording that was cut off, which ends with it. Raises NotFound, Conflict once it is rated."""
    with its.db.read() as conn:
        recording = recordings.by_id(conn, learner, recording_id)
    if recording.rated:
        raise Conflict("This take was rated meanwhile; its card's history has it.")
    last = recordings.files(its.settings).written(recording) or recording.started_at
    _end(its, learner, recording, last, "page")
    return recordings.resumed(recording, last)


def close_abandoned(its: Parts) -> None:
    """End what nobody has sent anything for in longer than a recording may last: its page is gone."""
    there = recordings.files(its.settings)
    with its.db.read() as conn:
        begun = recordings.going_on(conn)
    for recording in begun:
        last = there.written(recording) or recording.started_at
        if recordings.abandoned(last, its.clock()):
            size = there.settle(recording)
            with its.db.write() as conn:
                recordings.close(conn, recording, last, size)


def _end(its: Parts, learner: Learner, recording: Recording, at: datetime, lost: Lost) -> int:
    """One of which nothing could be kept, as on a full disk, is none: its take is a quiet one."""
    size = recordings.files(its.settings).settle(recording)
    if recording.open:
        with its.db.write() as conn:
            if size:
                recordings.end(conn, learner, at, recording, size, lost)
            else:
                recordings.take_back(conn, recording)
        if size:
            have_heard(its, learner, recording.id)
    return size


def _open(its: Parts, learner: Learner, attempt: Attempt, kind: SoundType, offset: int) -> Recording:
    """The attempt's recording, open for more of this type; made by its first bytes."""
    with its.db.read() as conn:
        found = recordings.of_attempt(conn, learner, attempt.key)
        if found is None and service.saved(conn, learner, attempt) is not None:
            raise Conflict("This take was rated already; start the next one to record it.")
    if found is None and offset:
        raise Gap(0)
    if found is None:
        with its.db.write() as conn:
            service.expect_card(conn, learner, attempt.card_id)
            there = recordings.files(its.settings)
            found = recordings.begin(conn, learner, its.clock(), attempt, kind, there)
    return recordings.writable(found, kind, its.clock())

"""SQL of what was heard in recordings, and of the jobs that hear."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, case, func, literal_column, or_, select, update
from sqlalchemy.dialects.sqlite import insert

from app.accounts.learner import LearnerId
from app.db.tables import hearing, job, recording, take
from app.drill.hearing.heard import Hearing
from app.drill.pitch import TakeId
from app.drill.recording.sound import RecordingId
from app.drill.scoring.transcript import Word
from app.jobs.lanes import SPEECH
from app.jobs.port import JobId
from app.jobs.states import State as JobState
from app.study.scheduling import CardId

KIND = "speech"
_LOST = "This recording was to be written down, and the order for it is gone."


def of(conn: Connection, learner_id: LearnerId, recording_id: RecordingId) -> Hearing | None:
    """How hearing a recording stands; None: nobody was asked to."""
    query: Select[Any] = (
        select(
            *hearing.c,
            job.c.state,
            job.c.progress,
            job.c.message,
            job.c.created_at,
            job.c.cancel,
            literal_column("job.rowid").label("turn"),
        )
        .join(recording, recording.c.id == hearing.c.recording_id)
        .outerjoin(job, job.c.id == hearing.c.job_id)
        .where(recording.c.learner_id == learner_id, recording.c.id == recording_id)
    )
    row = conn.execute(query).one_or_none()
    return None if row is None else _hearing(row, _place(conn, row))


def expect(conn: Connection, recording_id: RecordingId, job_id: JobId) -> None:
    """Note the job that is to hear a recording."""
    row = insert(hearing).values(recording_id=recording_id, job_id=job_id)
    conn.execute(row.on_conflict_do_update(index_elements=["recording_id"], set_={"job_id": job_id}))


def sent_away(conn: Connection, learner_id: LearnerId) -> tuple[tuple[JobId, str], ...]:
    """Sound of the learner that is on its way to endpoints: each job, and the endpoint as `provider` has it."""
    is_open = job.c.state.in_((JobState.QUEUED, JobState.RUNNING))
    query = select(job.c.id, job.c.payload).where(
        is_open, job.c.lane == SPEECH, job.c.learner_id == learner_id
    )
    found = ((JobId(row.id), str(row.payload.get("provider", ""))) for row in conn.execute(query))
    return tuple((job_id, provider) for job_id, provider in found if provider.startswith("endpoint:"))


def keep(
    conn: Connection,
    learner_id: LearnerId,
    recording_id: RecordingId,
    job_id: JobId,
    body: Mapping[str, Any],
    now: datetime,
) -> bool:
    """Keep what a job heard; False where there is no such recording of the learner's."""
    if recording_of(conn, learner_id, recording_id) is None:
        return False
    told = {name: body[name] for name in ("provider", "model", "ms", "words", "speech", "peaks")}
    heard = {"job_id": job_id, "at": now, **told}
    row = insert(hearing).values(recording_id=recording_id, **heard)
    conn.execute(row.on_conflict_do_update(index_elements=["recording_id"], set_=heard))
    return True


def recording_of(conn: Connection, learner_id: LearnerId, recording_id: RecordingId) -> CardId | None:
    """The card that a recording of the learner's is of."""
    mine = (recording.c.learner_id == learner_id, recording.c.id == recording_id)
    found = conn.scalar(select(recording.c.card_id).where(*mine))
    return None if found is None else CardId(found)


def correct(conn: Connection, recording_id: RecordingId, text: str | None) -> None:
    conn.execute(update(hearing).where(hearing.c.recording_id == recording_id).values(edited=text))


def takes_of(conn: Connection, recording_id: RecordingId) -> list[TakeId]:
    """Takes that were rated, with this recording: more than one after an undo."""
    return [
        TakeId(found) for found in conn.scalars(select(take.c.id).where(take.c.recording_id == recording_id))
    ]


def fill_take(
    conn: Connection, take_id: TakeId, text: str, pace: Mapping[str, Any], marks: Mapping[str, str]
) -> None:
    """What was heard, and the length of a take that no clock had measured."""
    spoken_ms = case((take.c.spoken_ms == 0, pace["ms"]), else_=take.c.spoken_ms)
    heard = {"text": text, "pace": dict(pace), "marks": dict(marks), "spoken_ms": spoken_ms}
    conn.execute(update(take).where(take.c.id == take_id).values(**heard))


def _place(conn: Connection, row: Row[Any]) -> int:
    """How many recordings wait before this one."""
    if row.state != JobState.QUEUED:
        return 0
    earlier = or_(
        job.c.created_at < row.created_at,
        (job.c.created_at == row.created_at) & (literal_column("job.rowid") < row.turn),
    )
    query = select(func.count()).where(job.c.state == JobState.QUEUED, job.c.kind == KIND, earlier)
    return conn.scalar(query) or 0


def _hearing(row: Row[Any], place: int) -> Hearing:
    state, message = _state(row)
    return Hearing(
        recording_id=RecordingId(row.recording_id),
        job_id=JobId(row.job_id),
        state=state,
        progress=row.progress or 0.0,
        message=message,
        place=place,
        provider=row.provider,
        model=row.model,
        ms=row.ms or 0,
        words=tuple(Word(*word) for word in row.words or ()),
        speech=tuple((start, end) for start, end in row.speech or ()),
        peaks=tuple(row.peaks or ()),
        edited=row.edited,
    )


def _state(row: Row[Any]) -> tuple[Any, str]:
    """Where it stands: an open job first, since it was asked for last; then what is there; then why nothing is."""
    if row.state == JobState.QUEUED:
        return "waiting", row.message
    if row.state == JobState.RUNNING:
        return "running", "It is being cancelled." if row.cancel else row.message
    if row.words is not None:
        return "heard", ""
    return "failed", row.message or _LOST

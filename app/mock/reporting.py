"""The report of an interview: what became of each question, what is to be looked at again, what is still unheard."""

from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import service as drill
from app.drill.pitch import Pitch
from app.drill.recording import service as recordings
from app.drill.recording.sound import Recording, RecordingId
from app.drill.said import service as said
from app.drill.said.service import Said
from app.drill.scoring.pace import Pace
from app.drill.scoring.transcript import Transcript
from app.mock import service
from app.mock.interview import Asked, Sitting
from app.mock.report import Line, to_review
from app.study import changes
from app.study.aloud import Put
from app.web.errors import NotFound


def lines(conn: Connection, learner: Learner, interview: Sitting) -> tuple[Line, ...]:
    """What became of each question."""
    return tuple(_line(conn, learner, asked) for asked in interview.asked)


def call(conn: Connection, learner: Learner, now: datetime, interview: int) -> int:
    """Put what is to be looked at again into today's queue; how many cards that moved."""
    found = service.sitting(conn, learner, interview)
    ids = to_review(lines(conn, learner, found))
    return sum(changes.call(conn, learner, now, card_id) for card_id in ids)


def unheard(conn: Connection, learner: Learner, interview: int) -> tuple[RecordingId, ...]:
    """What was recorded in it, is kept, and was not written down."""
    found = lines(conn, learner, service.sitting(conn, learner, interview))
    return tuple(line.recording.id for line in found if line.unheard and line.recording)


def sound(conn: Connection, learner: Learner, interview: int, position: int) -> Recording:
    """What was recorded of the answer at `position`. Raises NotFound, also where it was deleted."""
    for asked in service.sitting(conn, learner, interview).asked:
        found = recordings.of_attempt(conn, learner, asked.attempt.key)
        if asked.turn.position == position and found is not None and found.deleted_at is None:
            return found
    raise NotFound(
        "There is no sound of this answer; it may have been deleted.",
        ((f"mock/{interview}/report", "To the report"),),
    )


def told(conn: Connection, learner: Learner, asked: Asked) -> Said:
    """What was said, or typed, to a question."""
    if asked.attempt.typed:
        return Said(typed=True, transcript=Transcript.of_text(asked.text))
    return said.of_attempt(conn, learner, asked.attempt)


def words(asks: Pitch | Put) -> str:
    """What was asked, as plain text; of an estimate with the numbers that were drawn for it."""
    return asks.words if isinstance(asks, Pitch) else asks.face.words


def _line(conn: Connection, learner: Learner, asked: Asked) -> Line:
    answer = told(conn, learner, asked)
    take = drill.saved(conn, learner, asked.attempt) if asked.spoken else None
    pace = answer.pace or (Pace.of(take.pace) if take and take.pace else None)
    return Line(
        turn=asked.turn,
        words=words(service.content(conn, learner, asked)),
        spoken=asked.spoken,
        spoken_ms=said.timed(asked.attempt, answer).spoken_ms,
        text=answer.text or (take.text or "" if take else ""),
        take=take,
        pace=pace,
        recording=answer.recording,
        waits=answer.hearing is not None and answer.hearing.open,
        undone=asked.undone,
    )

"""What was said in an attempt or a take: heard in its recording, or typed; with its marks and figures."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import cast

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import store
from app.drill.attempt import Attempt, again_of
from app.drill.hearing import service as hearing
from app.drill.hearing.heard import Hearing
from app.drill.keeping import Kept
from app.drill.pitch import Pitch, Point, Take
from app.drill.recording import store as store_recordings
from app.drill.recording.sound import Recording
from app.drill.said import store as store_drafts
from app.drill.scoring.pace import Pace
from app.drill.scoring.points import Heard, Mark, hear
from app.drill.scoring.transcript import Transcript

KEPT = timedelta(days=30)  # of what was typed and never rated


@dataclass(frozen=True, slots=True)
class Said:
    """`transcript` is None where nothing was heard, or not yet; `typed`: there is no voice to it."""

    typed: bool = False
    recording: Recording | None = None
    hearing: Hearing | None = None
    transcript: Transcript | None = None
    pace: Pace | None = None

    @property
    def text(self) -> str:
        return self.transcript.text if self.transcript else ""

    def marks(self, points: tuple[Point, ...]) -> tuple[Heard, ...]:
        """What became of each point; none where nothing can be told."""
        return hear(points, self.transcript) if self.transcript else ()


def of_attempt(conn: Connection, learner: Learner, attempt: Attempt) -> Said:
    """Of an attempt that is not rated. One that rates an undone take anew has what that has, unless changed."""
    draft = store_drafts.of(conn, learner.id, attempt.key) if attempt.typed else None
    first = again_of(attempt.key)
    if first is not None and draft is None:
        take = store.take_by_id(conn, learner.id, first)
        return Said() if take is None else of_take(conn, learner, take)
    if attempt.typed:
        return Said(typed=True, transcript=Transcript.of_text(draft or ""))
    recording = store_recordings.by_key(conn, learner.id, attempt.key)
    return Said() if recording is None else _of_recording(conn, learner, recording)


def timed(attempt: Attempt, said: Said) -> Attempt:
    """The attempt with the length of its sound, where that was measured and no page's clock tells better."""
    known = said.hearing.ms if attempt.untimed and said.hearing else 0
    return replace(attempt, spoken_ms=known) if known else attempt


def of_take(conn: Connection, learner: Learner, take: Take) -> Said:
    """Of a take, as it was kept; where that was before anything was heard, as it is now."""
    if take.recording_id is None:
        return Said() if take.text is None else Said(typed=True, transcript=Transcript.of_text(take.text))
    recording = store_recordings.by_id(conn, learner.id, take.recording_id)
    return Said() if recording is None else _of_recording(conn, learner, recording)


def _of_recording(conn: Connection, learner: Learner, recording: Recording) -> Said:
    found = hearing.of(conn, learner, recording.id)
    if found is None or found.state != "heard":
        return Said(recording=recording, hearing=found)
    return Said(recording=recording, hearing=found, transcript=found.transcript, pace=found.pace)


def kept(said: Said, points: tuple[Point, ...]) -> Kept:
    known = said.transcript is not None
    return Kept(
        recording=said.recording,
        text=said.text if known else None,
        pace=said.pace,
        marks={heard.point: heard.mark for heard in said.marks(points)} if known else None,
    )


def marks_of(take: Take, pitch: Pitch, said: Said) -> tuple[Heard, ...]:
    """The marks as they were shown when the take was rated; where the words are found today comes with them."""
    found = {heard.point: heard for heard in said.marks(pitch.points)}
    if take.marks is None:
        return tuple(found.values())
    return tuple(
        found[point] if point in found and found[point].mark == mark else Heard(point, cast(Mark, mark))
        for point, mark in take.marks.items()
    )


def correct(conn: Connection, learner: Learner, attempt: Attempt, text: str, now: datetime) -> None:
    """Keep the learner's version of what they said or typed. Raises Invalid for one that is too long."""
    if attempt.typed:
        draft(conn, learner, attempt, text, now)
        return
    said = of_attempt(conn, learner, attempt)
    if said.recording:
        hearing.correct(conn, learner, said.recording.id, text)


def draft(conn: Connection, learner: Learner, attempt: Attempt, text: str, now: datetime) -> None:
    """Keep what is typed, so that neither a reload nor the Back button loses it. Raises Invalid."""
    store_drafts.keep(conn, learner.id, attempt.key, hearing.checked(text), now)
    store_drafts.forget(conn, learner.id, now - KEPT)


def drafted(conn: Connection, learner: Learner, attempt: Attempt) -> str:
    return store_drafts.of(conn, learner.id, attempt.key) or ""

"""Recordings of takes that were never rated: shown above the drill's list, so that none is lost with its tab."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import service, words
from app.drill.hearing import service as hearing
from app.drill.recording import service as recordings
from app.drill.recording.sound import Recording, seconds
from app.settings import Settings

STILL_GOING_S = 60  # without a byte; a browser that records sends some each second


@dataclass(frozen=True, slots=True)
class CutOff:
    recording_id: int
    title: str
    words: str


def cut_off(conn: Connection, learner: Learner, settings: Settings, now: datetime) -> tuple[CutOff, ...]:
    """Newest first; what another page records at this moment is not among them."""
    there = recordings.files(settings)
    last = {recording: there.written(recording) for recording in recordings.unfinished(conn, learner)}
    return tuple(
        CutOff(
            recording.id,
            service.pitch(conn, learner, recording.card_id).words,
            _words(recording, _seconds(conn, learner, recording, last), learner, now),
        )
        for recording in last
        if not recording.open or _quiet_s(recording, last, now) > STILL_GOING_S
    )


def _quiet_s(recording: Recording, last: Mapping[Recording, datetime | None], now: datetime) -> float:
    return (now - (last[recording] or recording.started_at)).total_seconds()


def _seconds(
    conn: Connection, learner: Learner, recording: Recording, last: Mapping[Recording, datetime | None]
) -> int:
    """How long it is: as it was heard, or else about."""
    heard = hearing.of(conn, learner, recording.id)
    return round(heard.ms / 1000) if heard and heard.ms else seconds(recording, last[recording])


def _words(recording: Recording, length: int, learner: Learner, now: datetime) -> str:
    """ "Yesterday, 42 s: cut off when its page was left." """
    why = "cut off when its page was left"
    if recording.lost == "microphone":
        why = "cut off when the microphone was lost"
    elif not recording.open and not recording.lost:
        why = "said to the end, and not rated"
    ago = words.ago_words(learner.day(recording.started_at), learner.day(now))
    return f"{ago[0].upper()}{ago[1:]}{f', {length} s' if length else ''}: {why}."

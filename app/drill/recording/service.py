"""Recordings of takes: begun with their first bytes, ended once, found again by the attempt, deleted on request.

A chunk touches the file alone, so nothing is written to the database for each second of speech.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import attempt as attempts
from app.drill.attempt import Attempt
from app.drill.recording import store
from app.drill.recording.audio_files import AudioFiles
from app.drill.recording.sound import (
    LONGEST_S,
    Lost,
    NotSound,
    Recording,
    RecordingId,
    SoundType,
    checked,
    named,
    seconds,
    sniffed,
)
from app.settings import Settings
from app.web.errors import Conflict, Invalid, NotFound

DRILL = (("drill", "To the drill"),)


@dataclass(frozen=True, slots=True)
class Usage:
    """What the learner's sound takes on the disk."""

    recordings: int
    size: int

    @property
    def words(self) -> str:
        """ "12 recordings, 34 MB" """
        count = f"{self.recordings} recording{'' if self.recordings == 1 else 's'}"
        return f"{count}, {self.size / 1e6:.1f} MB" if self.recordings else "No sound is kept"


def files(settings: Settings) -> AudioFiles:
    return AudioFiles(settings.data / "audio")


def of_attempt(conn: Connection, learner: Learner, key: str) -> Recording | None:
    return store.by_key(conn, learner.id, key)


def by_id(conn: Connection, learner: Learner, recording_id: int) -> Recording:
    """The learner's recording. Raises NotFound, also where its sound was deleted."""
    found = store.by_id(conn, learner.id, RecordingId(recording_id))
    if found is None or found.deleted_at is not None:
        raise NotFound("There is no such recording; it may have been deleted.", DRILL)
    return found


def type_of(content_type: str, piece: bytes, offset: int) -> SoundType:
    """What is sent, by its name and, where it is the beginning, by its bytes. Raises Invalid."""
    try:
        kind = named(content_type)
        return checked(kind, piece) if offset == 0 else kind
    except NotSound as why:
        raise Invalid(str(why)) from None


def type_of_file(head: bytes) -> SoundType:
    """Raises Invalid."""
    try:
        return sniffed(head)
    except NotSound as why:
        raise Invalid(str(why)) from None


def begin(
    conn: Connection, learner: Learner, now: datetime, attempt: Attempt, kind: SoundType, there: AudioFiles
) -> Recording:
    """The attempt's recording; made where there is none. Raises NotFound for a card that is not there.

    Sound that is on the disk already is another take's, of a database that was replaced by an older copy.
    """
    found = store.by_key(conn, learner.id, attempt.key)
    if found is None:
        store.add(conn, learner.id, attempt.card_id, attempt.key, kind.mime, now, there.last())
        found = store.by_key(conn, learner.id, attempt.key)
    assert found is not None
    return found


def writable(recording: Recording, kind: SoundType, now: datetime) -> Recording:
    """Itself, if more may be added to it. Raises Conflict, or Invalid once it lasts too long."""
    if not recording.open:
        raise Conflict("This recording has ended; start the take again to record another.")
    if recording.mime != kind.mime:
        raise Conflict(f"This recording is {recording.mime}, begun elsewhere; start the take again.")
    if (now - recording.started_at).total_seconds() > LONGEST_S:
        raise Invalid(f"A recording lasts {LONGEST_S // 3600} hours at most; what came until then is kept.")
    return recording


def end(
    conn: Connection, learner: Learner, now: datetime, recording: Recording, size: int, lost: Lost = ""
) -> Recording:
    """It has ended, with `size` bytes; the first end counts."""
    store.end(conn, recording.id, now, size, lost)
    found = store.by_id(conn, learner.id, recording.id)
    assert found is not None
    return found


def discard(conn: Connection, learner: Learner, now: datetime, key: str) -> Recording | None:
    """The sound of an attempt that is begun anew, or given up, is to go, as `forget`; None: there is none that may.

    What was rated meanwhile, on another page, stays.
    """
    found = store.by_key(conn, learner.id, key)
    if found is None or found.rated or found.deleted_at is not None:
        return None
    store.forget(conn, (found.id,), now)
    return found


def going_on(conn: Connection) -> tuple[Recording, ...]:
    """Everybody's that have not ended."""
    return tuple(recording for recording in store.of_everybody(conn) if recording.open)


def abandoned(last: datetime, now: datetime) -> bool:
    """Whether nothing has come since `last`, which is longer ago than a recording may last."""
    return (now - last).total_seconds() > LONGEST_S


def close(conn: Connection, recording: Recording, last: datetime, size: int) -> None:
    """It ended at `last`, when its page went."""
    store.end(conn, recording.id, last, size, "page")


def take_back(conn: Connection, recording: Recording) -> None:
    """It never was: its file could not be kept."""
    store.remove(conn, recording.id)


def unfinished(conn: Connection, learner: Learner) -> tuple[Recording, ...]:
    """Sound of takes that never were rated, newest first: the tab was closed, or the machine went down."""
    return tuple(store.unrated(conn, learner.id))


def resumed(recording: Recording, last: datetime | None) -> Attempt:
    """The attempt that an unfinished recording belongs to, as far as it went, to be reviewed."""
    return Attempt(
        recording.learner_id,
        recording.card_id,
        recording.key,
        started_at=recording.started_at,
        spoken_ms=min(1000 * seconds(recording, last), attempts.DAY_MS),
        interrupted=True,
        untimed=True,
    )


def made_elsewhere(attempt: Attempt) -> Attempt:
    """The attempt, to be reviewed with a recording that its own clock knows nothing of."""
    return attempt if attempt.state == "review" else replace(attempt, spoken_ms=0, untimed=True)


def usage(conn: Connection, learner: Learner, settings: Settings) -> Usage:
    kept = store.of_learner(conn, learner.id)
    there = files(settings)
    return Usage(len(kept), sum(there.size(recording) for recording in kept))


def forget(conn: Connection, learner: Learner, now: datetime, recording_id: int) -> Recording:
    """Its sound is to go: the row says so, and the caller deletes the file after the commit. Raises NotFound."""
    found = by_id(conn, learner, recording_id)
    store.forget(conn, (found.id,), now)
    return found


def forget_all(conn: Connection, learner: Learner, now: datetime) -> tuple[Recording, ...]:
    """All of the learner's sound is to go; as `forget`."""
    found = tuple(store.of_learner(conn, learner.id))
    store.forget(conn, [recording.id for recording in found], now)
    return found


def too_old(conn: Connection, settings: Settings, now: datetime) -> tuple[Recording, ...]:
    """What the settings let go: older than they keep, then the oldest of each learner's until the rest fits.

    One that is still going on is left alone.
    """
    ended = [recording for recording in store.of_everybody(conn) if not recording.open]
    days, room = settings.keep_audio_days, settings.keep_audio_mb * 2**20
    before = now - timedelta(days=days)
    gone = [recording for recording in ended if days and recording.started_at < before]
    too_late = {recording.id for recording in gone}
    left = [recording for recording in ended if recording.id not in too_late]
    return (*gone, *(_beyond(left, files(settings), room) if room else ()))


def drop(conn: Connection, recordings: Sequence[Recording], now: datetime) -> None:
    store.forget(conn, [recording.id for recording in recordings], now)


def place(settings: Settings, recording: Recording) -> Path:
    """The file of a recording. Raises NotFound where it is gone."""
    path = files(settings).path(recording)
    if not path.is_file():
        raise NotFound("The sound of this take is no longer on the disk; its text and rating are.", DRILL)
    return path


def _beyond(recordings: Sequence[Recording], there: AudioFiles, room: int) -> list[Recording]:
    gone: list[Recording] = []
    used: dict[int, int] = {}
    for recording in reversed(recordings):  # the newest stay
        used[recording.learner_id] = used.get(recording.learner_id, 0) + there.size(recording)
        if used[recording.learner_id] > room:
            gone.append(recording)
    return gone

"""Speech to text: who hears a recording, the order for it, and what is kept of it.

The web side hears nothing itself: a job of the lane `speech` goes to a worker, which fetches the sound.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection

from app.accounts.learner import Learner, LearnerId
from app.accounts.preferences import preference
from app.drill import store
from app.drill.hearing import result as speech_result
from app.drill.hearing import store as store_hearing
from app.drill.hearing.heard import Hearing
from app.drill.recording import service as recordings
from app.drill.recording import store as store_recordings
from app.drill.recording.sound import RecordingId, patience_s
from app.drill.scoring.points import hear
from app.drill.scoring.spoken import plain
from app.jobs.kinds import Kind
from app.jobs.lanes import SPEECH
from app.jobs.port import Held, JobId, Jobs, Order, Output
from app.setting_rules import Endpoint
from app.settings import Settings
from app.web.errors import Invalid

PREFERENCE = "speech"
# Whisper leaves fillers out unless it is shown some, and knows the field's words better after it has seen them.
PROMPT = (
    "Um, uh, so the query, key, value, d_k, causal mask, softmax, KV cache, um, grouped-query attention, "
    "FlashAttention."
)
LANGUAGE = "en"
MOST_TEXT = 20_000
NO_WORKER = (
    "No worker here turns speech into text. To have one on this machine, start Aloud with make run SPEECH=1."
)
OFF = "Speech to text is off; the settings switch it on."


@dataclass(frozen=True, slots=True)
class Ears:
    """Who would hear a recording: `provider` is "" where nobody would, and `words` say why, or where the sound goes."""

    provider: str
    words: str


def ears(conn: Connection, learner: Learner, settings: Settings, *, hears: bool) -> Ears:
    """Who hears, by the learner's choice; `hears`: a worker with speech is here."""
    chosen = preference(conn, learner, PREFERENCE)
    if chosen == "none":
        return Ears("", OFF)
    name = chosen.removeprefix("endpoint:")
    if name != chosen:
        endpoint = settings.speech_endpoint(name)
        if endpoint is None:
            return Ears("", f"The endpoint {name} is no longer one that this server allows; choose another.")
        return Ears(chosen, f"The sound goes to {name} at {endpoint.url}, to be written down there.")
    if chosen != "embedded" and not hears:
        return Ears("", NO_WORKER)
    return Ears("embedded", "A worker of this server writes it down; the sound goes nowhere else.")


def sent_to(conn: Connection, learner: Learner, settings: Settings) -> Endpoint | None:
    """The endpoint that the learner's recordings go to; None: none, or one that is no longer allowed."""
    kind, _, name = preference(conn, learner, PREFERENCE).partition(":")
    return settings.speech_endpoint(name) if kind == "endpoint" else None


def withdrawn(conn: Connection, learner: Learner) -> tuple[JobId, ...]:
    """The jobs that would send sound to an endpoint that is not, or no longer, the one that the learner chose."""
    chosen = preference(conn, learner, PREFERENCE)
    return tuple(job for job, provider in store_hearing.sent_away(conn, learner.id) if provider != chosen)


def order(
    jobs: Jobs,
    settings: Settings,
    learner: Learner,
    recording_id: RecordingId,
    provider: str,
    after: str = "",
    length_s: float = 0,
) -> JobId:
    """Have a recording heard that plays for about `length_s`.

    `after` is the job that was to hear it before: asked twice, it is one new job.
    """
    payload = {
        "recording": recording_id,
        "learner": learner.id,
        "provider": provider,
        "prompt": PROMPT,
        "language": LANGUAGE,
    }
    return jobs.submit(
        Order(
            kind=store_hearing.KIND,
            lane=SPEECH,
            learner=learner.id,
            payload=payload,
            params_hash=hashlib.sha256(json.dumps(payload).encode()).hexdigest(),
            code_hash="",
            deadline_s=patience_s(settings.speech_deadline_s, length_s),
            key=f"speech:{recording_id}:{after}:{provider}",
            always=True,
        )
    )


def expect(conn: Connection, recording_id: RecordingId, job_id: JobId) -> None:
    """Note that this job is to hear the recording."""
    store_hearing.expect(conn, recording_id, job_id)


def of(conn: Connection, learner: Learner, recording_id: RecordingId) -> Hearing | None:
    """How hearing a recording stands; None: nobody was asked to."""
    return store_hearing.of(conn, learner.id, recording_id)


def correct(conn: Connection, learner: Learner, recording_id: RecordingId, text: str) -> None:
    """Keep the learner's own version of what was heard, also with a take that was rated meanwhile. Raises Invalid."""
    found = of(conn, learner, recording_id)
    if found is None or found.state != "heard" or plain(text) == found.transcript.text:
        return
    store_hearing.correct(conn, recording_id, checked(text))
    _tell_takes(conn, learner.id, recording_id)


def checked(text: str) -> str:
    """A text that may be kept. Raises Invalid."""
    if len(text) > MOST_TEXT:
        raise Invalid(f"The text has {len(text):,} characters; {MOST_TEXT:,} are kept. Please shorten it.")
    return text.replace("\r\n", "\n")


def kind(settings: Settings) -> Kind:
    """The jobs that hear, for app/main.py."""

    def sound(conn: Connection, held: Held) -> Path | None:
        found = store_recordings.by_id(conn, held.learner, _recording(held))
        if found is None or found.deleted_at is not None:
            return None
        path = recordings.files(settings).path(found)
        return path if path.is_file() else None

    return Kind(store_hearing.KIND, speech_result.read, keep, sound)


def _recording(held: Held) -> RecordingId:
    return RecordingId(int(str(held.payload["recording"])))


def keep(conn: Connection, held: Held, output: Output, now: datetime) -> None:
    """Store what a worker heard, also with the takes that were rated before it came."""
    recording_id = _recording(held)
    body = speech_result.body(output)
    if store_hearing.keep(conn, held.learner, recording_id, held.id, body, now):
        _tell_takes(conn, held.learner, recording_id)


def _tell_takes(conn: Connection, learner_id: LearnerId, recording_id: RecordingId) -> None:
    """What is known of a recording now, to the takes that were rated before."""
    found = store_hearing.of(conn, learner_id, recording_id)
    card_id = store_hearing.recording_of(conn, learner_id, recording_id)
    pitch = None if card_id is None else store.pitch(conn, learner_id, card_id)
    rated = store_hearing.takes_of(conn, recording_id)
    if found is None or pitch is None or not rated:
        return
    marks = {heard.point: heard.mark for heard in hear(pitch.points, found.transcript)}
    for take_id in rated:
        store_hearing.fill_take(conn, take_id, found.transcript.text, found.pace.body(), marks)

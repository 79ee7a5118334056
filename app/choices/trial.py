""" "Say a sentence": a few seconds of sound are heard the way a take would be, so that a learner knows it works.

The sound belongs to no card and to no take. It is one file, replaced by the next trial and deleted once it was heard,
whether or not anybody looks at what was heard (app/choices/tidying.py).
"""

import json
import os
import threading
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.accounts.preferences import choose, preference
from app.choices import store
from app.drill.hearing import result as speech_result
from app.drill.hearing import service as hearing
from app.drill.hearing.service import Ears
from app.drill.recording import service as recordings
from app.drill.recording.sound import HEAD
from app.jobs.kinds import Kind
from app.jobs.lanes import SPEECH
from app.jobs.port import Held, Job, JobId, Jobs, Order
from app.jobs.service import jobs as jobs_of
from app.jobs.states import State
from app.settings import Settings, own_folder
from app.web.errors import Invalid, NotFound
from app.web.parts import Parts

KIND = store.KIND
PREFERENCE = "speech-trial"  # holds the newest job's id
MOST_BYTES = 1_500_000  # a minute of sound, whatever records it

NEWS = timedelta(hours=1)  # for which it is told how a trial went

_LOCK = threading.Lock()  # so that a file that was just written is not taken for one of an earlier trial


@dataclass(frozen=True, slots=True)
class Trial:
    """How the newest trial stands; `heard` is its text, once one was heard: "" for silence."""

    job: Job
    heard: str | None
    model: str

    @property
    def seconds(self) -> float | None:
        """How long the worker took."""
        begun, ended = self.job.started_at, self.job.finished_at
        return (ended - begun).total_seconds() if begun and ended else None


def kind(settings: Settings) -> Kind:
    """The jobs of trials, for app/main.py."""

    def sound(_: Connection, held: Held) -> Path:
        return _place(settings, held.learner)

    return Kind(KIND, speech_result.read, store.keep, sound)


def ears(conn: Connection, its: Parts, learner: Learner) -> Ears:
    """Who would hear a trial: whoever would hear a take."""
    return hearing.ears(conn, learner, its.settings, hears=its.workers.view().hears)


def begin(its: Parts, learner: Learner, sound: bytes) -> None:
    """Have it heard by whom the learner chose. Raises Invalid where nobody would, or where it is no sound."""
    if len(sound) > MOST_BYTES:
        raise Invalid("That is more than a sentence; record about five seconds.")
    recordings.type_of_file(sound[:HEAD])
    with its.db.read() as conn:
        by = ears(conn, its, learner)
    if not by.provider:
        raise Invalid(by.words)
    leave(its, learner)
    with _LOCK:
        _write(_place(its.settings, learner.id), sound)
        job_id = jobs_of(its).submit(_order(its.settings, learner, by.provider, sound))
    with its.db.write() as conn:
        choose(conn, learner, PREFERENCE, job_id)


def standing(its: Parts, learner: Learner) -> Trial | None:
    """The newest trial; None: there was none of late. The sound of one that has ended is gone by then."""
    job = _newest(its, learner, jobs_of(its))
    if job is None:
        return None
    if job.state.final:
        tidy(its)
    if job.finished_at and its.clock() - job.finished_at > NEWS:
        return None
    with its.db.read() as conn:
        body = store.heard(conn, learner.id, job.id) if job.state is State.DONE else None
    told = {} if body is None else json.loads(body)
    text = None if body is None else " ".join(word for _, _, word in told["words"])
    return Trial(job, text, told.get("model", ""))


def tidy(its: Parts) -> None:
    """Delete the sound of trials that have ended."""
    with _LOCK:
        there = list(_folder(its.settings).glob("*"))
        if not there:
            return
        with its.db.read() as conn:
            waiting = store.waiting(conn)
        for path in there:
            if path.name not in map(str, waiting):
                path.unlink(missing_ok=True)


def leave(its: Parts, learner: Learner) -> None:
    """End a trial that is open."""
    port = jobs_of(its)
    job = _newest(its, learner, port)
    if job is not None and not job.state.final:
        port.cancel(job.id, learner.id)


def _newest(its: Parts, learner: Learner, port: Jobs) -> Job | None:
    with its.db.read() as conn:
        job_id = preference(conn, learner, PREFERENCE)
    try:
        return port.get(JobId(job_id), learner.id) if job_id else None
    except NotFound:
        return None


def _order(settings: Settings, learner: Learner, provider: str, sound: bytes) -> Order:
    return Order(
        kind=KIND,
        lane=SPEECH,
        learner=learner.id,
        payload={"provider": provider, "prompt": hearing.PROMPT, "language": hearing.LANGUAGE},
        params_hash=sha256(sound).hexdigest(),
        code_hash="",
        deadline_s=settings.speech_deadline_s,
        always=True,
    )


def _place(settings: Settings, learner_id: int) -> Path:
    return _folder(settings) / str(learner_id)


def _folder(settings: Settings) -> Path:
    """Beside the sound of takes, not within it, where it would be a file of no recording."""
    return settings.data / "trials"


def _write(path: Path, sound: bytes) -> None:
    own_folder(path.parent)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(sound)

"""What a machine heard in a recording, and how that stands. Data only."""

from dataclasses import dataclass
from typing import Literal

from app.drill.recording.sound import RecordingId
from app.drill.scoring.pace import Pace, pace
from app.drill.scoring.transcript import Transcript, Word
from app.jobs.port import JobId

State = Literal["waiting", "running", "heard", "failed"]


@dataclass(frozen=True, slots=True)
class Hearing:
    """`progress` goes from 0 to 1, `place` counts the recordings before it, `edited` is the learner's own version.

    `job_id` is of the newest job that was to hear it; `words` are there once one has.
    """

    recording_id: RecordingId
    job_id: JobId
    state: State
    progress: float = 0.0
    message: str = ""
    place: int = 0
    provider: str = ""
    model: str = ""
    ms: int = 0
    words: tuple[Word, ...] = ()
    speech: tuple[tuple[int, int], ...] = ()
    peaks: tuple[int, ...] = ()
    edited: str | None = None

    @property
    def open(self) -> bool:
        """Whether it may still change by itself."""
        return self.state in ("waiting", "running")

    @property
    def silent(self) -> bool:
        """No voice was found in it."""
        return self.state == "heard" and not self.words and self.edited is None

    @property
    def transcript(self) -> Transcript:
        heard = Transcript.of_words(self.words)
        return heard if self.edited is None else heard.corrected(self.edited)

    @property
    def pace(self) -> Pace:
        return pace(self.transcript.text, self.speech, self.ms)

"""What a take keeps of what was said, beside its ticks. Data only."""

from dataclasses import dataclass

from app.drill.recording.sound import Recording
from app.drill.scoring.pace import Pace
from app.drill.scoring.points import Mark


@dataclass(frozen=True, slots=True)
class Kept:
    """`marks` by point; None where nothing was heard, or not yet."""

    recording: Recording | None = None
    text: str | None = None
    pace: Pace | None = None
    marks: dict[str, Mark] | None = None

"""What a take keeps of what was said, beside its ticks. Data only."""

from dataclasses import dataclass

from app.drill.pace import Pace
from app.drill.scoring import Mark
from app.drill.sound import Recording


@dataclass(frozen=True, slots=True)
class Kept:
    """`marks` by point; None where nothing was heard, or not yet."""

    recording: Recording | None = None
    text: str | None = None
    pace: Pace | None = None
    marks: dict[str, Mark] | None = None

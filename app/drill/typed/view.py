"""What the page for a typed answer is drawn from."""

from dataclasses import dataclass

from app.drill import shown
from app.drill.hearing.service import MOST_TEXT
from app.drill.pitch import Pitch
from app.drill.shown import Head
from app.drill.stages import StageShown, stages_at
from app.drill.timing import Face, face_at


@dataclass(frozen=True, slots=True)
class TypedView:
    """`face` is the clock as the page is drawn; `most`: characters that are kept."""

    head: Head
    take: str
    planned_s: int
    elapsed_ms: int
    face: Face
    stages: tuple[StageShown, ...]
    text: str
    most: int


def typed_view(pitch: Pitch, text: str, *, elapsed_ms: int, take: str) -> TypedView:
    return TypedView(
        head=shown.head(pitch),
        take=take,
        planned_s=pitch.planned_s,
        elapsed_ms=elapsed_ms,
        face=face_at(elapsed_ms, pitch.planned_s),
        stages=stages_at(elapsed_ms, pitch.stages),
        text=text,
        most=MOST_TEXT,
    )

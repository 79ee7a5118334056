"""All that a learner has said, as one zip: the sound, a text beside each, and takes.json with every figure.

audio/<card>-<take>.webm · text/<card>-<take>.txt · takes.json
"""

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any

from app.drill.audio_files import AudioFiles
from app.drill.pitch import Take
from app.drill.sound import Recording
from app.study.memory import Grade


@dataclass(frozen=True, slots=True)
class Spoken:
    """A take and, where its sound is kept, the recording. `question` is what was asked."""

    take: Take
    question: str
    recording: Recording | None


def write(out: IO[bytes], takes: Sequence[Spoken], files: AudioFiles) -> int:
    """Write the zip; the number of recordings in it. A recording whose file is gone is left out."""
    sounds = 0
    told: list[dict[str, Any]] = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for spoken in takes:
            name = f"{spoken.take.card_id}-{spoken.take.id}"
            sound = _add_sound(archive, spoken, files, name)
            sounds += bool(sound)
            if spoken.take.text:
                archive.writestr(f"text/{name}.txt", spoken.take.text + "\n")
            told.append(_told(spoken, sound))
        archive.writestr(
            "takes.json", json.dumps({"version": 1, "takes": told}, ensure_ascii=False, indent=1)
        )
    return sounds


def _add_sound(archive: zipfile.ZipFile, spoken: Spoken, files: AudioFiles, name: str) -> str:
    if spoken.recording is None:
        return ""
    path = files.path(spoken.recording)
    inside = f"audio/{name}{path.suffix}"
    try:
        archive.write(path, inside, zipfile.ZIP_STORED)  # it is compressed already
    except FileNotFoundError:
        return ""
    return inside


def _told(spoken: Spoken, sound: str) -> dict[str, Any]:
    take = spoken.take
    return {
        "take": take.id,
        "card": take.card_id,
        "question": spoken.question,
        "at": take.at.isoformat(),
        "planned_s": take.planned_s,
        "spoken_ms": take.spoken_ms,
        "grade": Grade(take.grade).word,
        "undone": take.undone,
        "points": [{"id": p.id, "text": p.text, "ticked": p.id in take.ticks} for p in take.points],
        "marks": take.marks,
        "pace": take.pace,
        "text": take.text,
        "notes_shown": take.notes_shown,
        "interrupted": take.interrupted,
        "sound": sound or None,
    }

"""All that a learner has said, as one zip: the sound, a text beside each, and takes.json with every figure.

audio/<card>-<take>.webm · text/<card>-<take>.txt · takes.json

It is made piece by piece, as it is sent: all sound may be more than the memory, or the disk, has room for.
"""

import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, cast

from app.drill.audio_files import AudioFiles
from app.drill.pitch import Take
from app.drill.sound import Recording
from app.study.memory import Grade

PIECE = 2**18


@dataclass(frozen=True, slots=True)
class Spoken:
    """A take and, where its sound is kept, the recording. `question` is what was asked."""

    take: Take
    question: str
    recording: Recording | None


class _Sink:
    """What the zip is written to, and taken from at once: it cannot be sought in."""

    def __init__(self) -> None:
        self._held = bytearray()

    def write(self, piece: bytes) -> int:
        self._held += piece
        return len(piece)

    def flush(self) -> None:
        """There is nothing behind it."""

    def taken(self) -> bytes:
        piece, self._held = bytes(self._held), bytearray()
        return piece


def pieces(takes: Sequence[Spoken], files: AudioFiles) -> Iterator[bytes]:
    """The zip's bytes. A recording whose file is gone is left out, and its take says so."""
    sink = _Sink()
    told: list[dict[str, Any]] = []
    with zipfile.ZipFile(cast("IO[bytes]", sink), "w", zipfile.ZIP_DEFLATED) as archive:
        for spoken in takes:
            name = f"{spoken.take.card_id}-{spoken.take.id}"
            sound = _sound(spoken, files, name)
            if sound and spoken.recording:
                for _ in _added(archive, sound, files, spoken.recording):
                    yield sink.taken()
            if spoken.take.text:
                archive.writestr(f"text/{name}.txt", spoken.take.text + "\n")
            told.append(_told(spoken, sound))
            yield sink.taken()
        whole = json.dumps({"version": 1, "takes": told}, ensure_ascii=False, indent=1)
        archive.writestr("takes.json", whole)
    yield sink.taken()


def _sound(spoken: Spoken, files: AudioFiles, name: str) -> str:
    """Its name in the archive; "" where there is no sound."""
    if spoken.recording is None or not files.path(spoken.recording).is_file():
        return ""
    return f"audio/{name}{files.path(spoken.recording).suffix}"


def _added(archive: zipfile.ZipFile, inside: str, files: AudioFiles, recording: Recording) -> Iterator[None]:
    """Add the sound a piece at a time, as it is: it is compressed already."""
    path = files.path(recording)
    with path.open("rb") as file, archive.open(zipfile.ZipInfo.from_file(path, inside), "w") as entry:
        while piece := file.read(PIECE):
            entry.write(piece)
            yield


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

"""All that a learner has said, as one zip: the sound, a text beside each, and takes.json with every figure.

audio/<card>-<take>.webm · text/<card>-<take>.txt · takes.json, and of what no take has <card>-recording-<number>

It is made piece by piece, as it is sent: all sound may be more than the memory, or the disk, has room for.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, cast

from app.drill.pitch import Take
from app.drill.recording.audio_files import AudioFiles
from app.drill.recording.sound import Recording
from app.study.memory import Grade

PIECE = 2**18


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was said once: a take and, where its sound is kept, the recording; or a recording that no take has.

    That is one which was never rated, or what was said in an interview to a card that is read; `text` and `pace` are of
    it. `question` is what was asked.
    """

    question: str
    recording: Recording | None
    take: Take | None = None
    text: str | None = None
    pace: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """Of its files."""
        if self.take is not None:
            return f"{self.take.card_id}-{self.take.id}"
        assert self.recording is not None
        return f"{self.recording.card_id}-recording-{self.recording.id}"

    @property
    def words(self) -> str | None:
        return self.take.text if self.take else self.text


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


def pieces(said: Sequence[Spoken], files: AudioFiles) -> Iterator[bytes]:
    """The zip's bytes. A recording whose file is gone is left out, and its take says so."""
    sink = _Sink()
    takes, recordings = list[dict[str, Any]](), list[dict[str, Any]]()
    with zipfile.ZipFile(cast("IO[bytes]", sink), "w", zipfile.ZIP_DEFLATED) as archive:
        for spoken in said:
            sound = _sound(spoken, files)
            if sound and spoken.recording:
                for _ in _added(archive, sound, files, spoken.recording):
                    yield sink.taken()
            if spoken.words:
                archive.writestr(f"text/{spoken.name}.txt", spoken.words + "\n")
            if spoken.take:
                takes.append(_told(spoken.take, spoken.question, sound))
            elif spoken.recording:
                recordings.append(_told_recording(spoken, spoken.recording, sound))
            yield sink.taken()
        whole = {"version": 1, "takes": takes, "recordings": recordings}
        archive.writestr("takes.json", json.dumps(whole, ensure_ascii=False, indent=1))
    yield sink.taken()


def _sound(spoken: Spoken, files: AudioFiles) -> str:
    """Its name in the archive; "" where there is no sound."""
    if spoken.recording is None or not files.path(spoken.recording).is_file():
        return ""
    return f"audio/{spoken.name}{files.path(spoken.recording).suffix}"


def _added(archive: zipfile.ZipFile, inside: str, files: AudioFiles, recording: Recording) -> Iterator[None]:
    """Add the sound a piece at a time, as it is: it is compressed already."""
    path = files.path(recording)
    with path.open("rb") as file, archive.open(zipfile.ZipInfo.from_file(path, inside), "w") as entry:
        while piece := file.read(PIECE):
            entry.write(piece)
            yield


def _told_recording(spoken: Spoken, recording: Recording, sound: str) -> dict[str, Any]:
    return {
        "recording": recording.id,
        "card": recording.card_id,
        "question": spoken.question,
        "at": recording.started_at.isoformat(),
        "pace": spoken.pace,
        "text": spoken.text,
        "sound": sound or None,
    }


def _told(take: Take, question: str, sound: str) -> dict[str, Any]:
    return {
        "take": take.id,
        "card": take.card_id,
        "question": question,
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

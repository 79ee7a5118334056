"""What may be kept as the sound of a take: its types, by name and by first bytes, and its limits. Pure."""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType

from app.accounts.learner import LearnerId
from app.study.scheduling import CardId

RecordingId = NewType("RecordingId", int)
Lost = Literal["", "microphone", "page"]

MOST_BYTES = 64 * 2**20
LONGEST_S = 2 * 3600
HEAD = 12  # bytes that tell a type


@dataclass(frozen=True, slots=True)
class SoundType:
    """A container that browsers record in. Its bytes have `sign` at `at`, and `inner` at 8 where others share that."""

    mime: str
    ending: str
    sign: bytes
    at: int = 0
    inner: bytes = b""

    def fits(self, head: bytes) -> bool:
        return head[self.at :].startswith(self.sign) and head[8:].startswith(self.inner)


TYPES = (
    SoundType("audio/webm", "webm", b"\x1a\x45\xdf\xa3"),  # EBML, RFC 8794
    SoundType("audio/mp4", "m4a", b"ftyp", at=4),  # ISO/IEC 14496-12, section 4.3
    SoundType("audio/ogg", "ogg", b"OggS"),  # RFC 3533
    SoundType("audio/wav", "wav", b"RIFF", inner=b"WAVE"),  # RIFF holds pictures and films, too
)
_ALIASES = {
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "audio/x-m4a": "audio/mp4",
    "audio/m4a": "audio/mp4",
    "video/webm": "audio/webm",
    "video/mp4": "audio/mp4",
    "application/ogg": "audio/ogg",
}


class NotSound(ValueError):
    """What was sent cannot be kept as a take's sound; the message is a sentence for the learner."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The sound of one attempt. `size` counts its bytes once it has ended; `lost` says why it ended early.

    `rated`: a take has it. One whose sound was deleted keeps its row, and what was heard in it.
    """

    id: RecordingId
    learner_id: LearnerId
    card_id: CardId
    key: str
    mime: str
    size: int
    started_at: datetime
    ended_at: datetime | None
    lost: Lost
    deleted_at: datetime | None
    rated: bool

    @property
    def open(self) -> bool:
        """More may come."""
        return self.ended_at is None and self.deleted_at is None

    @property
    def name(self) -> str:
        """Of its file, within the learner's folder."""
        return f"{self.id}.{named(self.mime).ending}"


def named(content_type: str) -> SoundType:
    """The type that a Content-Type names; its parameters, such as codecs, are passed over. Raises NotSound."""
    told = content_type.split(";", maxsplit=1)[0].strip().lower()
    told = _ALIASES.get(told, told)
    for kind in TYPES:
        if kind.mime == told:
            return kind
    names = ", ".join(kind.mime for kind in TYPES)
    raise NotSound(f"A take's sound is one of {names}; this says it is {told[:60] or 'nothing'!r}.")


def checked(kind: SoundType, head: bytes) -> SoundType:
    """`kind`, if a sound that begins with `head` is of it. Raises NotSound."""
    if not head:
        raise NotSound("The sound that was sent is empty; record it again.")
    if not kind.fits(head):
        raise NotSound(f"What was sent is no {kind.mime}, though it says so; record it again.")
    return kind


def sniffed(head: bytes) -> SoundType:
    """The type of a file that begins with `head`, whatever it is called. Raises NotSound."""
    if not head:
        raise NotSound("The file is empty; choose a recording.")
    for kind in TYPES:
        if kind.fits(head):
            return kind
    raise NotSound("This file is no recording that can be kept: choose a webm, m4a, ogg or wav.")


def seconds(recording: Recording, last: datetime | None = None) -> int:
    """About how long it is, by the clock: from its start to its end, or to `last` while there is none."""
    until = recording.ended_at or last or recording.started_at
    return max(0, round((until - recording.started_at).total_seconds()))


def about_s(recording: Recording, size: int) -> float:
    """About how long it plays: by the clock, or by its bytes where it was sent as a file."""
    return max(seconds(recording), size / (32_000 if recording.mime == "audio/wav" else 8_000))


def patience_s(limit_s: float, length_s: float) -> float:
    """How long hearing may take: the limit, for each two minutes of sound anew."""
    return limit_s * max(1, math.ceil(length_s / 120))

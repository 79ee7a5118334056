"""The files of recordings: <data>/audio/<learner>/<recording>.<ending>, open to this user alone.

The web process alone writes them. Bytes are appended as they come, each at the place where it belongs, so that one
that is sent twice is there once; a crash leaves what had come until then.
"""

import os
import re
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from app.drill.recording.sound import MOST_BYTES, Recording
from app.settings import own_folder
from app.web.errors import Conflict, Invalid, Problem

_NUMBER = re.compile("[0-9]{1,15}")  # of a recording; longer ones are none of ours
_LOCKS = tuple(threading.Lock() for _ in range(16))  # by recording: two chunks of one never mix


class NoRoom(Problem):
    """The disk is full."""

    status = 507


class Gap(Conflict):
    """The bytes belong further on than there are any; `size` is how many there are."""

    def __init__(self, size: int) -> None:
        super().__init__(f"The server has {size} bytes of this recording; send on from there.")
        self.size = size


class Mixed(Conflict):
    """Other bytes are there already: two pages, or two browsers, record the same attempt."""

    def __init__(self) -> None:
        super().__init__("Another page records this take; finish it there.")


@dataclass(frozen=True, slots=True)
class AudioFiles:
    folder: Path

    def path(self, recording: Recording) -> Path:
        return self.folder / str(recording.learner_id) / recording.name

    def last(self) -> int:
        """The largest number of a file that is there, of whatever learner; 0 where there is none."""
        names = (path.name.partition(".")[0] for path in self.folder.glob("*/*"))
        return max((int(name) for name in names if _NUMBER.fullmatch(name)), default=0)

    def size(self, recording: Recording) -> int:
        """Bytes that are there; 0 where there is no file."""
        try:
            return self.path(recording).stat().st_size
        except FileNotFoundError:
            return 0

    def written(self, recording: Recording) -> datetime | None:
        """When the last bytes came."""
        try:
            return datetime.fromtimestamp(self.path(recording).stat().st_mtime, UTC)
        except FileNotFoundError:
            return None

    def append(self, recording: Recording, offset: int, piece: bytes) -> int:
        """Put `piece` where it belongs, unless it is there; the bytes that there are then.

        Raises Gap where what comes before is missing, Mixed where other bytes are there, Invalid past the limit, NoRoom
        when the disk is full.
        """
        path = self.path(recording)
        with _LOCKS[recording.id % len(_LOCKS)]:
            size = self.size(recording)
            if offset > size:
                raise Gap(size)
            if self._differs(path, offset, piece[: size - offset]):
                raise Mixed
            fresh = piece[size - offset :]
            if size + len(fresh) > MOST_BYTES:
                raise Invalid(
                    f"A recording takes at most {MOST_BYTES // 2**20} MB; what came until then is kept."
                )
            if fresh:
                self._write(path, size, fresh)
            return size + len(fresh)

    def _differs(self, path: Path, offset: int, again: bytes) -> bool:
        """Whether what is sent once more is not what is there."""
        if not again:
            return False
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(len(again)) != again

    def _write(self, path: Path, size: int, fresh: bytes) -> None:
        """All of it or nothing, so that the next piece finds its place."""
        try:
            own_folder(path.parent)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(handle, "ab", buffering=0) as file:
                left = memoryview(fresh)
                while left:
                    left = left[file.write(left) :]
        except OSError as error:
            with suppress(OSError):
                os.truncate(path, size)
            raise NoRoom(
                f"The recording cannot be written ({error.strerror}); what came before is kept."
            ) from None

    def settle(self, recording: Recording) -> int:
        """See to it that the file outlives a power cut; its bytes."""
        with suppress(FileNotFoundError), self.path(recording).open("rb") as file:
            os.fsync(file.fileno())
        return self.size(recording)

    def delete(self, recording: Recording) -> None:
        """A repeat does no harm."""
        self.path(recording).unlink(missing_ok=True)

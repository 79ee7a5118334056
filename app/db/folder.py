"""Who may write the data folder: the web process, or one command at a time while no web process runs."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.settings import own_folder


class FolderInUse(Exception):
    """Another process of Aloud holds the data folder."""


@contextmanager
def hold(data: Path, who: str) -> Iterator[None]:
    """Hold `data` as `who` ("the web server at http://127.0.0.1:8000"); raise FolderInUse when it is held already.

    The lock is the kernel's, so that it is gone with its process however that ended.
    """
    own_folder(data)
    descriptor = os.open(data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(descriptor, 200, 0).decode(errors="replace") or "another process"
            raise FolderInUse(
                f"The data folder {data} is in use by {holder}. "
                "Stop that first, or name another folder with ALOUD_DATA."
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, who.encode(), 0)
        try:
            yield
        finally:
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)

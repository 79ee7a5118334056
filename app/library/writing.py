"""The learner's own deck files, written: each whole or not at all, and by one hand at a time.

    with writing():                       # nobody else of this process reads, changes and writes them meanwhile
        data = path.read_bytes()
        put({path: changed(data)})

Whoever reads a file to write it again does both within one `writing()`. An editor outside holds no such lock, so the
files that `put` replaces are read right before.
"""

import os
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from app.settings import own_folder

_ONE_HAND = threading.RLock()


@contextmanager
def writing() -> Iterator[None]:
    """Hold the deck files; may be nested. Never within a transaction: files are slow, and the database waits."""
    with _ONE_HAND:
        yield


def put(files: Mapping[Path, bytes]) -> None:
    """Put all of them in place. Each is on disk, whole, beside its place first; where one fails, none is put.

    A crash leaves a file as it was or as it is to be, and at worst a hidden one beside it, which is read as no deck.
    Raises OSError.
    """
    waiting: list[tuple[Path, Path]] = []
    try:
        for path, data in files.items():
            own_folder(path.parent)
            waiting.append((_beside(path, data), path))
        for made, path in waiting:
            made.replace(path)
    finally:
        for made, _ in waiting:
            made.unlink(missing_ok=True)
    for folder in {path.parent for path in files}:
        _sync_folder(folder)


def _beside(path: Path, data: bytes) -> Path:
    """A finished file next to `path`, under a hidden name and with its rights; gone again where it was not written."""
    descriptor, name = tempfile.mkstemp(prefix=".writing-", dir=path.parent)
    made = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as out:
            if path.exists():
                os.fchmod(out.fileno(), path.stat().st_mode & 0o777)
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    return made


def _sync_folder(folder: Path) -> None:
    """A new name is on disk only when its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

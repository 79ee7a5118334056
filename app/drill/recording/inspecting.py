"""Whether the sound that is on the disk is the sound that the database knows of."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DatabaseError

from app.db.engine import Database
from app.db.migrate import versions
from app.drill.recording import store
from app.drill.recording.service import Usage, files
from app.finding import Finding
from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Sound:
    """`missing` are files that are to be there; of `deleted` and `unknown` ones, the other way round."""

    usage: Usage
    missing: tuple[Path, ...]
    deleted: tuple[Path, ...]
    unknown: tuple[Path, ...]


def inspect(conn: Connection, settings: Settings) -> Sound:
    there = files(settings)
    present = {path: path.stat().st_size for path in sorted(there.folder.glob("*/*")) if path.is_file()}
    kept = {there.path(recording) for recording in store.of_everybody(conn)}
    gone = {there.path(recording) for recording in store.of_everybody(conn, kept=False)}
    return Sound(
        Usage(len(kept & present.keys()), sum(size for path, size in present.items() if path in kept)),
        missing=tuple(sorted(kept - present.keys())),
        deleted=tuple(path for path in present if path in gone),
        unknown=tuple(path for path in present if path not in kept | gone),
    )


def told(settings: Settings) -> Iterator[Finding]:
    """What `aloud doctor` says of sound: each thing that is amiss, or that nothing is."""
    try:
        have, wanted = versions(settings.database) if settings.database.exists() else (None, "")
        if have is None or have != wanted:
            yield Finding("ok", "Sound of takes is looked at once the database is up to date")
            return
        db = Database(settings.database)
        try:
            with db.read() as conn:
                found = inspect(conn, settings)
        finally:
            db.close()
    except (DatabaseError, OSError) as error:
        fix = "See the other findings first."
        yield Finding("warn", f"The sound of takes cannot be looked at: {error}", fix)
        return
    if found.missing:
        fix = "Put data/audio back from a backup, or delete these recordings under Drill, Your takes."
        yield Finding("warn", f"{_these(found.missing, 'recording')} without a file", fix)
    if found.unknown:
        fix = "They may be of a newer database than this one; move them away if nothing is missed."
        yield Finding("warn", f"{_these(found.unknown, 'sound file')} of no recording", fix)
    if not (found.missing or found.unknown):
        yield Finding("ok", f"Sound of takes: {found.usage.words}")


def _these(paths: Collection[Path], what: str) -> str:
    """ "2 recordings (the first is /data/audio/1/3.webm)" """
    if len(paths) == 1:
        return f"1 {what} ({next(iter(paths))})"
    return f"{len(paths)} {what}s (the first is {next(iter(paths))})"

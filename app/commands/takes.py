"""aloud export takes: all that was said, with its sound, as a zip. It only reads."""

import os
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.exc import DatabaseError

from app.accounts.service import only_learner
from app.commands import Refused, flags, readable
from app.db.engine import Database
from app.db.trouble import sentence
from app.drill.history import archive
from app.drill.history import service as history
from app.drill.recording import service as recordings
from app.settings import Settings

FIELDS = ("data",)


def main(arguments: Sequence[str]) -> int:
    parser = flags.parser("export", FIELDS, "Write all takes to a zip: sound, texts, and figures as JSON.")
    parser.prog = "aloud export takes"
    parser.add_argument("file", metavar="FILE", type=Path, help="ends with .zip")
    given = parser.parse_args(arguments)
    if given.file.suffix.lower() != ".zip":
        raise Refused(f"Takes leave as a zip; give a name that ends with .zip instead of {given.file}.")
    settings = flags.settings(given)
    spoken = _spoken(settings)
    try:
        handle = os.open(given.file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)  # a voice is nobody else's
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise Refused(
            f"{given.file} cannot be written: {error.strerror}. Name a file in a folder that is there."
        ) from None
    with os.fdopen(handle, "wb") as file:
        size = sum(file.write(piece) for piece in archive.pieces(spoken, recordings.files(settings)))
    takes = sum(said.take is not None for said in spoken)
    others = f" and {len(spoken) - takes} recordings without a rating" if takes < len(spoken) else ""
    print(f"Wrote {given.file}: {takes} takes{others}, {size:,} bytes.")
    return 0


def _spoken(settings: Settings) -> tuple[archive.Spoken, ...]:
    readable.database(settings)
    db = Database(settings.database)
    try:
        with db.read() as conn:
            return history.spoken(conn, only_learner(conn, settings))
    except DatabaseError as error:
        raise Refused(sentence(settings.database, error)) from None
    finally:
        db.close()

"""aloud serve: take the data folder, bring its database and the decks up to date, serve until told to stop."""

import sys
from collections.abc import Sequence
from pathlib import Path

from alembic.util import CommandError
from sqlalchemy.exc import DatabaseError

from app.commands import Refused, flags
from app.db.folder import FolderInUse, hold
from app.db.migrate import upgrade
from app.db.trouble import sentence
from app.main import create_app
from app.settings import WEB_SERVER, Settings, own_folder
from app.web.server import CannotListen, run

OF_THE_WORKER = ("server", "worker_name", "speech_model")
FIELDS = tuple(name for name in flags.FIELDS if name not in OF_THE_WORKER)


def main(arguments: Sequence[str]) -> int:
    settings = flags.settings(flags.parser("serve", FIELDS).parse_args(arguments))
    for told in flags.unknown():
        print(told, file=sys.stderr)
    _make(settings.data)
    try:
        with hold(settings.data, f"{WEB_SERVER}{settings.address}"):
            _upgrade(settings.database)
            _keys(settings)
            return _serve(settings)
    except FolderInUse as error:
        raise Refused(str(error)) from None
    except DatabaseError as error:
        raise Refused(sentence(settings.database, error)) from None


def _serve(settings: Settings) -> int:
    app = create_app(settings)
    synced = app.state.parts.decks.look().synced
    for error in (*synced.errors, *app.state.parts.primers.now.errors):
        print(error, file=sys.stderr)
    try:
        return run(app, settings, lambda address: print(f"Aloud is at {address}", flush=True))
    except CannotListen as error:
        raise Refused(str(error)) from None


def _keys(settings: Settings) -> None:
    """The keys are made now, so that a worker finds its token, and one that cannot be read stops the start."""
    try:
        settings.secret()
        settings.worker_token()
    except OSError as error:
        raise Refused(
            f"The key in {error.filename} cannot be read ({error.strerror}). "
            "Let this user read it, or remove it, and a new one is made."
        ) from None
    except ValueError as error:
        raise Refused(str(error)) from None


def _make(folder: Path) -> None:
    try:
        own_folder(folder)
        (folder / "lock").touch()
    except OSError as error:
        raise Refused(
            f"The data folder {folder} cannot be written ({error.strerror}). Name another one with --data."
        ) from None


def _upgrade(database: Path) -> None:
    try:
        upgrade(database)
    except CommandError:
        raise Refused(
            f"{database} was written by a newer Aloud. Update this one, or name another folder with --data."
        ) from None

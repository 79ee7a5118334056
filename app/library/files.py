"""The deck files on disk: the shipped ones and the learner's own, each with the hash that says whether to read it."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

from app.library.errors import DeckError, DeckErrors
from app.library.rows import tables
from app.settings import Settings

ORIGINS = ("shipped", "own")
RENDERING = ("markdown-it-py", "math-core", "pygments", "nh3")


@dataclass(frozen=True)
class DeckFile:
    """A deck file: where it comes from, its path as errors name it, its bytes or why they cannot be read."""

    origin: str
    path: str
    data: bytes
    errors: tuple[DeckError, ...] = ()

    @property
    def hash(self) -> str:
        """Changes with the file, and with the code that renders it."""
        unread = "".join(map(str, self.errors))
        return hashlib.sha256((renderer_id() + unread).encode() + self.data).hexdigest()


def folders(settings: Settings) -> dict[str, Path]:
    """Where decks are read from, by origin."""
    return {"shipped": settings.content / "decks", "own": settings.own_decks}


def deck_files(settings: Settings) -> Iterator[DeckFile]:
    """Every deck file, shipped ones first, in the order of their names."""
    for origin, folder in folders(settings).items():
        for path in deck_paths(folder):
            name = text_of(Path(folder.name) / path.relative_to(folder))
            try:
                yield DeckFile(origin, name, read(path, name))
            except DeckErrors as unread:
                yield DeckFile(origin, name, b"", unread.errors)


def locate(settings: Settings, origin: str, name: str) -> Path | None:
    """The deck file that errors and the database call `name`; None where there is none any more."""
    folder = folders(settings)[origin]
    named = (
        path for path in deck_paths(folder) if text_of(Path(folder.name) / path.relative_to(folder)) == name
    )
    return next(named, None)


def text_of(path: Path) -> str:
    """The path as text, also where its bytes are no UTF-8."""
    return path.as_posix().encode(errors="backslashreplace").decode()


def deck_paths(folder: Path) -> list[Path]:
    """The Markdown files below `folder`, by name. Hidden ones are an editor's own: locks, copies, links to nowhere.

    Raises OSError for a folder that cannot be listed: what is in it must not be taken for gone.
    """
    return sorted(_markdown(folder)) if there(folder) else []


def there(folder: Path) -> bool:
    """Whether there is such a folder; raises OSError where that cannot be told, as Path.exists once did."""
    try:
        folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _markdown(folder: Path) -> Iterator[Path]:
    for at, folders, files in os.walk(folder, onerror=_refuse):
        folders[:] = (name for name in folders if not name.startswith("."))
        yield from (Path(at) / name for name in files if name.endswith(".md") and not name.startswith("."))


def _refuse(error: OSError) -> NoReturn:
    raise error


def read(path: Path, name: str) -> bytes:
    """The bytes of a deck file; raises DeckErrors, naming it `name`, where it cannot be read."""
    try:
        if not path.is_file() and path.exists():
            raise OSError("it is no file")
        return path.read_bytes()
    except OSError as error:
        problem = f"the file cannot be read ({error.strerror or error})"
        fix = "mend or remove it, or let the user that runs Aloud read it."
        raise DeckErrors([DeckError(name, 1, problem, fix)]) from None


@cache
def renderer_id() -> str:
    """Stands for the code that turns a deck into cards: this package, its libraries, the tables that estimates read."""
    digest = hashlib.sha256()
    for path in (*sorted(Path(__file__).parent.glob("*.py")), *tables()):
        digest.update(path.read_bytes())
    for name in RENDERING:
        digest.update(version(name).encode())
    return digest.hexdigest()

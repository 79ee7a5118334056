"""The deck files on disk: the shipped ones and the learner's own, each with the hash that says whether to read it."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from app.settings import Settings

ORIGINS = ("shipped", "own")
RENDERING = ("markdown-it-py", "math-core", "pygments", "nh3")


@dataclass(frozen=True)
class DeckFile:
    """A deck file: where it comes from, its path as errors name it, its bytes."""

    origin: str
    path: str
    data: bytes

    @property
    def hash(self) -> str:
        """Changes with the file, and with the code that renders it."""
        return hashlib.sha256(renderer_id().encode() + self.data).hexdigest()


def folders(settings: Settings) -> dict[str, Path]:
    """Where decks are read from, by origin."""
    return {"shipped": settings.content / "decks", "own": settings.own_decks}


def deck_files(settings: Settings) -> Iterator[DeckFile]:
    """Every deck file, shipped ones first, in the order of their names."""
    for origin, folder in folders(settings).items():
        for path in sorted(folder.rglob("*.md")):
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            yield DeckFile(origin, name, path.read_bytes())


@cache
def renderer_id() -> str:
    """Stands for the code that turns a deck into cards: this package's files and its libraries' versions."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    for name in RENDERING:
        digest.update(version(name).encode())
    return digest.hexdigest()

"""The primers and figures on disk. They are read when somebody asks for them, and again once a file has changed."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from app.library.errors import DeckError, DeckErrors
from app.library.files import read, text_of
from app.library.text import decode, unify
from app.primers.figures import Figure, read_figure
from app.primers.format import Primer, parse_primer

TICK_NS = 50_000_000  # far above the tick of any file system that Aloud is run on

Seen = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True)
class Stock:
    """What could be read, primers in the order of their files, and everything that is wrong."""

    primers: tuple[Primer, ...] = ()
    figures: Mapping[str, Figure] = field(default_factory=dict)
    errors: tuple[DeckError, ...] = ()

    def of_deck(self, deck: str) -> Primer | None:
        """The primer to read before the cards of this deck."""
        return next((primer for primer in self.primers if primer.deck == deck), None)


def in_its_folder(path: Path) -> str:
    """A file as the app names it: its folder and its name, as with decks."""
    return text_of(Path(path.parent.name) / path.name)


def take_stock(primers: Path, figures: Path, named: Callable[[Path], str] = in_its_folder) -> Stock:
    """Reads both folders. What has a mistake is left out and told: a folder, a file, a primer without its figure.

    Errors call a file what `named` says.
    """
    errors: list[DeckError] = []
    drawn: dict[str, Figure] = {}
    for path in _files(figures, ".svg", named(figures), errors):
        try:
            drawn[path.stem] = read_figure(_text(path, named(path)), path.stem, named(path))
        except DeckErrors as found:
            errors += found.errors
    made: dict[str, Primer] = {}
    for path in _files(primers, ".md", named(primers), errors):
        try:
            primer = parse_primer(_text(path, named(path)), named(path))
        except DeckErrors as found:
            errors += found.errors
            continue
        wrong = tuple((*_twice(primer, made), *_missing(primer, drawn)))
        errors += wrong
        made |= {} if wrong else {primer.name: primer}
    return Stock(tuple(made.values()), drawn, tuple(sorted(set(errors))))


def _twice(primer: Primer, made: Mapping[str, Primer]) -> Iterator[DeckError]:
    if primer.name in made:
        problem = f'the primer "{primer.name}" has a page in {made[primer.name].path} already'
        yield DeckError(primer.path, primer.line_of("primer"), problem, "keep one.")


def _missing(primer: Primer, figures: Mapping[str, Figure]) -> Iterator[DeckError]:
    for picture in primer.figures:
        if picture.name not in figures:
            problem = f'there is no figure "{picture.name}" that can be drawn'
            fix = f"put it into figures/{picture.name}.svg, mend that file, or mend the name."
            yield DeckError(primer.path, picture.line, problem, fix)
    names = [picture.name for picture in primer.figures]
    for twice in sorted({name for name in names if names.count(name) > 1}):
        line = max(picture.line for picture in primer.figures if picture.name == twice)
        yield DeckError(primer.path, line, f'the figure "{twice}" stands twice', "keep one of them.")


def _files(folder: Path, suffix: str, name: str, errors: list[DeckError]) -> list[Path]:
    """The files of this kind in their order; none, and a sentence among `errors`, where the folder cannot be listed."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == suffix and path.name[0] != ".")
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problem = f"the folder cannot be read ({error.strerror or error})"
        errors.append(DeckError(name, 1, problem, "let the user that runs Aloud read it."))
        return []


def _text(path: Path, name: str) -> str:
    return unify(decode(read(path, name), name))


class Shelf:
    """The primers below a content folder, read when first asked for and again once a file has changed."""

    def __init__(self, primers: Path, figures: Path) -> None:
        self._folders = (primers, figures)
        self._lock = Lock()
        self._seen: Seen | None = None
        self._stock = Stock()

    @property
    def now(self) -> Stock:
        with self._lock:  # of many who ask first, one reads and the others wait
            if (seen := self._look()) != self._seen:
                self._stock = take_stock(*self._folders)
                self._seen = seen if _settled(seen) else None
            return self._stock

    def _look(self) -> Seen:
        """Which files there are, how large, and when each changed last: quick enough to be asked at each request."""
        return tuple(sorted(seen for folder in self._folders for seen in _glance(folder)))


def _glance(folder: Path) -> Iterator[tuple[str, int, int, int]]:
    """Each file's path, size and times: of its text, and of whatever else is told of it, as who may read it."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            stat = entry.stat()
        except OSError:  # a link to nowhere hides no other file
            yield entry.path, 0, 0, 0
            continue
        yield entry.path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _settled(seen: Seen) -> bool:
    """Whether no file changed so lately that one more change could bear the same time: clocks of files tick."""
    return all(changed < time.time_ns() - TICK_NS for _, _, changed, _ in seen)

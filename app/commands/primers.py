"""The part of aloud check that reads primers and their figures."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.demos.records import Record, Records
from app.library.check import Report, check_decks
from app.library.errors import DeckError
from app.library.files import folders, text_of, there
from app.primers.check import check_primers
from app.primers.shelf import take_stock
from app.settings import Settings
from kernels.catalog import params_hash, parse_line

FOLDERS = ("primers", "figures")


@dataclass(frozen=True)
class Read:
    """How many primers and figures could be read, and what is wrong."""

    primers: int
    figures: int
    errors: tuple[DeckError, ...]

    @property
    def summary(self) -> str:
        """The counts in one line: "14 primers, 12 figures, 1 mistake"."""
        counts = ((self.primers, "primer"), (self.figures, "figure"), (len(self.errors), "mistake"))
        return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts)


def named(path: Path) -> bool:
    """Whether a path on the command line means primers or figures, and no deck."""
    return (path if path.is_dir() else path.parent).name in FOLDERS


def checked(settings: Settings, paths: Sequence[Path], decks: Report | None, records: Records) -> Read:
    """Reads the primers and figures that `paths` name, or all. `decks` is what is known of all decks, if it is."""
    known = decks or check_decks([p for p in folders(settings).values() if there(p)], parse_line)
    whole = [settings.content] if not paths else [_content(path) for path in paths]
    primers = figures = 0
    errors: list[DeckError] = []
    for content in dict.fromkeys(whole):
        stock = take_stock(content / "primers", content / "figures", _as_typed)
        wrong = [
            *stock.errors,
            *check_primers(stock.primers, known.decks, parse_line, _blocks(records), whole=not known.errors),
        ]
        wanted = [_as_typed(path) for path in paths if _content(path) == content]
        errors += [e for e in wrong if not wanted or any(_below(e.path, one) for one in wanted)]
        primers += len(stock.primers)
        figures += len(stock.figures)
    return Read(primers, figures, tuple(sorted(set(errors))))


def _content(path: Path) -> Path:
    """The content folder that a folder of primers or figures, or a file in one, belongs to."""
    return path.absolute().parent if path.is_dir() else path.absolute().parent.parent


def _below(path: str, wanted: str) -> bool:
    return path == wanted or path.startswith(wanted + "/")


def _as_typed(path: Path) -> str:
    """The path as one would type it here."""
    full = path.absolute()
    return text_of(full.relative_to(Path.cwd()) if full.is_relative_to(Path.cwd()) else full)


def _blocks(records: Records) -> Callable[[str], tuple[str, ...] | None]:
    """The ids of the blocks that a demo line's recorded result has, or those that any result of the demo has."""

    def blocks_of(line: str) -> tuple[str, ...] | None:
        demo, params = parse_line(line)
        found = records.of_params(demo.name, params_hash(demo, params)) or records.of_demo(demo.name)
        ids = [block for record in found for block in _ids(record)]
        return tuple(dict.fromkeys(ids)) or None

    return blocks_of


def _ids(record: Record) -> list[str]:
    body = record.body()
    blocks = json.loads(body)["blocks"] if body else []
    return [str(block["id"]) for block in blocks]

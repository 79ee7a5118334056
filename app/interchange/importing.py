"""The import, whoever asks: a package of Anki or a table becomes cards of own decks, or is refused whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from app.interchange import anki_notes, files, table_rows
from app.interchange.anki_package import BadPackage, read_package
from app.interchange.deck_text import cards, mistake
from app.interchange.delimited import BadTable, read
from app.interchange.incoming import Batch, Left
from app.interchange.merging import Known, Plan, plan
from app.library.errors import DeckErrors
from app.library.files import deck_paths, folders
from app.library.files import read as read_deck
from app.library.text import decode, unify
from app.library.writing import writing
from app.settings import Settings

MOST_UPLOAD = 64 * 2**20  # bytes of a file that a browser sends
MOST_TABLE = 32 * 2**20
_ZIP = b"PK"


class BadFile(ValueError):
    """The file was not imported and nothing was changed; the message is a sentence that says what to do."""


@dataclass(frozen=True)
class Outcome:
    """What an import did. `file` is the name it was handed in under."""

    file: str
    plan: Plan
    left: Left
    media: int
    anki: bool


def bring_in(settings: Settings, name: str, file: IO[bytes]) -> Outcome:
    """Import one file; raises BadFile. The deck files are written; the library reads them at its next sync."""
    batch = _batch(name, file)
    with writing():
        try:
            own = files.own_texts(settings.own_decks)
            last = files.memory(settings.own_decks)
            made = plan(batch, Known(own, _shipped(settings), last))
            _check(made, own)
            if made.files or made.last != last:
                files.write(settings.own_decks, made.files, made.last)
        except DeckErrors as found:
            raise BadFile(f"{found.errors[0]} Nothing was imported.") from None
        except OSError as error:
            raise BadFile(
                f"The folder {settings.own_decks} cannot be written ({error.strerror}), so nothing was imported; "
                "let the user that runs Aloud write there, and make room."
            ) from None
    return Outcome(name, made, batch.left, batch.media, batch.anki)


def _batch(name: str, file: IO[bytes]) -> Batch:
    start = file.read(4)
    file.seek(0)
    if not start:
        raise BadFile("The file is empty; choose an .apkg that Anki exported, or a CSV with a column guid.")
    try:
        if start.startswith(_ZIP):
            return anki_notes.batch(read_package(file))
        return table_rows.batch(read(_text(file)), Path(name).stem or "table")
    except (BadPackage, BadTable) as bad:
        raise BadFile(f"{bad} Nothing was imported.") from None


def _text(file: IO[bytes]) -> str:
    data = file.read(MOST_TABLE + 1)
    if len(data) > MOST_TABLE:
        raise BadTable(f"The table is larger than {MOST_TABLE // 2**20} MB; divide it into several.")
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadTable(
            "This is neither a package of Anki nor a table; choose an .apkg, or CSV or TSV in UTF-8."
        )
    try:
        return data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadTable(f"Line {line} is not UTF-8; save the table as CSV in UTF-8.") from None


def _shipped(settings: Settings) -> set[str]:
    """The ids of the cards that come with Aloud; a deck with a mistake counts as far as it can be read."""
    made: set[str] = set()
    for path in deck_paths(folders(settings)["shipped"]):
        made |= cards(unify(decode(read_deck(path, path.name), path.name))).keys()
    return made


def _check(made: Plan, before: Mapping[str, str]) -> None:
    """Every deck file must be whole after the import; raises BadFile for one that has a mistake of its own."""
    for path, text in made.files.items():
        if wrong := mistake(text):
            is_wrong = "has a mistake" if path in before else "would be wrong"
            where = f"decks/{path} {is_wrong} in line {wrong.line} ({wrong.problem})"
            raise BadFile(f"{where}. Mend it, then import again; nothing was imported.")

"""An Anki package taken apart: its zip, the collection in it, its note types and notes. Nothing of it is trusted.

Three formats are about: collection.anki2 and collection.anki21 (SQLite with JSON in it), and since 2022
collection.anki21b (zstd, note types in tables of their own). A package of the last kind carries an empty
collection.anki2 for old programs, so the newest is read.
"""

import json
import sqlite3
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import IO, Any
from urllib.parse import quote

import zstandard

from app.interchange import wire
from app.interchange.anki_data import AnkiNote, AnkiPackage, NoteType, Template

MOST_COLLECTION = 256 * 2**20  # bytes, unpacked
MOST_MANIFEST = 16 * 2**20
MOST_MEMBERS = 100_000
MOST_NOTES = 100_000
MOST_SECONDS = 60  # within SQLite
MOST_CELL = 2**20  # bytes of one value
NEWEST = "collection.anki21b"
COLLECTIONS = (NEWEST, "collection.anki21", "collection.anki2")
EXPORT_AGAIN = "export it from Anki once more, and take that file"


class BadPackage(ValueError):
    """The package cannot be read; the message is one sentence that says what to do."""


def read_package(file: IO[bytes]) -> AnkiPackage:
    """Everything in the package that can be taken. Raises BadPackage. It leaves nothing on disk."""
    try:
        with zipfile.ZipFile(file) as packed, tempfile.TemporaryDirectory(prefix="aloud-") as folder:
            name = _collection(packed)
            path = Path(folder) / "collection"
            with path.open("wb") as out:
                for part in _unpacked(packed, name, MOST_COLLECTION):
                    out.write(part)
            with closing(_opened(path)) as conn:
                return AnkiPackage(tuple(_notes(conn)), _media(packed, name))
    except zipfile.BadZipFile:
        raise BadPackage(f"This is no package of Anki: it is not a whole zip file; {EXPORT_AGAIN}.") from None
    except (zlib.error, zstandard.ZstdError, EOFError, NotImplementedError, RuntimeError):
        raise BadPackage(
            f"A part of this package is damaged and cannot be unpacked; {EXPORT_AGAIN}."
        ) from None
    except (sqlite3.Error, ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        if isinstance(error, BadPackage):
            raise
        raise BadPackage(f"The collection in this package is damaged; {EXPORT_AGAIN}.") from None


def _collection(packed: zipfile.ZipFile) -> str:
    """The name of the newest collection in the zip, which names nothing outside of itself."""
    names = packed.namelist()
    if len(names) > MOST_MEMBERS:
        raise BadPackage(
            f"The package holds {len(names):,} files; export it without media, and take that file."
        )
    for name in names:
        parts = PurePosixPath(name.replace("\\", "/"))
        if parts.is_absolute() or ".." in parts.parts or ":" in name.partition("/")[0]:
            raise BadPackage(
                f"The package names a file outside of itself ({name[:60]!r}), as none from Anki does; do not trust it."
            )
    found = next((name for name in COLLECTIONS if name in names), None)
    if found is None:
        raise BadPackage(
            "There is no collection in this zip file; take a file that Anki exported, .apkg or .colpkg."
        )
    return found


def _unpacked(packed: zipfile.ZipFile, name: str, most: int) -> Iterator[bytes]:
    """A member's bytes, whatever size its header claims: counted as they come, and zstd taken off, too."""
    unpacked = 0
    with packed.open(name) as member:
        source: Any = member
        if packed_twice(name, packed):
            source = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(
                member, read_across_frames=True
            )
        while part := source.read(2**16):
            unpacked += len(part)
            if unpacked > most:
                raise BadPackage(
                    f"{name} in this package unpacks to more than {most // 2**20} MB; export fewer decks at a time."
                )
            yield part


def packed_twice(name: str, packed: zipfile.ZipFile) -> bool:
    return name == NEWEST or (name == "media" and NEWEST in packed.namelist())


def _media(packed: zipfile.ZipFile, collection: str) -> int:
    """How many pictures and sounds the package carries."""
    if "media" not in packed.namelist():
        return 0
    data = b"".join(_unpacked(packed, "media", MOST_MANIFEST))
    if collection == NEWEST:
        return sum(number == 1 for number, _ in wire.fields(data))
    return len(json.loads(data or b"{}"))


def _opened(path: Path) -> sqlite3.Connection:
    """The collection, to be read only; what it defines (views, triggers) is not run, and no query lasts for ever."""
    conn = sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)
    conn.text_factory = lambda data: data.decode(errors="replace")
    conn.create_collation("unicase", lambda a, b: (a.lower() > b.lower()) - (a.lower() < b.lower()))
    conn.execute("PRAGMA trusted_schema = OFF")
    conn.execute("PRAGMA cell_size_check = ON")
    conn.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 64 * MOST_CELL)
    ends = time.monotonic() + MOST_SECONDS
    conn.set_progress_handler(lambda: time.monotonic() > ends, 100_000)
    tables = {name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if missing := {"notes", "cards", "col"} - tables:
        raise BadPackage(f"The collection in this package has no table {sorted(missing)[0]}; {EXPORT_AGAIN}.")
    return conn


def _notes(conn: sqlite3.Connection) -> Iterator[AnkiNote]:
    newer = bool(
        conn.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'notetypes'").fetchone()
    )
    types = _types(conn) if newer else _old_types(conn)
    decks = _decks(conn) if newer else _old_decks(conn)
    (count,) = conn.execute("SELECT count(*) FROM notes").fetchone()
    if count > MOST_NOTES:
        raise BadPackage(
            f"The package holds {count:,} notes, more than {MOST_NOTES:,}; export fewer decks at a time."
        )
    cards: dict[int, list[tuple[int, int]]] = {}
    home = "SELECT nid, ord, CASE WHEN odid THEN odid ELSE did END FROM cards ORDER BY ord"
    for nid, ord_, did in conn.execute(home):
        cards.setdefault(nid, []).append((ord_, did))
    for nid, guid, mid, tags, flds in conn.execute("SELECT id, guid, mid, tags, flds FROM notes ORDER BY id"):
        made = cards.get(nid, [])
        if made and mid in types:
            deck = decks.get(made[0][1], "Default")
            yield AnkiNote(
                str(guid),
                types[mid],
                tuple(str(tags).split()),
                tuple(str(flds).split("\x1f")),
                tuple(part.strip() for part in deck.replace("\x1f", "::").split("::") if part.strip()),
                tuple(ord_ for ord_, _ in made),
            )


def _old_types(conn: sqlite3.Connection) -> Mapping[int, NoteType]:
    models = json.loads(conn.execute("SELECT models FROM col").fetchone()[0])
    return {
        int(key): NoteType(
            str(model["name"]),
            model.get("type") == 1,
            tuple(str(f["name"]) for f in sorted(model["flds"], key=_ord)),
            tuple(Template(str(t["qfmt"]), str(t["afmt"])) for t in sorted(model["tmpls"], key=_ord)),
        )
        for key, model in models.items()
    }


def _old_decks(conn: sqlite3.Connection) -> Mapping[int, str]:
    decks = json.loads(conn.execute("SELECT decks FROM col").fetchone()[0])
    return {int(key): str(deck["name"]) for key, deck in decks.items()}


def _ord(item: Mapping[str, Any]) -> int:
    return int(item["ord"] or 0)


def _types(conn: sqlite3.Connection) -> Mapping[int, NoteType]:
    fields: dict[int, list[str]] = {}
    for ntid, name in conn.execute("SELECT ntid, name FROM fields ORDER BY ntid, ord"):
        fields.setdefault(ntid, []).append(name)
    templates: dict[int, list[Template]] = {}
    for ntid, config in conn.execute("SELECT ntid, config FROM templates ORDER BY ntid, ord"):
        templates.setdefault(ntid, []).append(Template(wire.text(config, 1), wire.text(config, 2)))
    rows = conn.execute("SELECT id, name, config FROM notetypes")
    return {
        id_: NoteType(
            name, wire.whole(config, 1) == 1, tuple(fields.get(id_, ())), tuple(templates.get(id_, ()))
        )
        for id_, name, config in rows
    }


def _decks(conn: sqlite3.Connection) -> Mapping[int, str]:
    return {id_: str(name) for id_, name in conn.execute("SELECT id, name FROM decks")}

"""aloud export: cards into a file, whose ending says what it is; or takes, into a zip.

It only reads, so the web server may run meanwhile.
"""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.exc import DatabaseError

from app.clock import system_clock
from app.commands import Refused, flags, readable, takes
from app.db.engine import Database
from app.db.trouble import sentence
from app.interchange.exporting import Download, Format, export
from app.library.service import Wanted
from app.library.sources import found, load
from app.settings import Settings
from app.web.errors import Problem

FIELDS = ("data", "content", "host", "port", "root_path")
KINDS: dict[str, Format] = {".apkg": "apkg", ".csv": "csv", ".md": "md", ".zip": "md"}


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["takes"]:
        return takes.main(arguments[1:])
    parser = flags.parser("export", FIELDS)
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="ends with .apkg, .csv, .md, or .zip for several decks"
    )
    parser.add_argument("--deck", default="", help="only this deck, e.g. attention/mask")
    parser.add_argument("--tag", default="", help="only cards with this tag")
    parser.add_argument("--level", default="", help="only cards of this level")
    parser.add_argument("--words", default="", help="only cards that hold all of these words")
    parser.add_argument(
        "--address", default="", help="where Aloud is reached, for the links back; else as it serves"
    )
    given = parser.parse_args(arguments)
    settings = flags.settings(given)
    kind = KINDS.get(given.file.suffix.lower())
    if kind is None:
        raise Refused(f"{given.file} says not what it is; end its name with {', '.join(KINDS)}.")
    wanted = Wanted(given.words, given.tag, given.level, given.deck)
    made = _made(settings, wanted, kind, given.address or settings.web_side)
    if kind == "md" and Path(made.name).suffix != given.file.suffix.lower():
        raise Refused(
            f"These cards are a {Path(made.name).suffix} file; name it so, or choose one deck with --deck."
        )
    try:
        given.file.write_bytes(made.data)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise Refused(
            f"{given.file} cannot be written: {error.strerror}. Name a file in a folder that is there."
        ) from None
    print(f"Wrote {given.file}, {len(made.data):,} bytes.")
    return 0


def _made(settings: Settings, wanted: Wanted, kind: Format, address: str) -> Download:
    readable.database(settings)
    db = Database(settings.database)
    try:
        with db.read() as conn:
            places = found(conn, wanted)
        return export(load(settings, places), kind, address, system_clock())
    except DatabaseError as error:
        raise Refused(sentence(settings.database, error)) from None
    except Problem as problem:
        raise Refused(str(problem)) from None
    finally:
        db.close()

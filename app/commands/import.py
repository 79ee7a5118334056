"""aloud import: files into the learner's own decks. It writes them, so it takes the data folder, or says who has it."""

import io
from collections.abc import Sequence
from pathlib import Path

from app.commands import Refused, flags
from app.db.folder import FolderInUse, hold
from app.interchange.importing import BadFile, bring_in
from app.interchange.views import notes, summary
from app.settings import Settings

FIELDS = ("data", "content")


def main(arguments: Sequence[str]) -> int:
    parser = flags.parser("import", FIELDS)
    parser.add_argument(
        "files", metavar="FILE", nargs="+", type=Path, help="an .apkg, or a CSV or TSV with guids"
    )
    given = parser.parse_args(arguments)
    settings = flags.settings(given)
    try:
        with hold(settings.data, "aloud import"):
            refused = [path for path in given.files if not _taken(settings, path)]
    except FolderInUse as error:
        raise Refused(f"{error} Or import on its page, Cards: Import and export.") from None
    if len(refused) < len(given.files):
        print("`aloud serve` reads the decks when it starts.")
    return 2 if refused else 0


def _taken(settings: Settings, path: Path) -> bool:
    """Imports one file and prints what came of it; whether it was taken."""
    try:
        with path.open("rb") as file:
            outcome = bring_in(settings, path.name, file if path.is_file() else io.BytesIO())
    except BadFile as bad:
        print(f"{path}: {bad}")
        return False
    except (FileNotFoundError, IsADirectoryError):
        print(f"There is no file {path}; name a package of Anki, or a table.")
        return False
    print(summary(outcome))
    for sentence in notes(outcome):
        print(f"  {sentence}")
    for which, why in outcome.left.skipped:
        print(f"  Not taken: {which}: {why}")
    return True

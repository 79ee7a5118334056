"""The export, whoever asks for it: the cards that fit, in one of three formats."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from app.interchange import apkg_out, delimited, markdown_out
from app.interchange.outgoing import outgoing
from app.library.source_notes import SourceDeck
from app.web.errors import NotFound

Format = Literal["apkg", "csv", "md"]
FORMATS: tuple[Format, ...] = get_args(Format)


@dataclass(frozen=True)
class Download:
    """A file to hand out."""

    name: str
    media_type: str
    data: bytes


def export(decks: Sequence[SourceDeck], kind: Format, address: str, now: datetime) -> Download:
    """A file with these notes; `address` is where this Aloud is reached. Raises NotFound where there are none."""
    decks = [source for source in decks if source.notes]
    if not decks:
        raise NotFound("No card fits these filters, so there is nothing to export. Ask for less.")
    names = {note.deck for source in decks for note in source.notes}
    base = "aloud-" + (names.pop().replace("/", "-") if len(names) == 1 else "cards")
    if kind == "apkg":
        data = apkg_out.package(outgoing(decks), address, now)
        return Download(f"{base}.apkg", "application/octet-stream", data)
    if kind == "csv":
        return Download(f"{base}.csv", "text/csv; charset=utf-8", delimited.written(outgoing(decks)).encode())
    if len(decks) == 1:
        data = markdown_out.text(decks[0]).encode()
        return Download(markdown_out.file_name(decks[0]), "text/markdown; charset=utf-8", data)
    return Download(f"{base}.zip", "application/zip", markdown_out.zipped(decks))

"""Tables of cards: CSV as the export writes it, and whatever CSV or TSV with a column of guids is handed in. Pure.

Texts are Markdown, as in a deck. Anki's own export (Notes in Plain Text) says in lines that begin with # what its
columns are, and that its texts are HTML.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.interchange.outgoing import Outgoing

COLUMNS = ("guid", "deck", "kind", "front", "back", "answer", "tags", "level", "core", "source", "demo")
_NAMES = {"question": "front", "text": "front", "extra": "back", "notetype": "kind", "note type": "kind"}
_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "colon": ":", "space": " "}
MOST_CELL = 131_072  # characters: what Python's reader takes, more than six times what a card may hold


class BadTable(ValueError):
    """The table cannot be read; the message is one sentence that says what to change."""


@dataclass(frozen=True)
class Row:
    """A row by the names of its columns; `others` are cells whose columns are not told apart, in their order."""

    line: int
    cells: Mapping[str, str]
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    rows: tuple[Row, ...]
    html: bool


def written(notes: Iterable[Outgoing]) -> str:
    """The notes as CSV (RFC 4180) with a row of names, in UTF-8 without a byte-order mark."""
    made = io.StringIO(newline="")
    out = csv.writer(made)
    out.writerow(COLUMNS)
    for note in notes:
        out.writerow(
            (
                note.guid, note.deck, note.kind, note.front, note.back, note.answer, " ".join(note.tags), note.level,
                "yes" if note.core else "", note.source, note.demo,
            )
        )  # fmt: skip
    return made.getvalue()


def read(text: str) -> Table:
    """The rows of a table, whatever divides its cells. Raises BadTable."""
    text = text.removeprefix("\ufeff")
    told, body, at = _directives(text)
    if not body.strip():
        raise BadTable(
            "The table is empty; write a row of names with guid, front and back, and a row for each card."
        )
    separator = told.get("separator", "")
    divider = _SEPARATORS.get(separator.lower(), separator) or _divider(body)
    if len(divider) != 1:
        raise BadTable(
            f"The table's #separator:{separator[:20]} is not known; write comma, semicolon, tab or pipe."
        )
    lines = _lines(body, divider, at)
    names = _named(told, lines)
    rows = tuple(_row(line, cells, names) for line, cells in lines if any(cell.strip() for cell in cells))
    return Table(rows, html=told.get("html", "").lower() == "true")


def _directives(text: str) -> tuple[dict[str, str], str, int]:
    """What lines such as #separator:tab at the top say, the text below them, and the number of its first line."""
    told: dict[str, str] = {}
    at = 1
    while text.startswith("#"):
        line, _, rest = text.partition("\n")
        name, colon, value = line[1:].strip("\r").partition(":")
        if not colon:
            break
        told[name.strip().lower()] = value.strip(" ")
        text, at = rest, at + 1
    return told, text, at


def _divider(body: str) -> str:
    """The sign that divides the row of names, told by the name guid in it."""
    for divider in ",;\t|":
        first = next(csv.reader(io.StringIO(body, newline=""), delimiter=divider), [])
        if "guid" in map(_name, first):
            return divider
    raise BadTable(
        "The table has no column guid in its first row; add one with a name of its own for each card, "
        "so that importing again finds the same cards."
    )


def _lines(body: str, divider: str, at: int) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=divider, strict=True)
    found: list[tuple[int, list[str]]] = []
    before = 0
    try:
        for cells in reader:
            if cells:
                found.append((at + before, cells))
            before = reader.line_num
    except csv.Error as error:
        raise BadTable(
            f"The table cannot be read from line {at + before} on ({error}); close every quote."
        ) from None
    return found


def _named(told: Mapping[str, str], lines: list[tuple[int, list[str]]]) -> dict[int, str]:
    """The name of each column that has one, by its index. A row that names them is taken off `lines`."""
    names = {
        int(value) - 1: _name(key.removesuffix(" column"))
        for key, value in told.items()
        if key.endswith(" column") and value.isascii() and value.isdigit()
    }
    if "columns" in told:
        divider = _SEPARATORS.get(told.get("separator", "tab").lower(), "\t")
        names = dict(enumerate(map(_name, told["columns"].split(divider)))) | names
    elif "guid" not in names.values():
        names |= dict(enumerate(map(_name, lines.pop(0)[1])))
    if "guid" not in names.values():
        raise BadTable(
            "The table has no column guid; add one, or name it in a first line such as #guid column:1."
        )
    return names


def _name(cell: str) -> str:
    name = cell.strip().lower()
    return _NAMES.get(name, name)


def _row(line: int, cells: list[str], names: Mapping[int, str]) -> Row:
    known = {name: cells[at] for at, name in names.items() if at < len(cells) and name in COLUMNS}
    others = tuple(cell for at, cell in enumerate(cells) if names.get(at) not in COLUMNS)
    return Row(line, known, others)

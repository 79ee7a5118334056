"""Notes as their files have them, in Markdown: what the database keeps is rendered, and cannot be handed on.

places = found(conn, Wanted(deck="attention/mask"))     # within a read transaction
decks = load(settings, places)                          # after it: files are read
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from app.library import service, store
from app.library.files import DeckFile, deck_files
from app.library.format import DeckErrors, decode, parse_deck
from app.library.service import MOST, Wanted
from app.library.source_notes import SourceDeck, SourceNote
from app.library.text import unify
from app.settings import Settings
from app.web.errors import Invalid

File = tuple[str, str]  # origin and path of a deck file


@dataclass(frozen=True)
class Places:
    """Where the notes that fit are: the stored key of each by the names that a file may give it, file by file; and
    the deck of each key.
    """

    files: Mapping[File, Mapping[str, str]]
    decks: Mapping[str, str]


def found(conn: Connection, wanted: Wanted) -> Places:
    """The notes that have a live card which fits, in the library's order. Raises Invalid with a sentence."""
    names: dict[str, list[str]] = {}
    places: dict[str, File] = {}
    for name, known in store.known_notes(conn).items():
        names.setdefault(known.key, []).append(name)
        places[known.key] = (known.origin, known.path)
    files: dict[File, dict[str, str]] = {}
    decks = dict(_keys(conn, wanted))
    for key in decks:
        files.setdefault(places[key], {}).update(dict.fromkeys(names[key], key))
    return Places(files, decks)


def load(settings: Settings, places: Places) -> tuple[SourceDeck, ...]:
    """Reads those notes from their files. Raises Invalid, naming the line, where a file has a mistake by now."""
    files = {(file.origin, file.path): file for file in deck_files(settings) if places.files}
    return tuple(
        _read(files[place], names, places.decks) for place, names in places.files.items() if place in files
    )


def _keys(conn: Connection, wanted: Wanted) -> Iterator[tuple[str, str]]:
    """The keys of notes that fit, each once, with their decks; a card's id is its note's key, or that and a dot."""
    seen: set[str] = set()
    cursor = ""
    while True:
        page = service.search(conn, wanted, MOST, cursor)
        for card in page.cards:
            key = card.id.partition(".")[0]
            if key not in seen:
                seen.add(key)
                yield key, card.deck
        cursor = page.cursor
        if not cursor:
            return


def _read(file: DeckFile, keys: Mapping[str, str], decks: Mapping[str, str]) -> SourceDeck:
    try:
        text = unify(decode(file.data, file.path))
        deck = parse_deck(text, file.path)
    except DeckErrors as error:
        raise Invalid(f"{error.errors[0]} Mend it, then export again.") from None
    lines = text.split("\n")
    ends = [note.line - 1 for note in deck.notes[1:]] + [len(lines)]
    notes = tuple(
        SourceNote(keys[note.id], decks[keys[note.id]], note, "\n".join(lines[note.line - 1 : end]).rstrip())
        for note, end in zip(deck.notes, ends, strict=True)
        if note.id in keys
    )
    return SourceDeck(deck, file.origin, notes)

"""Bring the decks on disk into the database. Only changed files are read; ids, never texts, carry history.

A file with a mistake is skipped whole and named; what it gave before stays as it was, and the rest loads.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from app.db.engine import Database
from app.library import store
from app.library.compose import ReadyDeck, ready
from app.library.files import DeckFile, deck_files
from app.library.format import Deck, DeckError, DeckErrors, decode, parse_deck
from app.library.names import Taken, clashes
from app.library.store import Known
from app.settings import Settings


@dataclass(frozen=True)
class Synced:
    """What a sync did: how many files it read anew, how many were as before, and what is wrong in which."""

    read: int
    unchanged: int
    errors: tuple[DeckError, ...]


def sync(settings: Settings, db: Database, now: datetime) -> Synced:
    """Read every changed deck file and store it, a transaction for each file."""
    files = list(deck_files(settings))
    with db.read() as conn:
        hashes = store.file_hashes(conn)
        known = store.known_notes(conn)
        places = store.deck_places(conn)
    _forget_missing(db, hashes.keys() - {(f.origin, f.path) for f in files}, now)
    changed = [file for file in files if hashes.get((file.origin, file.path)) != file.hash]
    parsed = [(file, _parse(file)) for file in changed]
    changing = {(file.origin, file.path) for file, deck in parsed if isinstance(deck, Deck)}
    present = {(file.origin, file.path) for file in files}
    steady = present - changing
    taken = _taken(known, places, steady)
    ids = {note.id for _, deck in parsed if isinstance(deck, Deck) for note in deck.notes} | set(taken.cards)
    owners: dict[str, str] = {}
    errors: list[DeckError] = []
    for file, deck in parsed:
        made, found = None, deck
        if isinstance(deck, Deck):
            found = tuple(clashes(deck, taken, ids)) or tuple(_heirs(deck, known, owners))
            if not found:
                made = ready(deck)
                taken.take(deck)
        assert not isinstance(found, Deck)
        errors += found
        _store(db, file, made, found, known=known, position=files.index(file), now=now)
    if changed:
        with db.write() as conn:
            store.place_decks(conn, [(file.origin, file.path) for file in files])
    return Synced(len(changed), len(files) - len(changed), tuple(errors))


def _taken(
    known: Mapping[str, Known], places: Mapping[str, tuple[str, str]], steady: set[tuple[str, str]]
) -> Taken:
    """The names that the files in `steady` gave when they were last read, former ids included."""
    renamed = {note.key for name, note in known.items() if name != note.key}
    return Taken(
        decks={name: place[1] for name, place in places.items() if place in steady},
        cards={
            name: f"{note.path} as a former id" if name in renamed else note.path
            for name, note in known.items()
            if not note.retired and (note.origin, note.path) in steady
        },
    )


def _parse(file: DeckFile) -> Deck | tuple[DeckError, ...]:
    if file.errors:
        return file.errors
    try:
        return parse_deck(decode(file.data, file.path), file.path)
    except DeckErrors as error:
        return error.errors


def _store(
    db: Database,
    file: DeckFile,
    made: ReadyDeck | None,
    errors: Sequence[DeckError],
    *,
    known: Mapping[str, Known],
    position: int,
    now: datetime,
) -> None:
    with db.write() as conn:
        if made is not None:
            keys = {str(r.note.id): _key(r.note.id, r.note.was, known) for r in made.notes}
            store.save_deck(conn, made, origin=file.origin, position=position, keys=keys, now=now)
        store.save_file(
            conn,
            origin=file.origin,
            path=file.path,
            hash=file.hash,
            errors=[asdict(e) for e in errors],
            now=now,
        )


def _key(note_id: str, was: Sequence[str], known: Mapping[str, Known]) -> str:
    """The key that a note is stored under: the one it, or its former self, has already."""
    for name in (note_id, *was):
        if name in known:
            return known[name].key
    return note_id


def _heirs(deck: Deck, known: Mapping[str, Known], owners: dict[str, str]) -> Iterator[DeckError]:
    """Cards that would take another's history, since their id is the former one of a card that is still there.

    `owners` has the card of each history that files read before have named; those of `deck` are added.
    """
    for note in sorted(deck.notes, key=lambda note: note.id in known and known[note.id].key == note.id):
        other = owners.setdefault(_key(note.id, note.was, known), note.id)
        if other != note.id:
            problem = f'the id "{note.id}" was that of the card "{other}" before, and still holds its history'
            yield DeckError(deck.path, note.line_of("id"), problem, "give the new card another id.")


def _forget_missing(db: Database, missing: set[tuple[str, str]], now: datetime) -> None:
    for origin, path in sorted(missing):
        with db.write() as conn:
            store.forget_file(conn, origin=origin, path=path, now=now)

"""Bring the decks on disk into the database. Only changed files are read; ids, never texts, carry history.

A file with a mistake is skipped whole and named; what it gave before stays as it was, and the rest loads. An edited
copy of a shipped card (`copied:`) takes its place: that is held back, and what it says is kept beside the copy.
So is a newly shipped card whose id one of the learner's own has had before, and a newly shipped deck that takes the
name of one of theirs is refused: what they wrote and answered stays theirs.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial

from app.db.engine import Database
from app.library import store, store_notes
from app.library.blocks import plain
from app.library.changes import Changes
from app.library.compose import ready
from app.library.files import DeckFile, deck_files
from app.library.format import Deck, DeckError, DeckErrors, Note, decode, parse_deck
from app.library.names import Taken, clashes, without_copied
from app.library.store import Known
from app.library.store_notes import Place, Seat
from app.library.text import nfc
from app.library.values import parts
from app.library.writing import writing
from app.settings import Settings

File = tuple[str, str]  # origin and path


@dataclass(frozen=True)
class Synced:
    """What a sync did: files read anew, files that were as before, what is wrong in which, and what changed."""

    read: int
    unchanged: int
    errors: tuple[DeckError, ...]
    changes: Changes


def sync(settings: Settings, db: Database, now: datetime) -> Synced:
    """Read every changed deck file and store it, a transaction for each file."""
    with writing():
        files = list(deck_files(settings))
        with db.read() as conn:
            hashes = store.file_hashes(conn)
            stored = _Stored(store.known_notes(conn), store.deck_places(conn))
        reading = _read(files, hashes, stored)
        settled = _settle(reading, stored)
        changes = Changes()
        for file, found in settled.decks:
            changes += _store(db, file, found, settled, position=files.index(file), now=now)
        for origin, path in sorted(hashes.keys() - {(f.origin, f.path) for f in files}):
            with db.write() as conn:
                changes += store_notes.forget_file(conn, Place(origin, path, now))
        if reading.parsed:
            with db.write() as conn:
                store_notes.place_decks(conn, [(file.origin, file.path) for file in files])
    read = len(reading.parsed)
    return Synced(read, len(files) - read, settled.errors, changes)


@dataclass(frozen=True)
class _Stored:
    """What the database knew before: notes by all their names, and the file of each deck name."""

    known: Mapping[str, Known]
    places: Mapping[str, File]

    def key(self, note: Note) -> str:
        """The key that a note is stored under: the one it, or its former self, has already."""
        for name in (note.id, *note.was):
            if name in self.known:
                return self.known[name].key
        return note.id

    def copies(self, files: Collection[File]) -> set[str]:
        """The keys of the edited copies that these files gave when they were last read."""
        return {k.key for k in self.known.values() if k.copied and (k.origin, k.path) in files}

    def own(self) -> set[str]:
        """The keys of the cards that the learner wrote themselves and that a file of theirs had when last read."""
        return {k.key for k in self.known.values() if k.origin == "own" and not k.copied and not k.retired}

    def firsts(self, parsed: "Parsed", steady: Collection[File]) -> set[str]:
        """The keys of own cards that are still there: no shipped card takes their place."""
        given = {
            self.key(note)
            for file, deck in parsed
            if file.origin == "own" and isinstance(deck, Deck)
            for note in deck.notes
            if not note.copied
        }
        kept = {k.key for k in self.known.values() if (k.origin, k.path) in steady}
        return self.own() & (given | kept)


Parsed = list[tuple[DeckFile, Deck | tuple[DeckError, ...]]]


@dataclass(frozen=True)
class _Reading:
    """The files that were read anew, and those that stay as they were: unchanged, or with a mistake now."""

    parsed: Parsed
    steady: set[File]


def _read(files: Sequence[DeckFile], hashes: Mapping[File, str], stored: _Stored) -> _Reading:
    """A file is read anew when it changed, or when what stood for one of its cards is no longer there."""
    parsed = {file: _parse(file) for file in files if hashes.get((file.origin, file.path)) != file.hash}
    steady = {(f.origin, f.path) for f in files if not isinstance(parsed.get(f), Deck)}
    copies = stored.copies(steady) | _copies(parsed.values(), stored)
    gone = {k.key for k in stored.known.values() if k.copied} - copies
    gone |= stored.own() - stored.firsts(list(parsed.items()), steady)
    names = {name for name, known in stored.known.items() if known.key in gone}
    if names:
        for file in files:
            if file not in parsed and not names.isdisjoint(parts(nfc(file.data.decode(errors="replace")))):
                parsed[file] = _parse(file)
    steady = {(f.origin, f.path) for f in files if not isinstance(parsed.get(f), Deck)}
    return _Reading([(file, parsed[file]) for file in files if file in parsed], steady)


def _parse(file: DeckFile) -> Deck | tuple[DeckError, ...]:
    if file.errors:
        return file.errors
    try:
        return parse_deck(decode(file.data, file.path), file.path)
    except DeckErrors as error:
        return error.errors


def _copies(decks: Collection[Deck | tuple[DeckError, ...]], stored: _Stored) -> set[str]:
    return {
        stored.key(note) for deck in decks if isinstance(deck, Deck) for note in deck.notes if note.copied
    }


@dataclass
class _Settled:
    """What each file that was read comes to: a deck with the ids that are held back, or what is wrong with it."""

    stored: _Stored
    decks: list[tuple[DeckFile, Deck | tuple[DeckError, ...]]] = field(default_factory=list)
    copies: set[str] = field(default_factory=set)
    firsts: set[str] = field(default_factory=set)
    seats: dict[str, Seat] = field(default_factory=dict)

    @property
    def errors(self) -> tuple[DeckError, ...]:
        return tuple(error for _, found in self.decks if not isinstance(found, Deck) for error in found)

    def held(self, file: DeckFile, deck: Deck) -> frozenset[str]:
        return frozenset(n.id for n in deck.notes if not n.copied and self.stands_back(file, n))

    def stands_back(self, file: DeckFile, note: Note) -> bool:
        """Whether the note's place is that of an edited copy, or of a card that the learner had first."""
        key = self.stored.key(note)
        return key in self.copies or (file.origin == "shipped" and key in self.firsts)


def _settle(reading: _Reading, stored: _Stored) -> _Settled:
    """Holds the names that files give against each other; a copy in a file that is refused stands for nothing."""
    parsed = reading.parsed
    firsts = stored.firsts(parsed, reading.steady)
    while True:
        copies = stored.copies(reading.steady) | _copies([d for _, d in parsed], stored)
        made = _Settled(stored, copies=copies, firsts=firsts)
        made.decks = list(_judged(parsed, reading.steady, made))
        refused = [deck for deck, (_, found) in zip(parsed, made.decks, strict=True) if found != deck[1]]
        if not any(_copies([deck], stored) for _, deck in refused):
            break
        parsed = made.decks
    for file, deck in made.decks:
        if isinstance(deck, Deck):
            held = made.held(file, deck)
            for position, note in enumerate(deck.notes):
                if note.id in held:
                    made.seats[stored.key(note)] = Seat(deck.name, position, plain(note.text))
    return made


def _judged(
    parsed: Parsed, steady: set[File], settled: _Settled
) -> Iterator[tuple[DeckFile, Deck | tuple[DeckError, ...]]]:
    stored = settled.stored
    naming = [
        (
            file,
            without_copied(deck, partial(settled.stands_back, file)) if isinstance(deck, Deck) else deck,
        )
        for file, deck in parsed
    ]
    taken = _taken(stored, steady, settled.copies)
    ids = {note.id for _, deck in naming if isinstance(deck, Deck) for note in deck.notes} | set(taken.cards)
    owners: dict[str, str] = {}
    before = _own_names(parsed, stored)
    taken.decks |= {name: file.path for name, file in before.items()}
    for (file, deck), (_, named) in zip(parsed, naming, strict=True):
        found = deck
        if isinstance(named, Deck):
            if before.get(named.name) is file:
                del taken.decks[named.name]
            found = tuple(clashes(named, taken, ids)) or tuple(_heirs(named, stored, owners)) or deck
            if isinstance(found, Deck):
                taken.take(named)
        yield file, found


def _own_names(parsed: Parsed, stored: _Stored) -> dict[str, DeckFile]:
    """The decks that were the learner's own when last read and still are, each with its file."""
    own = {name for name, (origin, _) in stored.places.items() if origin == "own"}
    names: dict[str, DeckFile] = {}
    for file, deck in parsed:
        if file.origin == "own" and isinstance(deck, Deck) and deck.name in own:
            names.setdefault(deck.name, file)
    return names


def _taken(stored: _Stored, steady: set[File], copies: set[str]) -> Taken:
    """The names that the files in `steady` gave when they were last read, former ids included."""
    renamed = {note.key for name, note in stored.known.items() if name != note.key}
    return Taken(
        decks={name: place[1] for name, place in stored.places.items() if place in steady},
        cards={
            name: f"{note.path} as a former id" if name in renamed else note.path
            for name, note in stored.known.items()
            if not note.retired
            and (note.origin, note.path) in steady
            and (note.copied or note.key not in copies)
        },
    )


def _heirs(deck: Deck, stored: _Stored, owners: dict[str, str]) -> Iterator[DeckError]:
    """Cards that would take another's history, since their id is the former one of a card that is still there.

    `owners` has the card of each history that files read before have named; those of `deck` are added.
    """
    known = stored.known
    for note in sorted(deck.notes, key=lambda note: note.id in known and known[note.id].key == note.id):
        other = owners.setdefault(stored.key(note), note.id)
        if other != note.id:
            problem = f'the id "{note.id}" was that of the card "{other}" before, and still holds its history'
            yield DeckError(deck.path, note.line_of("id"), problem, "give the new card another id.")


def _store(
    db: Database,
    file: DeckFile,
    found: Deck | tuple[DeckError, ...],
    settled: _Settled,
    *,
    position: int,
    now: datetime,
) -> Changes:
    changes, at = Changes(), Place(file.origin, file.path, now)
    made = None
    if isinstance(found, Deck):
        with db.read() as conn:
            stamps = store_notes.stamps(conn, at)
        same = {n.id for n in found.notes if stamps.get(settled.stored.key(n)) == store_notes.stamp(n)}
        made = ready(found, settled.held(file, found), same)
    with db.write() as conn:
        if made is not None:
            keys = {str(note.id): settled.stored.key(note) for note in made.deck.notes}
            changes = store_notes.save_deck(conn, made, at, position=position, keys=keys, seats=settled.seats)
        errors = [] if isinstance(found, Deck) else [asdict(error) for error in found]
        store_notes.save_file(
            conn, origin=file.origin, path=file.path, hash=file.hash, errors=errors, now=now
        )
    return changes

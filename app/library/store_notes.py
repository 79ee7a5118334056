"""SQL that brings a deck file's notes and cards up to date: what sync writes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from sqlalchemy import Connection, and_, bindparam, delete, or_, select, update
from sqlalchemy.dialects.sqlite import insert

from app.db import tables as t
from app.library.blocks import fingerprint, plain
from app.library.changes import Changes
from app.library.compose import PlacedNote, ReadyDeck, ReadyNote
from app.library.files import renderer_id
from app.library.notes import Note
from app.library.text import shuffle

MANY = 500  # keys in one statement


@dataclass(frozen=True)
class Place:
    """A deck file and the moment at which it was read."""

    origin: str
    path: str
    now: datetime


@dataclass(frozen=True)
class Seat:
    """Where an edited copy stands among the shipped cards, and what the shipped deck says in its place."""

    deck_name: str
    position: int
    text: str


def save_file(
    conn: Connection, *, origin: str, path: str, hash: str, errors: list[dict[str, object]], now: datetime
) -> None:
    values = {"origin": origin, "path": path, "hash": hash, "errors": errors, "read_at": now}
    conn.execute(insert(t.deck_file).values(values).on_conflict_do_update(set_=values))


def forget_file(conn: Connection, at: Place) -> Changes:
    """The file is gone: its notes are retired, their history and their text stay."""
    f = t.deck_file
    conn.execute(delete(f).where(f.c.origin == at.origin, f.c.path == at.path))
    names = select(t.deck.c.name).where(t.deck.c.origin == at.origin, t.deck.c.path == at.path)
    _ship_no_more(conn, conn.scalars(select(t.note.c.key).where(t.note.c.deck_name.in_(names))).all())
    return _retire(conn, _keys_of(conn, at), at.now)


def save_deck(
    conn: Connection,
    made: ReadyDeck,
    at: Place,
    *,
    position: int,
    keys: Mapping[str, str],
    seats: Mapping[str, Seat],
) -> Changes:
    """Store a deck whole. `keys` says under which key each of its notes is stored, `seats` where copies stand."""
    deck = made.deck
    values = {"origin": at.origin, "path": deck.path, "title": deck.title, "position": position}
    conn.execute(
        insert(t.deck)
        .values(values | {"name": deck.name})
        .on_conflict_do_update(index_elements=["name"], set_=values)
    )
    _take_over_old_names(conn, at, deck.name)
    before = _keys_of(conn, at)
    changes = Changes()
    for ready in made.notes:
        key = keys[ready.note.id]
        own = Seat(deck.name, ready.position, "")
        changes += _save_note(conn, ready, key, own, seats.get(key), at)
    for held in made.held:
        _seat(conn, keys[held.note.id], held, deck.name)
    _place(conn, {keys[same.note.id]: same.position for same in made.same if not same.note.copied}, deck.name)
    present = {keys[note.id] for note in deck.notes}
    seated = select(t.note.c.key).where(t.note.c.deck_name == deck.name)
    _ship_no_more(conn, set(conn.scalars(seated)) - present)
    return changes + _retire(conn, before - present, at.now)


def place_decks(conn: Connection, files: Sequence[tuple[str, str]]) -> None:
    """Give each deck the place of its file, since a new file moves those after it."""
    d = t.deck
    placed = update(d).where(d.c.origin == bindparam("of"), d.c.path == bindparam("at"))
    rows = [{"of": origin, "at": path, "nth": nth} for nth, (origin, path) in enumerate(files)]
    conn.execute(placed.values(position=bindparam("nth")), rows)


def _take_over_old_names(conn: Connection, at: Place, name: str) -> None:
    """A file that calls its deck otherwise than before takes along all that it held under the old name."""
    d, n = t.deck, t.note
    old = and_(d.c.origin == at.origin, d.c.path == at.path, d.c.name != name)
    conn.execute(update(n).where(n.c.deck_name.in_(select(d.c.name).where(old))).values(deck_name=name))
    conn.execute(delete(d).where(old))


def _keys_of(conn: Connection, at: Place) -> set[str]:
    """The notes that came from this file when it was last read."""
    n, d, s = t.note, t.deck, t.note_source
    here = or_(
        and_(s.c.origin == at.origin, s.c.path == at.path),
        and_(s.c.note_key.is_(None), d.c.origin == at.origin, d.c.path == at.path),
    )
    rows = select(n.c.key).join(d, d.c.name == n.c.deck_name).outerjoin(s, s.c.note_key == n.c.key)
    return set(conn.scalars(rows.where(here)))


def _save_note(
    conn: Connection, ready: ReadyNote, key: str, own: Seat, seat: Seat | None, at: Place
) -> Changes:
    note, n, s = ready.note, t.note, t.note_source
    before = conn.execute(
        select(n.c.hash, n.c.revision, n.c.deck_name, n.c.position, s.c.text, s.c.copied)
        .add_columns(s.c.copied_text, s.c.shipped_text)
        .outerjoin(s, s.c.note_key == n.c.key)
        .where(n.c.key == key)
    ).one_or_none()
    values = {
        "deck_name": own.deck_name,
        "position": own.position,
        "kind": note.kind,
        "level": note.level or "",
        "core": note.core,
        "source": note.source,
        "demo": note.demo,
        "body": ready.body,
    }
    if note.copied and seat:
        values |= {"deck_name": seat.deck_name, "position": seat.position}
    elif note.copied and before:  # it stays where it was among the others
        values |= {"deck_name": before.deck_name, "position": before.position}
    if before is None:
        fresh = {"key": key, "hash": note.content_hash, "revision": 1, "changed_at": at.now}
        conn.execute(insert(n).values(values | fresh))
    else:
        edited = before.hash != note.content_hash
        change = {"hash": note.content_hash, "revision": before.revision + 1, "changed_at": at.now}
        conn.execute(update(n).where(n.c.key == key).values(values | (change if edited else {})))
    known = [seat.text] if seat else []
    if before is not None:
        known += [text for text in (before.shipped_text, before.copied_text) if text]
        known += [before.text] if before.text and not before.copied else []
    _save_source(conn, note, key, known, at)
    _name(conn, note, key)
    said = before is not None and before.text and fingerprint(before.text) != fingerprint(note.text)
    return _save_cards(conn, ready, key, changed=bool(said), now=at.now)


def stamps(conn: Connection, at: Place) -> dict[str, str]:
    """By their keys the stamps of the notes that came from this file."""
    s = t.note_source
    rows = select(s.c.note_key, s.c.stamp).where(s.c.origin == at.origin, s.c.path == at.path)
    return {r.note_key: r.stamp for r in conn.execute(rows) if r.stamp}


def stamp(note: Note) -> str:
    """Stands for all that a note's cards are drawn from: its text, its deck's demo, and the code."""
    told = "\n".join((renderer_id(), note.demo or "", note.text))
    return sha256(told.encode()).hexdigest()[:32]


def _place(conn: Connection, positions: Mapping[str, int], deck_name: str) -> None:
    """Notes that are as they were, where the file has them now."""
    n = t.note
    moved = or_(n.c.position != bindparam("nth"), n.c.deck_name != deck_name)
    placed = update(n).where(n.c.key == bindparam("of"), moved)
    rows = [{"of": key, "nth": nth} for key, nth in positions.items()]
    if rows:
        conn.execute(placed.values(position=bindparam("nth"), deck_name=deck_name), rows)


def _save_source(conn: Connection, note: Note, key: str, known: Sequence[str], at: Place) -> None:
    """`known` are shipped texts of this card: what the deck says now comes first, if it says anything."""
    values: dict[str, object] = {
        "note_key": key,
        "origin": at.origin,
        "path": at.path,
        "text": note.text,
        "stamp": stamp(note),
        "retired": note.retired,
        "copied": note.copied,
        "copied_text": None,
        "shipped_text": None,
    }
    if note.copied:
        values["copied_text"] = next((text for text in known if fingerprint(text) == note.copied), None)
        values["shipped_text"] = known[0] if known else None
    conn.execute(insert(t.note_source).values(values).on_conflict_do_update(set_=values))


def _name(conn: Connection, note: Note, key: str) -> None:
    if note.id != key:
        conn.execute(insert(t.note_alias).values(alias=note.id, note_key=key).on_conflict_do_nothing())
    conn.execute(delete(t.note_tag).where(t.note_tag.c.note_key == key))
    if note.tags:
        conn.execute(insert(t.note_tag), [{"note_key": key, "tag": tag} for tag in dict.fromkeys(note.tags)])


def _seat(conn: Connection, key: str, held: PlacedNote, deck_name: str) -> None:
    """A shipped card whose copy is shown: the copy takes its place, and remembers what it says."""
    n, s = t.note, t.note_source
    told = update(s).where(s.c.note_key == key, s.c.copied != "").values(shipped_text=plain(held.note.text))
    if conn.execute(told).rowcount:
        conn.execute(update(n).where(n.c.key == key).values(deck_name=deck_name, position=held.position))
        if held.note.id != key:
            alias = insert(t.note_alias).values(alias=held.note.id, note_key=key)
            conn.execute(alias.on_conflict_do_nothing())


def _ship_no_more(conn: Connection, keys: Collection[str]) -> None:
    """No shipped deck has these cards any more; copies of them stay."""
    s = t.note_source
    for some in _batches(keys):
        conn.execute(update(s).where(s.c.note_key.in_(some), s.c.copied != "").values(shipped_text=None))


def _save_cards(conn: Connection, ready: ReadyNote, key: str, *, changed: bool, now: datetime) -> Changes:
    c = t.card
    rows = conn.execute(select(c.c.id, c.c.retired_at).where(c.c.note_key == key)).all()
    since = {r.id: r.retired_at for r in rows}
    live = {r.id for r in rows if r.retired_at is None}
    ids = [f"{key}{card.suffix}" for card in ready.cards]
    for card_id, card in zip(ids, ready.cards, strict=True):
        values = {
            "id": card_id,
            "note_key": key,
            "ord": card.ord,
            "queue": card.queue,
            "front": card.front,
            "back": card.back,
            "words": card.words,
            "shuffle": shuffle(card_id),
            "retired_at": (since.get(card_id) or now) if ready.note.retired else None,
        }
        conn.execute(insert(c).values(values).on_conflict_do_update(index_elements=["id"], set_=values))
    stays = set() if ready.note.retired else set(ids)
    conn.execute(update(c).where(c.c.id.in_(live - stays)).values(retired_at=now))
    return Changes(
        new=len(stays - since.keys()),
        changed=len(stays & live) if changed else 0,
        back=len((stays & since.keys()) - live),
        gone=len(live - stays),
    )


def _retire(conn: Connection, note_keys: Collection[str], now: datetime) -> Changes:
    """Retire the cards of these notes. A card is retired, or it is not; its note is when all its cards are."""
    c, s = t.card, t.note_source
    gone = 0
    for some in _batches(note_keys):
        retired = update(c).where(c.c.note_key.in_(some), c.c.retired_at.is_(None))
        gone += conn.execute(retired.values(retired_at=now)).rowcount
        conn.execute(
            update(s)
            .where(s.c.note_key.in_(some))
            .values(retired=False, copied="", shipped_text=None, stamp="")
        )
    return Changes(gone=gone)


def _batches(keys: Collection[str]) -> Iterator[Sequence[str]]:
    ordered = sorted(keys)
    return (ordered[at : at + MANY] for at in range(0, len(ordered), MANY))

"""SQL of decks, notes and cards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Select, bindparam, delete, exists, func, select, update
from sqlalchemy.dialects.sqlite import insert

from app.db import tables as t
from app.library.cards import DeckRow
from app.library.compose import ReadyDeck, ReadyNote


def file_hashes(conn: Connection) -> dict[tuple[str, str], str]:
    """The hash under which each deck file was last read; "" for one with mistakes, which another file may mend."""
    return {(r.origin, r.path): "" if r.errors else r.hash for r in conn.execute(select(t.deck_file))}


def deck_places(conn: Connection) -> dict[str, tuple[str, str]]:
    """The origin and path of the file that each deck name comes from."""
    return {r.name: (r.origin, r.path) for r in conn.execute(select(t.deck))}


@dataclass(frozen=True)
class Known:
    """A stored note: the key it is stored under and the file that it last came from."""

    key: str
    origin: str
    path: str
    retired: bool


def known_notes(conn: Connection) -> dict[str, Known]:
    """Stored notes by every name a file may give them: their key, and their aliases."""
    n, d, a, c = t.note, t.deck, t.note_alias, t.card
    live = exists().where(c.c.note_key == n.c.key, c.c.retired_at.is_(None))
    rows = conn.execute(
        select(n.c.key, live.label("live"), d.c.origin, d.c.path).join(d, d.c.name == n.c.deck_name)
    )
    known = {r.key: Known(r.key, r.origin, r.path, not r.live) for r in rows}
    aliases = conn.execute(select(a.c.alias, a.c.note_key)).all()
    return known | {r.alias: known[r.note_key] for r in aliases}


def save_file(
    conn: Connection, *, origin: str, path: str, hash: str, errors: list[dict[str, object]], now: datetime
) -> None:
    values = {"origin": origin, "path": path, "hash": hash, "errors": errors, "read_at": now}
    conn.execute(insert(t.deck_file).values(values).on_conflict_do_update(set_=values))


def forget_file(conn: Connection, *, origin: str, path: str, now: datetime) -> None:
    """The file is gone: its notes are retired, their history stays."""
    conn.execute(delete(t.deck_file).where(t.deck_file.c.origin == origin, t.deck_file.c.path == path))
    names = select(t.deck.c.name).where(t.deck.c.origin == origin, t.deck.c.path == path)
    _retire(conn, select(t.note.c.key).where(t.note.c.deck_name.in_(names)), now)


def save_deck(
    conn: Connection,
    made: ReadyDeck,
    *,
    origin: str,
    position: int,
    keys: Mapping[str, str],
    now: datetime,
) -> None:
    """Store a deck whole. `keys` says under which key each of its notes is (or is to be) stored."""
    deck = made.deck
    values = {"name": deck.name, "origin": origin, "title": deck.title, "position": position}
    conn.execute(
        insert(t.deck)
        .values(values | {"path": deck.path})
        .on_conflict_do_update(index_elements=["name"], set_=values | {"path": deck.path})
    )
    _take_over_old_names(conn, origin, deck.path, deck.name)
    for ready in made.notes:
        _save_note(conn, ready, keys[ready.note.id], deck.name, now)
    present = [keys[r.note.id] for r in made.notes]
    gone = select(t.note.c.key).where(t.note.c.deck_name == deck.name, t.note.c.key.not_in(present))
    _retire(conn, gone, now)


def place_decks(conn: Connection, files: Sequence[tuple[str, str]]) -> None:
    """Give each deck the place of its file, since a new file moves those after it."""
    d = t.deck
    placed = update(d).where(d.c.origin == bindparam("of"), d.c.path == bindparam("at"))
    rows = [{"of": origin, "at": path, "nth": nth} for nth, (origin, path) in enumerate(files)]
    conn.execute(placed.values(position=bindparam("nth")), rows)


def _take_over_old_names(conn: Connection, origin: str, path: str, name: str) -> None:
    """A file that calls its deck otherwise than before takes along all that it held under the old name."""
    conn.execute(
        update(t.note)
        .where(
            t.note.c.deck_name.in_(
                select(t.deck.c.name).where(
                    t.deck.c.origin == origin, t.deck.c.path == path, t.deck.c.name != name
                )
            )
        )
        .values(deck_name=name)
    )
    conn.execute(
        delete(t.deck).where(t.deck.c.origin == origin, t.deck.c.path == path, t.deck.c.name != name)
    )


def _save_note(conn: Connection, ready: ReadyNote, key: str, deck_name: str, now: datetime) -> None:
    note, n = ready.note, t.note
    values = {
        "deck_name": deck_name,
        "kind": note.kind,
        "level": note.level or "",
        "core": note.core,
        "source": note.source,
        "demo": note.demo,
        "body": ready.body,
        "position": ready.position,
    }
    before = conn.execute(select(n.c.hash, n.c.revision).where(n.c.key == key)).one_or_none()
    if before is None:
        fresh = {"key": key, "hash": note.content_hash, "revision": 1, "changed_at": now}
        conn.execute(insert(n).values(values | fresh))
    else:
        edited = before.hash != note.content_hash
        change = {"hash": note.content_hash, "revision": before.revision + 1, "changed_at": now}
        conn.execute(update(n).where(n.c.key == key).values(values | (change if edited else {})))
    if note.id != key:
        conn.execute(insert(t.note_alias).values(alias=note.id, note_key=key).on_conflict_do_nothing())
    conn.execute(delete(t.note_tag).where(t.note_tag.c.note_key == key))
    if note.tags:
        conn.execute(insert(t.note_tag), [{"note_key": key, "tag": tag} for tag in dict.fromkeys(note.tags)])
    _save_cards(conn, ready, key, now)


def _save_cards(conn: Connection, ready: ReadyNote, key: str, now: datetime) -> None:
    c = t.card
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
            "retired_at": None,
        }
        conn.execute(insert(c).values(values).on_conflict_do_update(index_elements=["id"], set_=values))
    conn.execute(
        update(c)
        .where(c.c.note_key == key, c.c.id.not_in(ids), c.c.retired_at.is_(None))
        .values(retired_at=now)
    )


def _retire(conn: Connection, note_keys: Select[tuple[str]], now: datetime) -> None:
    """Retire the cards of these notes. A card is retired, or it is not; its note is when all its cards are."""
    c = t.card
    conn.execute(
        update(c).where(c.c.note_key.in_(note_keys), c.c.retired_at.is_(None)).values(retired_at=now)
    )


def file_errors(conn: Connection) -> list[tuple[str, list[dict[str, object]]]]:
    """The deck files that could not be loaded, with what is wrong in each."""
    f = t.deck_file
    rows = conn.execute(select(f.c.path, f.c.errors).order_by(f.c.origin, f.c.path))
    return [(r.path, r.errors) for r in rows if r.errors]


def decks(conn: Connection) -> list[DeckRow]:
    """The decks that have a card, in their order."""
    rows = conn.execute(
        select(t.deck.c.name, t.deck.c.title, t.deck.c.origin, func.count().label("cards"))
        .join(t.note, t.note.c.deck_name == t.deck.c.name)
        .join(t.card, t.card.c.note_key == t.note.c.key)
        .where(t.card.c.retired_at.is_(None))
        .group_by(t.deck.c.name)
        .order_by(t.deck.c.origin.desc(), t.deck.c.position)
    )
    return [DeckRow(r.name, r.title, r.origin, r.cards) for r in rows]

"""SQL of decks and of the notes and files that are known."""

from dataclasses import dataclass

from sqlalchemy import Connection, exists, func, select

from app.db import tables as t
from app.library.cards import DeckRow, Written


def file_hashes(conn: Connection) -> dict[tuple[str, str], str]:
    """The hash under which each deck file was last read; "" for one with mistakes, which another file may mend."""
    return {(r.origin, r.path): "" if r.errors else r.hash for r in conn.execute(select(t.deck_file))}


def deck_places(conn: Connection) -> dict[str, tuple[str, str]]:
    """The origin and path of the file that each deck name comes from."""
    return {r.name: (r.origin, r.path) for r in conn.execute(select(t.deck))}


@dataclass(frozen=True)
class Known:
    """A stored note: the key it is stored under and the file that it last came from.

    `retired`: no file has it; one that its file itself says to retire is there. `copied`: it is an edited copy.
    """

    key: str
    origin: str
    path: str
    retired: bool
    copied: bool = False


def known_notes(conn: Connection) -> dict[str, Known]:
    """Stored notes by every name a file may give them: their key, and their aliases."""
    n, d, a, c, s = t.note, t.deck, t.note_alias, t.card, t.note_source
    live = exists().where(c.c.note_key == n.c.key, c.c.retired_at.is_(None))
    rows = conn.execute(
        select(n.c.key, live.label("live"), d.c.origin, d.c.path)
        .add_columns(s.c.origin.label("own_origin"), s.c.path.label("own_path"), s.c.retired, s.c.copied)
        .join(d, d.c.name == n.c.deck_name)
        .outerjoin(s, s.c.note_key == n.c.key)
    )
    known = {
        r.key: Known(
            r.key,
            r.own_origin or r.origin,
            r.own_path or r.path,
            not (r.live or r.retired),
            bool(r.copied),
        )
        for r in rows
    }
    aliases = conn.execute(select(a.c.alias, a.c.note_key)).all()
    return known | {r.alias: known[r.note_key] for r in aliases}


def file_errors(conn: Connection) -> list[tuple[str, list[dict[str, object]]]]:
    """The deck files that could not be loaded, with what is wrong in each."""
    f = t.deck_file
    rows = conn.execute(select(f.c.path, f.c.errors).order_by(f.c.origin, f.c.path))
    return [(r.path, r.errors) for r in rows if r.errors]


def decks(conn: Connection) -> list[DeckRow]:
    """The decks that have a card, in their order."""
    size = t.deck_size.c
    rows = conn.execute(
        select(t.deck.c.name, t.deck.c.title, t.deck.c.origin, func.sum(size.cards).label("cards"))
        .join(t.deck_size, size.deck_name == t.deck.c.name)
        .where(size.cards > 0)
        .group_by(t.deck.c.name)
        .order_by(t.deck.c.origin.desc(), t.deck.c.position)
    )
    return [DeckRow(r.name, r.title, r.origin, r.cards) for r in rows]


def written(conn: Connection, key: str) -> Written | None:
    """The note of this key; None: it is not known, or was not read since its text is kept."""
    n, d, s, a, c = t.note, t.deck, t.note_source, t.note_alias, t.card
    live = exists().where(c.c.note_key == n.c.key, c.c.retired_at.is_(None))
    row = conn.execute(
        select(n.c.key, n.c.deck_name, d.c.title, d.c.origin.label("deck_origin"))
        .add_columns(d.c.path.label("deck_path"), live.label("live"))
        .add_columns(s.c.origin, s.c.path, s.c.text, s.c.retired)
        .add_columns(s.c.copied, s.c.copied_text, s.c.shipped_text)
        .join(d, d.c.name == n.c.deck_name)
        .join(s, s.c.note_key == n.c.key)
        .where(n.c.key == key)
    ).one_or_none()
    if row is None:
        return None
    names = frozenset(conn.scalars(select(a.c.alias).where(a.c.note_key == key)))
    return Written(
        row.key,
        names | {key},
        row.deck_name,
        row.title,
        row.deck_origin,
        row.deck_path,
        row.origin,
        row.path,
        row.text,
        row.live,
        row.retired,
        row.copied,
        row.copied_text,
        row.shipped_text,
    )


def note_of(conn: Connection, card_id: str) -> str:
    """The key of a card's note."""
    return str(conn.scalars(select(t.card.c.note_key).where(t.card.c.id == card_id)).one())


def note_key(conn: Connection, name: str) -> str | None:
    """The key of the note that is called, or was once called, so; None: the name is free."""
    found = conn.scalar(select(t.note_alias.c.note_key).where(t.note_alias.c.alias == name))
    return found or conn.scalar(select(t.note.c.key).where(t.note.c.key == name))


def copies(conn: Connection) -> list[tuple[str, str, str, str]]:
    """Edited copies of cards that are shipped: the first card, its words, what was copied, what is shipped now."""
    c, s = t.card, t.note_source
    query = (
        select(func.min(c.c.id), c.c.words, s.c.copied, s.c.shipped_text)
        .join(s, s.c.note_key == c.c.note_key)
        .where(s.c.copied != "", s.c.shipped_text.is_not(None))
        .group_by(c.c.note_key)
        .order_by(c.c.note_key)
    )
    return [(str(i), str(words), str(copied), str(text)) for i, words, copied, text in conn.execute(query)]


def deck_file(conn: Connection, name: str) -> tuple[str, str] | None:
    """The origin and path of the file that a deck comes from."""
    d = t.deck
    row = conn.execute(select(d.c.origin, d.c.path).where(d.c.name == name)).one_or_none()
    return None if row is None else (row.origin, row.path)


def own_decks(conn: Connection) -> list[tuple[str, str]]:
    """The names and titles of the learner's own decks, those without a card, too."""
    d = t.deck
    rows = conn.execute(select(d.c.name, d.c.title).where(d.c.origin == "own").order_by(d.c.position))
    return [(r.name, r.title) for r in rows]

"""SQL of the print view: all that many cards say, one query for each table."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import Connection, select

from app.db import tables as t


@dataclass(frozen=True)
class Sides:
    """Both sides of a card as HTML, and what its note has beyond them."""

    front: str
    back: str
    note: str
    source: str
    body: dict[str, object]


def sides(conn: Connection, ids: Sequence[str]) -> dict[str, Sides]:
    """By the id of each of these cards what it says."""
    c, n = t.card, t.note
    query = (
        select(c.c.id, c.c.front, c.c.back, c.c.note_key, n.c.source, n.c.body)
        .join(n, n.c.key == c.c.note_key)
        .where(c.c.id.in_(ids))
    )
    return {r.id: Sides(r.front, r.back, r.note_key, r.source, r.body) for r in conn.execute(query)}


def tags(conn: Connection) -> dict[str, tuple[str, ...]]:
    """The tags of every note, by its key."""
    x = t.note_tag
    rows = conn.execute(select(x).order_by(x.c.note_key, x.c.tag)).all()
    return {key: tuple(r.tag for r in found) for key, found in groupby(rows, key=lambda r: str(r.note_key))}

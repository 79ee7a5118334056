"""SQL that reads cards: one by its id, or those that belong to something. The search is in store_search.py."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, func, or_, select

from app.db import tables as t
from app.library.cards import CardPage, CardRow


def own() -> ColumnElement[int]:
    return (t.deck.c.origin == "own").cast(t.card.c.ord.type)


def order() -> tuple[ColumnElement[Any], ...]:
    """The library's order: a place as CardRow tells it."""
    return own(), t.deck.c.position, t.note.c.position, t.card.c.ord, t.card.c.id


def listed() -> Select[Any]:
    """What a list tells of each card: never its texts."""
    c, n, d = t.card.c, t.note.c, t.deck.c
    return (
        select(c.id, c.words, c.queue, c.ord, c.note_key, n.kind, n.level, n.core, n.demo, n.position)
        .add_columns(d.name.label("deck"), d.title.label("deck_title"))
        .add_columns(own().label("own"), d.position.label("deck_position"))
        .select_from(t.card)
        .join(t.note, n.key == c.note_key)
        .join(t.deck, d.name == n.deck_name)
    )


def row_of(r: Row[Any]) -> CardRow:
    place = (r.own, r.deck_position, r.position, r.ord, r.id)
    return CardRow(r.id, r.words, r.kind, r.queue, r.level, r.core, r.deck, r.deck_title, r.demo, place)


def one(conn: Connection, card_id: str) -> CardPage | None:
    """The card of this id, retired ones too; a note's later name leads to its card as well."""
    c, n = t.card.c, t.note.c
    whole = listed().add_columns(c.front, c.back, c.retired_at, n.source, n.body, n.revision)
    r = conn.execute(whole.where(c.id == _stored_id(conn, card_id))).one_or_none()
    if r is None:
        return None
    tags = conn.scalars(
        select(t.note_tag.c.tag).where(t.note_tag.c.note_key == r.note_key).order_by(t.note_tag.c.tag)
    )
    siblings = conn.scalars(
        select(t.card.c.id)
        .where(t.card.c.note_key == r.note_key, t.card.c.id != r.id, t.card.c.retired_at.is_(None))
        .order_by(t.card.c.ord)
    )
    return CardPage(
        row_of(r), r.front, r.back, r.source, r.body, tuple(tags), tuple(siblings), r.revision, r.retired_at
    )


def on_demo(conn: Connection, demo: str) -> list[CardRow]:
    """The live cards that run this demo, with whatever parameters, in the library's order."""
    c, n = t.card, t.note
    names = or_(n.c.demo == demo, n.c.demo.startswith(f"{demo} ", autoescape=True))
    query = listed().where(c.c.retired_at.is_(None), names).order_by(*order())
    return [row_of(r) for r in conn.execute(query)]


def demo_lines(conn: Connection) -> list[tuple[str, int]]:
    """Each line that live cards run a demo with, and how many cards do."""
    c, n = t.card, t.note
    query = (
        select(n.c.demo, func.count())
        .join(c, c.c.note_key == n.c.key)
        .where(c.c.retired_at.is_(None), n.c.demo.is_not(None))
        .group_by(n.c.demo)
    )
    return [(str(line), int(count)) for line, count in conn.execute(query)]


def words_of(conn: Connection, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """By each name the id and words of the live card, or of the first card of the note, that is called so."""
    c, a = t.card, t.note_alias
    keys = {r.alias: r.note_key for r in conn.execute(select(a).where(a.c.alias.in_(names)))}
    wanted = {name: keys.get(name, name) for name in names}
    either = or_(c.c.id.in_(wanted.values()), c.c.note_key.in_(wanted.values()))
    rows = conn.execute(
        select(c.c.id, c.c.note_key, c.c.words)
        .where(either, c.c.retired_at.is_(None))
        .order_by(c.c.ord.desc())
    )
    found: dict[str, tuple[str, str]] = {}
    for r in rows:
        found[r.note_key] = found[r.id] = (r.id, r.words)
    return {name: found[key] for name, key in wanted.items() if key in found}


def levels(conn: Connection, card_ids: Sequence[str]) -> dict[str, str]:
    """The level of each card."""
    c, n = t.card, t.note
    query = select(c.c.id, n.c.level).join(n, n.c.key == c.c.note_key).where(c.c.id.in_(card_ids))
    return {r.id: r.level for r in conn.execute(query)}


def _stored_id(conn: Connection, card_id: str) -> str:
    key, dot, rest = card_id.partition(".")
    stored = conn.scalar(select(t.note_alias.c.note_key).where(t.note_alias.c.alias == key))
    return f"{stored}{dot}{rest}" if stored else card_id


def tags(conn: Connection) -> list[str]:
    """Every tag that a live note bears."""
    size = t.tag_size.c
    return list(conn.scalars(select(size.tag).where(size.cards > 0).distinct().order_by(size.tag)))

"""SQL that reads cards: one by its id, or a page of them by words, tag and level."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, Row, Select, func, or_, select, tuple_

from app.db import tables as t
from app.library.cards import CardPage, CardRow, Place


def _own() -> ColumnElement[int]:
    return (t.deck.c.origin == "own").cast(t.card.c.ord.type)


def _cards() -> Select[*tuple[object, ...]]:
    c, n, d = t.card, t.note, t.deck
    return (
        select(c, n.c.kind, n.c.level, n.c.core, n.c.source, n.c.demo, n.c.body, n.c.revision)
        .add_columns(n.c.position, d.c.name.label("deck"), d.c.title.label("deck_title"))
        .add_columns(_own().label("own"), d.c.position.label("deck_position"))
        .join(n, n.c.key == c.c.note_key)
        .join(d, d.c.name == n.c.deck_name)
    )


def _row(r: Row[*tuple[object, ...]]) -> CardRow:
    place = (r.own, r.deck_position, r.position, r.ord, r.id)
    return CardRow(r.id, r.words, r.kind, r.queue, r.level, r.core, r.deck, r.deck_title, r.demo, place)


def search(
    conn: Connection,
    *,
    words: Sequence[str],
    tag: str,
    level: str,
    deck: str,
    limit: int,
    after: Place | None,
) -> list[CardRow]:
    """At most `limit` live cards, in the library's order, that hold all of `words` (any case, any place)."""
    c, n, d = t.card, t.note, t.deck
    order = (_own(), d.c.position, n.c.position, c.c.ord, c.c.id)
    query = _cards().where(c.c.retired_at.is_(None))
    for word in words:
        query = query.where(
            or_(
                c.c.words.icontains(word, autoescape=True),
                c.c.id.icontains(word, autoescape=True),
                c.c.note_key.in_(
                    select(t.note_tag.c.note_key).where(t.note_tag.c.tag.icontains(word, autoescape=True))
                ),
            )
        )
    if tag:
        query = query.where(c.c.note_key.in_(select(t.note_tag.c.note_key).where(t.note_tag.c.tag == tag)))
    if level:
        query = query.where(n.c.level == level)
    if deck:
        query = query.where(d.c.name == deck)
    if after:
        query = query.where(tuple_(*order) > tuple_(*after))
    return [_row(r) for r in conn.execute(query.order_by(*order).limit(limit))]


def one(conn: Connection, card_id: str) -> CardPage | None:
    """The card of this id, retired ones too; a note's later name leads to its card as well."""
    r = conn.execute(_cards().where(t.card.c.id == _stored_id(conn, card_id))).one_or_none()
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
        _row(r), r.front, r.back, r.source, r.body, tuple(tags), tuple(siblings), r.revision, r.retired_at
    )


def on_demo(conn: Connection, demo: str) -> list[CardRow]:
    """The live cards that run this demo, with whatever parameters, in the library's order."""
    c, n, d = t.card, t.note, t.deck
    names = or_(n.c.demo == demo, n.c.demo.startswith(f"{demo} ", autoescape=True))
    order = (_own(), d.c.position, n.c.position, c.c.ord, c.c.id)
    query = _cards().where(c.c.retired_at.is_(None), names).order_by(*order)
    return [_row(r) for r in conn.execute(query)]


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
    c, x = t.card, t.note_tag
    live = select(x.c.tag).join(c, c.c.note_key == x.c.note_key).where(c.c.retired_at.is_(None))
    return list(conn.scalars(live.distinct().order_by(x.c.tag)))

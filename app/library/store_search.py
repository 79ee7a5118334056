"""SQL of the search: live cards, in the library's order, that hold every word somewhere in their words, id or tags.

LIKE decides. A hundred thousand cards are not read for fifty: where few can fit, the index of trigrams names them
(migration 0014), or their tags do; where many can, the decks are walked in their order until there are enough.
Whatever stands in a card begins a trigram, one or two letters too: of such a word, those trigrams name the cards.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Integer,
    Select,
    Text,
    bindparam,
    column,
    func,
    or_,
    select,
    table,
    text,
    tuple_,
    union_all,
)

from app.db import tables as t
from app.library.cards import CardRow, Place
from app.library.store_cards import listed, order, own, row_of

LOOKED_AT = 300  # cards of the first decks; then more, until there are enough
FEW = 4000  # cards that are looked at one by one, rather than deck by deck
TERMS = 40  # trigrams of one word that are looked up; LIKE decides over the rest
TRIGRAM = table("card_trigram", column("rowid"), column("card_trigram", Text))
TERM = table(
    "card_trigram_term", column("term", Text), column("doc", Integer)
)  # a row for each card that has it
LAST = chr(0x10FFFF)  # of all letters
NO_LETTERS = "\0\ufffe\uffff"  # which no index can hold
EVERY_TAG = text(
    "WITH RECURSIVE each (tag) AS (SELECT min(tag) FROM note_tag UNION ALL "
    "SELECT (SELECT min(tag) FROM note_tag WHERE tag > each.tag) FROM each WHERE each.tag IS NOT NULL) "
    "SELECT tag FROM each WHERE tag IS NOT NULL"
)  # each is looked up after the one before it


def search(
    conn: Connection,
    *,
    words: Sequence[str],
    tag: str,
    level: str,
    deck: str,
    limit: int,
    after: Place | None,
    core: bool = False,
) -> list[CardRow]:
    """At most `limit` live cards, in the library's order, that hold all of `words` (any case, any place)."""
    tags = _tags_with(conn, words) if words else {}
    query = _fitting(words, tags, tag, level, deck)
    if core:
        query = query.where(t.note.c.core.is_(True))
    if after:
        query = query.where(tuple_(*order()) > tuple_(*after))
    query = query.order_by(*order())
    few = _few(conn, words, tags, tag)
    if few is not None:
        return [row_of(r) for r in conn.execute(query.where(t.card.c.id.in_(few)).limit(limit))]
    found: list[CardRow] = []
    places, target = _decks(conn, deck, after), LOOKED_AT
    while places and len(found) < limit:
        names, cards = _first(places, target)
        some = query.where(t.note.c.deck_name.in_(names)).limit(limit - len(found))
        rows = [row_of(r) for r in conn.execute(some)]
        found += rows
        # What is rare is found in a few steps; of what is not, no more is read than will hold the rest.
        target = (
            min(2 * target, cards * (limit - len(found)) // len(rows) + LOOKED_AT) if rows else 2 * target
        )
    return found


def _fitting(
    words: Sequence[str], tags: Mapping[str, list[str]], tag: str, level: str, deck: str
) -> Select[Any]:
    c, n = t.card.c, t.note.c
    query = listed().where(c.retired_at.is_(None))
    for word in words:
        here = or_(c.words.icontains(word, autoescape=True), c.id.icontains(word, autoescape=True))
        query = query.where(or_(here, _has_one_of(tags[word])) if tags[word] else here)
    if tag:
        query = query.where(_has_one_of([tag]))
    if level:
        query = query.where(n.level == level)
    if deck:
        query = query.where(n.deck_name == deck)
    return query


def _tags_with(conn: Connection, words: Sequence[str]) -> dict[str, list[str]]:
    """By each word the tags that hold it; as LIKE does, the letters of ASCII alone have no case."""
    every = [str(tag) for tag in conn.scalars(EVERY_TAG)]
    return {word: [tag for tag in every if _caseless(word) in _caseless(tag)] for word in words}


def _caseless(words: str) -> str:
    return "".join(letter.lower() if letter.isascii() else letter for letter in words)


def _tagged(tags: list[str]) -> Select[str]:
    return select(t.note_tag.c.note_key).where(t.note_tag.c.tag.in_(tags))


def _has_one_of(tags: list[str]) -> ColumnElement[bool]:
    """Asked of each card that is looked at, not of all that have the tags: these may be all there are."""
    x = t.note_tag.c
    return select(1).where(x.note_key == t.card.c.note_key, x.tag.in_(tags)).exists()


def _few(
    conn: Connection, words: Sequence[str], tags: Mapping[str, list[str]], tag: str
) -> Select[Any] | None:
    """The ids of a few cards of which all are that can fit; None where there may be many."""
    for ids in _narrowed(conn, words, tags, tag):
        some = select(func.count()).select_from(ids.limit(FEW + 1).subquery())
        if conn.execute(some).scalar_one() <= FEW:
            return ids
    return None


def _narrowed(
    conn: Connection, words: Sequence[str], tags: Mapping[str, list[str]], tag: str
) -> Iterator[Select[Any]]:
    """Sets of cards outside of which none can fit: by the words that no tag holds, by one that some do, by the tag."""
    c = t.card.c
    told = [word for word in words if _narrows(conn, word)] if _indexed(conn) else []
    if plain := [word for word in told if not tags[word]]:
        yield _matching(plain)
    for word in (word for word in told if tags[word] and _held(conn, tags[word]) <= FEW):
        tagged = select(c.id).where(c.note_key.in_(_tagged(tags[word])))
        yield select(_matching([word]).union(tagged).subquery().c.id)
    if tag:
        yield select(c.id).where(c.note_key.in_(_tagged([tag])))


def _held(conn: Connection, tags: list[str]) -> int:
    """How many cards have one of the tags, at most."""
    size = t.tag_size.c
    return conn.scalars(select(func.total(size.cards).cast(Integer)).where(size.tag.in_(tags))).one()


def _narrows(conn: Connection, word: str) -> bool:
    """Whether the index tells the cards that may hold the word; a short one must begin few trigrams."""
    if any(sign in word for sign in NO_LETTERS):
        return False
    if _terms(word):
        return True
    some = _begun_by(word).limit(FEW + 1)
    return conn.scalars(select(func.count()).select_from(some.subquery())).one() <= FEW


def _matching(words: Sequence[str]) -> Select[Any]:
    """The cards that have all trigrams of the words, and for each short word one that it begins."""
    doc = t.card_text.c.doc
    query = select(t.card_text.c.card_id.label("id"))
    if terms := dict.fromkeys(term for word in words for term in _terms(word)):
        asked = " AND ".join('"' + term.replace('"', '""') + '"' for term in terms)
        match = TRIGRAM.c.card_trigram.op("MATCH")(bindparam(None, asked))
        query = query.where(doc.in_(select(TRIGRAM.c.rowid).where(match)))
    for word in (word for word in words if not _terms(word)):
        query = query.where(doc.in_(_begun_by(word)))
    return query


def _terms(word: str) -> list[str]:
    """The three letters from each place of the word; none of a shorter one."""
    return [word[at : at + 3] for at in range(min(len(word) - 2, TERMS))]


def _begun_by(word: str) -> CompoundSelect[Any]:
    """The cards with a trigram that begins with this letter, or these two.

    The index has each letter without its case, in one of three ways. Each is a range of its own: by an OR of many,
    SQLite would read the whole index.
    """
    ways = [{letter, letter.lower(), letter.casefold()} for letter in word]
    begins = ("".join(letters) for letters in product(*map(sorted, ways)))
    return union_all(*(select(TERM.c.doc).where(TERM.c.term.between(b, b + 2 * LAST)) for b in begins))


def _indexed(conn: Connection) -> bool:
    """Whether this database has the index: a SQLite that was built without FTS5 makes none."""
    return conn.scalar(text("SELECT 1 FROM sqlite_master WHERE name = 'card_trigram'")) is not None


def _decks(conn: Connection, deck: str, after: Place | None) -> deque[tuple[list[str], int]]:
    """The decks in the library's order from the place `after` on: the names of those of one place, and their cards."""
    d, size = t.deck.c, t.deck_size.c
    cards = select(func.total(size.cards)).where(size.deck_name == d.name).scalar_subquery()
    query = select(d.name, own().label("own"), d.position, cards.label("cards"))
    if deck:
        query = query.where(d.name == deck)
    rows = [
        r
        for r in conn.execute(query.order_by(own(), d.position, d.name))
        if after is None or (r.own, r.position) >= after[:2]
    ]
    places = (list(same) for _, same in groupby(rows, key=lambda r: (r.own, r.position)))
    return deque(([str(r.name) for r in same], int(sum(r.cards for r in same))) for same in places)


def _first(places: deque[tuple[list[str], int]], target: int) -> tuple[list[str], int]:
    """Take so many of the first places that they have `target` cards: the names of their decks, and their cards."""
    names: list[str] = []
    cards = 0
    while places and cards < target:
        its_names, its_cards = places.popleft()
        names += its_names
        cards += its_cards
    return names, cards

"""SQL of what waits in each tree of decks: which card comes first, and how many there are, up to the day's limit.

A hundred thousand cards are not looked through for one. Reviews lie in `due` in their order; new cards are looked for
deck by deck, from the turn on before which the learner has seen all (store_fresh.py), until their tree is full.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    ScalarSelect,
    Select,
    func,
    literal_column,
    or_,
    select,
)

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.study.chosen import Chosen
from app.study.queue import Heap, Limits, Waiting
from app.study.scheduling import CardId
from app.study.store_fresh import (
    CARD,
    DAY,
    NOTE,
    STATEMENTS,
    WHO,
    bucket,
    few_of_tag,
    first_of_deck,
    fits,
    new_of_deck,
    new_of_tag,
    within,
)

ONE: ColumnElement[int] = literal_column("1")


def reviews(conn: Connection, learner: LearnerId, today: date, chosen: Chosen, limits: Limits) -> list[Heap]:
    """The reviews that are due in each tree: the longest due one, and how many."""
    if not limits.reviews:
        return []
    asked = {"learner": learner, "today": today}
    return [
        Heap(row.tree, CardId(row.card_id), (row.due_day, row.shuffle), row.many)
        for row in conn.execute(_reviews(chosen, limits.reviews), asked)
        if row.many
    ]


@lru_cache(maxsize=STATEMENTS)
def _reviews(chosen: Chosen, limit: int) -> Select[Any]:
    trees = _trees(_decks(t.deck, chosen))
    its = _due(WHO, DAY, chosen).where(_DUE.tree == trees.c.tree).correlate(trees)
    first = its.order_by(_DUE.due_day, _DUE.shuffle, _DUE.card_id).limit(1)
    query = select(trees.c.tree, _counted(its, limit).label("many"))
    for column in (_DUE.card_id, _DUE.due_day, _DUE.shuffle):  # three times the same row, by its index alone
        query = query.add_columns(first.with_only_columns(column).scalar_subquery().label(column.name))
    return query


def review(
    conn: Connection, learner: LearnerId, today: date, chosen: Chosen, card_id: CardId
) -> Waiting | None:
    """The card, if it is a review that is due."""
    row = conn.execute(_due(learner, today, chosen).where(_DUE.card_id == card_id)).one_or_none()
    return (
        Waiting(CardId(row.card_id), row.deck_name, row.level, (), row.due_day, core=row.core)
        if row
        else None
    )


def new(
    conn: Connection,
    learner: LearnerId,
    today: date,
    chosen: Chosen,
    limits: Limits,
    beside: Collection[str] = (),
) -> list[Heap]:
    """The new cards of each tree: the first one, core before others, then by level, then as the files have them.

    `beside` names decks that are left out, with those below them.
    """
    if not limits.new:
        return []
    if few_of_tag(conn, chosen.tag):
        wanted = new_of_tag(learner, today, chosen).where(*_decks(t.deck, chosen, beside))
        cards = conn.execute(wanted.with_only_columns(*_places(CARD, NOTE))).all()
        many = Counter(card.tree for card in cards)
        return _heaps(cards, {tree: min(count, limits.new) for tree, count in many.items()})
    asked = {"learner": learner, "today": today}
    counted, firsts = _new(chosen, limits.new, tuple(beside))
    counts = {row.tree: row.many for row in conn.execute(counted, asked) if row.many}
    return _heaps(conn.execute(firsts, asked), counts)


def _heaps(cards: Iterable[Row[Any]], counts: Mapping[str, int]) -> list[Heap]:
    """The first of these cards in each tree, with the counts of the trees."""
    firsts: dict[str, tuple[tuple[int, ...], str]] = {}
    for card in cards:
        tree, place = card.tree, (card.bucket, card.deck, card.position, card.ord)
        if tree in counts and (tree not in firsts or place < firsts[tree][0]):
            firsts[tree] = place, card.id
    return [Heap(tree, CardId(card_id), place, counts[tree]) for tree, (place, card_id) in firsts.items()]


@lru_cache(maxsize=STATEMENTS)
def _new(chosen: Chosen, limit: int, beside: tuple[str, ...]) -> tuple[Select[Any], Select[Any]]:
    """How many cards of each tree are new, and the first of each deck."""
    trees, deck = _trees(_decks(t.deck, chosen, beside)), t.deck.alias("d")
    its = (
        new_of_deck(WHO, DAY, chosen, deck)
        .where(deck.c.tree == trees.c.tree, *_decks(deck, chosen, beside))
        .correlate(trees)
    )
    first = first_of_deck(WHO, DAY, chosen, 1).scalar_subquery()
    firsts = (
        select(*_places(t.card, t.note))
        .select_from(t.deck)
        .join(t.card, t.card.c.id == first)
        .join(t.note, t.note.c.key == t.card.c.note_key)
        .where(*_decks(t.deck, chosen, beside))
    )
    return select(trees.c.tree, _counted(its, limit).label("many")), firsts


def _places(card: FromClause, note: FromClause) -> tuple[ColumnElement[Any], ...]:
    """What _heaps is told of a card: its id, its tree, and its place among new cards."""
    d, n = t.deck.c, note.c
    return card.c.id, d.tree, bucket(n.turn).label("bucket"), d.position.label("deck"), n.position, card.c.ord


_DUE = t.due.c


def _due(learner: Any, today: Any, chosen: Chosen) -> Select[Any]:
    """The learner's reviews that may be shown."""
    return select(_DUE.card_id, _DUE.deck_name, _DUE.level, _DUE.core, _DUE.due_day).where(
        _DUE.learner_id == learner,
        _DUE.due_day <= today,
        or_(_DUE.buried_until.is_(None), _DUE.buried_until <= today),
        *fits(chosen, t.due, key=_DUE.note_key),
    )


def _decks(deck: FromClause, chosen: Chosen, beside: Collection[str] = ()) -> list[ColumnElement[bool]]:
    """What the decks are like that are looked through."""
    chosen_one = [within(deck.c.name, chosen.deck)] if chosen.deck else []
    return [*chosen_one, *(~within(deck.c.name, name) for name in beside)]


def _trees(wanted: list[ColumnElement[bool]]) -> FromClause:
    return select(t.deck.c.tree).where(*wanted).distinct().subquery("trees")


def _counted(cards: Select[Any], limit: int) -> ScalarSelect[int]:
    """How many they are, of which no more are looked at than `limit`."""
    some = cards.with_only_columns(ONE).order_by(None).limit(limit)
    return select(func.count()).select_from(some.subquery()).scalar_subquery()

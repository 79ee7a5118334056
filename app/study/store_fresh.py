"""SQL of the cards that are new to a learner: where they begin in each deck, and the first of them.

A hundred thousand cards are not looked through for ten. Each note has its turn in its deck; `fresh_from` remembers
before which turn a learner has no new card left. It is a hint that only saves looking: an answer moves it on, and
triggers (migration 0004) move it back, or forget it, when a card comes in before it or is new again.
"""

from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Select, and_, func, or_, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.study.chosen import Chosen

PAST_ALL = 2**62  # a turn after every note's


def first_of_deck(learner: LearnerId, shown_on: date | None, chosen: Chosen, limit: int) -> Select[str]:
    """The ids of the first new cards of each row of `deck`: a query to be used within one over decks.

    `shown_on` leaves out those that are buried on this day.
    """
    card, note, state = t.card.alias("c"), t.note.alias("n"), t.card_state.alias("s")
    new = state.c.state == "new"
    if shown_on is not None:
        new = and_(new, or_(state.c.buried_until.is_(None), state.c.buried_until <= shown_on))
    return (
        _in_turn(learner, card, note, state, t.deck.c.name)
        .with_only_columns(card.c.id)
        .where(or_(state.c.card_id.is_(None), and_(new, state.c.suspended.is_(False))), *fits(chosen, note))
        .where(or_(note.c.owner_id.is_(None), note.c.owner_id == learner))
        .limit(limit)
        .correlate(t.deck)
    )


def advance(conn: Connection, learner: LearnerId, deck: str) -> None:
    """A card of the deck is no longer new: remember from which turn on there are such cards."""
    card, note, state = t.card.alias("c"), t.note.alias("n"), t.card_state.alias("s")
    new = or_(state.c.card_id.is_(None), state.c.state == "new")
    first = _in_turn(learner, card, note, state, deck).with_only_columns(note.c.turn).where(new).limit(1)
    turn = conn.scalar(first)
    row = {"learner_id": learner, "deck_name": deck, "turn": PAST_ALL if turn is None else turn}
    conn.execute(upsert(t.fresh_from).values(row).on_conflict_do_update(set_={"turn": row["turn"]}))


def fits(chosen: Chosen, note: FromClause) -> list[ColumnElement[bool]]:
    """What the chosen cards' notes are like; `note` is the table of notes, or an alias of it."""
    n, tag = note.c, t.note_tag.c
    wanted: list[ColumnElement[bool]] = []
    if chosen.deck:
        wanted.append(within(n.deck_name, chosen.deck))
    if chosen.level:
        wanted.append(n.level == chosen.level)
    if chosen.core:
        wanted.append(n.core.is_(True))
    if chosen.tag:
        wanted.append(select(1).where(tag.note_key == n.key, tag.tag == chosen.tag).exists())
    return wanted


def within(name: ColumnElement[str], deck: str) -> ColumnElement[bool]:
    """The deck itself, or one below it: "0" comes after "/". LIKE would not tell capital letters apart."""
    return or_(name == deck, and_(name > f"{deck}/", name < f"{deck}0"))


def bucket(turn: ColumnElement[int]) -> ColumnElement[int]:
    """A turn without the place in the file: core before others, then the level."""
    return turn // t.TURNS


def _in_turn(
    learner: LearnerId, card: FromClause, note: FromClause, state: FromClause, deck: Any
) -> Select[Any]:
    """The deck's cards in their turn, from the first on that may be new to the learner."""
    fresh = t.fresh_from.c
    begins = (
        select(fresh.turn)
        .where(fresh.learner_id == learner, fresh.deck_name == deck)
        .correlate(t.deck)
        .scalar_subquery()
    )
    return (
        select(note.c.turn)
        .select_from(note)
        .join(card, card.c.note_key == note.c.key)
        .outerjoin(state, and_(state.c.card_id == card.c.id, state.c.learner_id == learner))
        .where(
            note.c.deck_name == deck,
            note.c.turn >= func.coalesce(begins, 0),
            card.c.queue.concat("")
            == "study",  # no column alone: by the note's cards, not through all of a queue
            card.c.retired_at.is_(None),
        )
        .order_by(note.c.turn, card.c.ord)
    )

"""SQL of the cards that are new to a learner: where they begin in each deck, and the first of them.

A hundred thousand cards are not looked through for ten. Each note has its turn in its deck; `fresh_from` remembers
before which turn a learner has no new card left. It is a hint that only saves looking: an answer moves it on, and
triggers (migration 0004) move it back, or forget it, when a card comes in before it or is new again.

Of a tag that few cards have, all its cards are looked through: in their turns, there may be many others before each.
"""

from dataclasses import replace
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    and_,
    bindparam,
    func,
    or_,
    select,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.db.types import Day
from app.library.values import LEVELS
from app.study.chosen import Chosen

# Statements that each card shown asks are long and the same each time, and to build one takes longer than to run it:
# they are kept, with parameters for who studies, and on which day.
STATEMENTS = 64
WHO: BindParameter[Any] = bindparam("learner")
DAY: BindParameter[Any] = bindparam("today", type_=Day())
CARD, NOTE, STATE = t.card.alias("c"), t.note.alias("n"), t.card_state.alias("s")
PAST_ALL = 2**62  # a turn after every note's
OTHERS = 8  # where cards that are not core begin, in turns of TURNS places (tables/library.py)
FEW = 5000  # cards of a tag that are looked through, rather than the decks in their turns


def first_of_deck(learner: Any, shown_on: Any, chosen: Chosen, limit: int) -> Select[str]:
    """The ids of the first new cards of each row of `deck`: a query to be used within one over decks.

    `shown_on` leaves out those that are buried on this day. It and the learner may be values, or parameters of it.
    """
    first = new_of_deck(learner, shown_on, chosen, t.deck)
    return first.with_only_columns(CARD.c.id).limit(limit).correlate(t.deck)


def new_of_deck(learner: Any, shown_on: Any, chosen: Chosen, deck: FromClause) -> Select[Any]:
    """The new cards of a row of `deck`, the table or an alias of it, in their turn."""
    return _in_turn(learner, deck.c.name, deck).where(
        *_turns(chosen), *_new(learner, shown_on), *fits(chosen, NOTE)
    )


def new_of_tag(learner: Any, shown_on: Any, chosen: Chosen) -> Select[Any]:
    """The new cards of the chosen tag and their decks, by the notes that have it, in no order."""
    tag = t.note_tag.c
    return (
        select(CARD.c.id)
        .select_from(t.note_tag)
        .join(NOTE, NOTE.c.key == tag.note_key)
        .join(CARD, CARD.c.note_key == NOTE.c.key)
        .join(t.deck, t.deck.c.name == NOTE.c.deck_name)
        .outerjoin(STATE, and_(STATE.c.card_id == CARD.c.id, STATE.c.learner_id == learner))
        .where(tag.tag == chosen.tag, *_live(), *_new(learner, shown_on))
        .where(*fits(replace(chosen, tag=""), NOTE))
    )


def few_of_tag(conn: Connection, tag: str) -> bool:
    """Whether a tag was chosen that few cards have."""
    size = t.tag_size.c
    many: int | None = conn.scalar(select(func.sum(size.cards)).where(size.tag == tag)) if tag else None
    return many is not None and many <= FEW


def advance(conn: Connection, learner: LearnerId, deck: str) -> None:
    """A card of the deck is no longer new: remember from which turn on there are such cards."""
    new = or_(STATE.c.card_id.is_(None), STATE.c.state == "new")
    first = _in_turn(learner, deck, t.deck).where(new).limit(1)
    turn = conn.scalar(first)
    row = {"learner_id": learner, "deck_name": deck, "turn": PAST_ALL if turn is None else turn}
    conn.execute(upsert(t.fresh_from).values(row).on_conflict_do_update(set_={"turn": row["turn"]}))


def fits(chosen: Chosen, note: FromClause, key: Any = None) -> list[ColumnElement[bool]]:
    """What the chosen cards' notes are like; `note` has their columns, and its own `key` if no other is told."""
    n, tag = note.c, t.note_tag.c
    wanted: list[ColumnElement[bool]] = []
    if chosen.deck:
        wanted.append(within(n.deck_name, chosen.deck))
    if chosen.level:
        wanted.append(n.level == chosen.level)
    if chosen.core:
        wanted.append(n.core.is_(True))
    if chosen.tag:
        wanted.append(
            select(1).where(tag.note_key == (n.key if key is None else key), tag.tag == chosen.tag).exists()
        )
    return wanted


def within(name: ColumnElement[str], deck: str) -> ColumnElement[bool]:
    """The deck itself, or one below it: "0" comes after "/". LIKE would not tell capital letters apart."""
    return or_(name == deck, and_(name > f"{deck}/", name < f"{deck}0"))


def bucket(turn: ColumnElement[int]) -> ColumnElement[int]:
    """A turn without the place in the file: core before others, then the level."""
    return turn // t.TURNS


def _in_turn(learner: Any, name: Any, deck: FromClause) -> Select[Any]:
    """The cards of the deck of this name in their turn, from the first on that may be new to the learner.

    `deck` is the table that the name is of, if it is a column.
    """
    fresh = t.fresh_from.c
    begins = (
        select(fresh.turn)
        .where(fresh.learner_id == learner, fresh.deck_name == name)
        .correlate(deck)
        .scalar_subquery()
    )
    return (
        select(NOTE.c.turn)
        .select_from(NOTE)
        .join(CARD, CARD.c.note_key == NOTE.c.key)
        .outerjoin(STATE, and_(STATE.c.card_id == CARD.c.id, STATE.c.learner_id == learner))
        .where(
            NOTE.c.deck_name == name,
            NOTE.c.turn >= func.coalesce(begins, 0),
            *_live(),
        )
        .order_by(NOTE.c.turn, CARD.c.ord)
    )


def _turns(chosen: Chosen) -> list[ColumnElement[bool]]:
    """Between which turns all chosen cards lie: the core comes before all others, and both are in levels."""
    at = LEVELS.index(chosen.level) if chosen.level in LEVELS else None
    first, last = (0, len(LEVELS)) if at is None else (at, at)
    if not chosen.core:
        last += OTHERS
    return [NOTE.c.turn >= first * t.TURNS, NOTE.c.turn < (last + 1) * t.TURNS] if chosen.some else []


def _live() -> list[ColumnElement[bool]]:
    # No column alone: by the note's cards, not through all of a queue.
    return [CARD.c.queue.concat("") == "study", CARD.c.retired_at.is_(None)]


def _new(learner: Any, shown_on: Any) -> list[ColumnElement[bool]]:
    """What the learner never answered and may be shown; a card that is buried only if no day is told."""
    new = and_(STATE.c.state == "new", STATE.c.suspended.is_(False))
    if shown_on is not None:
        new = and_(new, or_(STATE.c.buried_until.is_(None), STATE.c.buried_until <= shown_on))
    of_learner = or_(NOTE.c.owner_id.is_(None), NOTE.c.owner_id == learner)
    return [or_(STATE.c.card_id.is_(None), new), of_learner]

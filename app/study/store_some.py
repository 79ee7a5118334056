"""SQL that counts cards for the page to choose some: by deck, level and tag.

How many there are is kept (`deck_size`, `tag_size`). Only cards that the learner has a state of are looked at, to tell
which are no longer new, which are due, and which are suspended and count nowhere: in a large library most have none.
"""

from datetime import date
from typing import Any

from sqlalchemy import Connection, Select, func, or_, select

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.study.chosen import Chosen
from app.study.some import Tallied
from app.study.store_queue import in_use, of_library

STATE, N, TAG = t.card_state, t.note.c, t.note_tag.c
EVERYBODY = 0  # who owns what is shipped, in the kept sizes


def tallies(conn: Connection, learner: LearnerId, today: date) -> dict[tuple[str, str, bool], Tallied]:
    """How many cards there are, are new and are due, for each deck, level and whether they are core."""
    size, place = t.deck_size.c, (N.deck_name, N.level, N.core)
    its_place = (size.deck_name, size.level, size.core)
    sizes = select(*its_place, func.sum(size.cards)).where(
        size.queue == "study", size.owner_id.in_((EVERYBODY, learner))
    )
    mine = _mine(learner, today).add_columns(*place).group_by(*place)
    found = _tallied(conn, sizes.group_by(*its_place), mine)
    return {(deck, level, core): tally for (deck, level, core), tally in found.items()}


def tag_tallies(conn: Connection, learner: LearnerId, today: date) -> dict[str, Tallied]:
    """The same for each tag."""
    size = t.tag_size.c
    sizes = select(size.tag, func.sum(size.cards)).where(
        size.queue == "study", size.owner_id.in_((EVERYBODY, learner))
    )
    mine = _mine(learner, today).add_columns(TAG.tag).join(t.note_tag, TAG.note_key == N.key)
    found = _tallied(conn, sizes.group_by(size.tag).order_by(size.tag), mine.group_by(TAG.tag))
    return {tag: tally for (tag,), tally in found.items()}


def tally(conn: Connection, learner: LearnerId, today: date, chosen: Chosen) -> Tallied:
    """The same of the chosen cards, read one by one: of those of a tag alone, if one was chosen."""
    unseen = or_(STATE.c.card_id.is_(None), STATE.c.state == "new")
    query = of_library(learner, chosen).where(in_use())
    if chosen.tag:
        query = query.where(N.key.in_(select(TAG.note_key).where(TAG.tag == chosen.tag)))
    cards, new, due = conn.execute(
        query.with_only_columns(
            func.count(),
            func.count().filter(unseen),
            func.count().filter(STATE.c.due_day <= today),
        )
    ).one()
    return Tallied(cards, new, due)


def _mine(learner: LearnerId, today: date) -> Select[Any]:
    """Counts of the cards that the learner has a state of: suspended, no longer new, due."""
    used = STATE.c.suspended.is_(False)
    cards = t.card_state.join(t.card, t.card.c.id == STATE.c.card_id).join(t.note, N.key == t.card.c.note_key)
    of_cards: Select[Any] = select().select_from(cards)
    return of_cards.add_columns(
        func.count().filter(STATE.c.suspended.is_(True)),
        func.count().filter(used, STATE.c.state != "new"),
        func.count().filter(used, STATE.c.due_day <= today),
    ).where(
        STATE.c.learner_id == learner,
        t.card.c.queue.concat("") == "study",
        t.card.c.retired_at.is_(None),
        or_(N.owner_id.is_(None), N.owner_id == learner),
    )


def _tallied(conn: Connection, sizes: Select[Any], mine: Select[Any]) -> dict[tuple[Any, ...], Tallied]:
    """By what the rows of both are grouped by: rows of `sizes` end in a count, those of `mine` begin with three."""
    stands = {tuple(row[3:]): row[:3] for row in conn.execute(mine)}
    found: dict[tuple[Any, ...], Tallied] = {}
    for *place, cards in conn.execute(sizes):
        suspended, seen, due = stands.get(tuple(place), (0, 0, 0))
        if cards > suspended:
            found[tuple(place)] = Tallied(cards - suspended, cards - suspended - seen, due)
    return found

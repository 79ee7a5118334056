"""SQL that counts cards for the page to choose some: by deck, level and tag."""

from datetime import date

from sqlalchemy import Connection, Select, func, or_

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.study.chosen import Chosen
from app.study.store_queue import BY_LEVEL, in_use, of_library

STATE = t.card_state


def tallies(conn: Connection, learner: LearnerId, today: date) -> list[tuple[str, str, bool, int, int, int]]:
    """How many cards there are, are new and are due, for each deck, level and whether they are core."""
    n = t.note.c
    query = _counted(learner, today, Chosen()).add_columns(n.deck_name, n.level, n.core)
    rows = conn.execute(query.group_by(n.deck_name, n.level, n.core).order_by(n.deck_name, BY_LEVEL))
    return [(r.deck_name, r.level, r.core, r.cards, r.new, r.due) for r in rows]


def tag_tallies(conn: Connection, learner: LearnerId, today: date) -> list[tuple[str, int, int, int]]:
    """The same for each tag."""
    tag = t.note_tag.c
    query = _counted(learner, today, Chosen()).add_columns(tag.tag)
    rows = conn.execute(
        query.join(t.note_tag, tag.note_key == t.note.c.key).group_by(tag.tag).order_by(tag.tag)
    )
    return [(r.tag, r.cards, r.new, r.due) for r in rows]


def tally(conn: Connection, learner: LearnerId, today: date, chosen: Chosen) -> tuple[int, int, int]:
    """The same of the chosen cards."""
    row = conn.execute(_counted(learner, today, chosen)).one()
    return row.cards, row.new, row.due


def _counted(learner: LearnerId, today: date, chosen: Chosen) -> Select[int, int, int]:
    """Counts of the cards that are in use: all, those that are new, those that are due."""
    unseen = or_(STATE.c.card_id.is_(None), STATE.c.state == "new")
    return (
        of_library(learner, chosen)
        .where(in_use())
        .with_only_columns(
            func.count().label("cards"),
            func.count().filter(unseen).label("new"),
            func.count().filter(STATE.c.due_day <= today).label("due"),
        )
    )

"""Choosing some cards: how many there are of what, and when a cram of them begins."""

from collections import defaultdict
from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.library.values import LEVELS
from app.study import cramming, store_queue, store_some
from app.study.chosen import Chosen
from app.study.service import check
from app.study.some import Tallied, Tallies


def crammable(conn: Connection, learner: Learner, chosen: Chosen) -> int:
    """How many cards a cram of the chosen ones has."""
    check(conn, chosen)
    return len(store_queue.cards(conn, learner.id, chosen, cramming.MOST))


def cram_begins(conn: Connection, learner: Learner) -> int:
    """What a cram that begins now is known by: its answers come after this event."""
    return store_queue.newest_cram(conn, learner.id)


def tallies(conn: Connection, learner: Learner, now: datetime, chosen: Chosen) -> Tallies:
    """How many cards there are of each deck, level and tag, and of those that were chosen."""
    day = learner.day(now)
    decks: defaultdict[str, Tallied] = defaultdict(Tallied)
    levels: dict[str, Tallied] = {level: Tallied() for level in LEVELS}
    core, here = Tallied(), Tallied()
    for (deck, level, is_core), tally in store_some.tallies(conn, learner.id, day).items():
        decks[deck] += tally
        levels[level] = levels.get(level, Tallied()) + tally
        core += tally if is_core else Tallied()
        here += tally if chosen.takes(deck, level, is_core) else Tallied()
    if chosen.tag:
        here = store_some.tally(conn, learner.id, day, chosen)
    return Tallies(dict(decks), levels, store_some.tag_tallies(conn, learner.id, day), core, here)

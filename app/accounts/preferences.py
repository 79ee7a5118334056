"""What a learner has chosen of all that is no part of the schedule: whom the voice goes to, who judges.

A choice is a short text under a name. What was never chosen is "", and each room says what that means to it.
"""

from sqlalchemy import Connection

from app.accounts import store
from app.accounts.learner import Learner


def preference(conn: Connection, learner: Learner, name: str) -> str:
    """What the learner chose under this name; "" where they have not."""
    return store.preference(conn, learner.id, name) or ""


def choose(conn: Connection, learner: Learner, name: str, value: str) -> None:
    """Keep the choice in place of an earlier one. Whether `value` is one of those on offer, the caller has checked."""
    store.set_preference(conn, learner.id, name, value)

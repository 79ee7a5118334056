"""Who the request's learner is. With accounts this looks at a session; until then there is one learner."""

from dataclasses import fields, replace
from functools import cache
from typing import Annotated
from zoneinfo import available_timezones

from fastapi import Depends, Request
from sqlalchemy import Connection

from app.accounts import store
from app.accounts.learner import Learner, Preferences
from app.settings import Settings
from app.web.errors import Invalid
from app.web.parts import parts


def current_learner(request: Request) -> Learner:
    """The learner whom this request serves; every handler that touches a learner's rows takes it."""
    its = parts(request)
    with its.db.read() as conn:
        return only_learner(conn, its.settings)


def only_learner(conn: Connection, settings: Settings) -> Learner:
    """Whom this machine serves, as long as there are no accounts."""
    return replace(store.get(conn, store.FIRST, settings.zone), prefers=_preferences(settings))


Current = Annotated[Learner, Depends(current_learner)]


def _preferences(settings: Settings) -> Preferences:
    """The server's settings serve everybody, until a learner can choose their own."""
    return Preferences(**{f.name: getattr(settings, f.name) for f in fields(Preferences)})


def knows_zone(conn: Connection) -> bool:
    """Whether the learner's time zone is known, so that pages need not ask the browser for it."""
    return store.has_zone(conn, store.FIRST)


@cache
def zones() -> tuple[str, ...]:
    """The time zones there are, in the order of their names."""
    return tuple(sorted(available_timezones()))


def check_zone(zone: str) -> None:
    """Raises Invalid for what is no time zone."""
    if zone not in zones():
        raise Invalid(f"{zone[:60]!r} is not a time zone; write it like Europe/Berlin.")


def adopt_zone(conn: Connection, learner: Learner, zone: str) -> None:
    """Take the browser's time zone as the learner's, when none is known yet."""
    store.set_zone_if_unknown(conn, learner.id, zone)


def change_zone(conn: Connection, learner: Learner, zone: str) -> None:
    """Take another time zone from now on: an answer keeps the study day on which it was given."""
    store.set_zone(conn, learner.id, zone)


def change_rollover(conn: Connection, learner: Learner, hour: int | None, settings: Settings) -> None:
    """Let study days begin at `hour` from now on; None: at the server's, whatever that will be."""
    if hour is None:
        store.drop_preference(conn, learner.id, store.ROLLOVER)
    else:
        store.set_preference(conn, learner.id, store.ROLLOVER, str(hour))
    store.set_rollover(conn, learner.id, settings.rollover if hour is None else hour)


def own_rollover(conn: Connection, learner: Learner) -> bool:
    """Whether the learner has chosen the hour, instead of the server's."""
    return store.preference(conn, learner.id, store.ROLLOVER) is not None

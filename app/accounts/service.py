"""Who the request's learner is. With accounts this looks at a session; until then there is one learner."""

from dataclasses import fields, replace
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


def check_zone(zone: str) -> None:
    """Raises Invalid for what is no time zone."""
    if zone not in available_timezones():
        raise Invalid(f"{zone[:60]!r} is not a time zone; write it like Europe/Berlin.")


def adopt_zone(conn: Connection, learner: Learner, zone: str) -> None:
    """Take the browser's time zone as the learner's, when none is known yet."""
    store.set_zone_if_unknown(conn, learner.id, zone)

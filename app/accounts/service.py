"""Who the request's learner is. With accounts this looks at a session; until then there is one learner."""

from dataclasses import fields, replace
from typing import Annotated
from zoneinfo import available_timezones

from fastapi import Depends, Request

from app.accounts import store
from app.accounts.learner import Learner, Preferences
from app.settings import Settings
from app.web.errors import Invalid
from app.web.parts import Parts, parts


def current_learner(request: Request) -> Learner:
    """The learner whom this request serves; every handler that touches a learner's rows takes it."""
    its = parts(request)
    with its.db.read() as conn:
        found = store.get(conn, store.FIRST, its.settings.zone)
    return replace(found, prefers=_preferences(its.settings))


Current = Annotated[Learner, Depends(current_learner)]


def _preferences(settings: Settings) -> Preferences:
    """The server's settings serve everybody, until a learner can choose their own."""
    return Preferences(**{f.name: getattr(settings, f.name) for f in fields(Preferences)})


def adopt_zone(its: Parts, learner: Learner, zone: str) -> None:
    """Take the browser's time zone as the learner's, when none is known yet."""
    if zone not in available_timezones():
        raise Invalid(f"{zone[:60]!r} is not a time zone; write it like Europe/Berlin.")
    with its.db.write() as conn:
        store.set_zone_if_unknown(conn, learner.id, zone)

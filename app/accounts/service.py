"""Who the request's learner is. With accounts this looks at a session; until then there is one learner."""

from typing import Annotated
from zoneinfo import available_timezones

from fastapi import Depends, Request

from app.accounts import store
from app.accounts.learner import Learner
from app.web.errors import Invalid
from app.web.parts import Parts, parts


def current_learner(request: Request) -> Learner:
    """The learner whom this request serves; every handler that touches a learner's rows takes it."""
    its = parts(request)
    with its.db.read() as conn:
        return store.get(conn, store.FIRST, its.settings.zone)


Current = Annotated[Learner, Depends(current_learner)]


def adopt_zone(its: Parts, learner: Learner, zone: str) -> None:
    """Take the browser's time zone as the learner's, when none is known yet."""
    if zone not in available_timezones():
        raise Invalid(f"{zone[:60]!r} is not a time zone; write it like Europe/Berlin.")
    with its.db.write() as conn:
        store.set_zone_if_unknown(conn, learner.id, zone)

"""The jobs of this app: the port's adapter, put together from the app's parts."""

from typing import Annotated

from fastapi import Depends

from app.jobs.store import Limits, SqliteJobs
from app.web.parts import Parts, parts


def jobs(its: Annotated[Parts, Depends(parts)]) -> SqliteJobs:
    """The port to all jobs; a dependency of handlers."""
    chosen = its.settings
    return SqliteJobs(
        its.db,
        its.clock,
        its.hub,
        Limits(chosen.queue_limit, chosen.learner_limit, chosen.lease_s),
        its.kinds,
    )


Queue = Annotated[SqliteJobs, Depends(jobs)]

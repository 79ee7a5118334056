"""Deletes the sound of a trial as soon as it has ended, whether or not anybody looks at what was heard."""

import logging
from contextlib import AbstractAsyncContextManager

from fastapi.concurrency import run_in_threadpool

from app.choices import trial
from app.jobs.port import JOBS
from app.lasting import lasting
from app.web.parts import Parts

log = logging.getLogger("aloud")

AT_LEAST_EVERY_S = 60.0


def running(its: Parts) -> AbstractAsyncContextManager[None]:
    """To be put around the app's life."""
    return lasting(_again_and_again(its))


async def _again_and_again(its: Parts) -> None:
    with its.hub.listen(JOBS) as change:
        while True:
            try:
                await run_in_threadpool(trial.tidy, its)
            except Exception:
                log.exception("Deleting the sound of a trial failed; it is tried again")
            await change.wait(AT_LEAST_EVERY_S)

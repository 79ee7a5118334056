"""Deletes the sound of a trial as soon as it has ended, whether or not anybody looks at what was heard."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi.concurrency import run_in_threadpool

from app.choices import trial
from app.jobs.port import JOBS
from app.web.parts import Parts

log = logging.getLogger("aloud")

AT_LEAST_EVERY_S = 60.0


@asynccontextmanager
async def running(its: Parts) -> AsyncIterator[None]:
    """For as long as the context is open; to be put around the app's life."""
    task = asyncio.create_task(_again_and_again(its))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _again_and_again(its: Parts) -> None:
    with its.hub.listen(JOBS) as change:
        while True:
            try:
                await run_in_threadpool(trial.tidy, its)
            except Exception:
                log.exception("Deleting the sound of a trial failed; it is tried again")
            await change.wait(AT_LEAST_EVERY_S)

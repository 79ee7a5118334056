"""What the web process does by itself, beside answering: give up lost workers and old results, read the records."""

import asyncio
import logging
from contextlib import AbstractAsyncContextManager
from datetime import timedelta

from fastapi.concurrency import run_in_threadpool

from app.jobs.service import jobs
from app.lasting import lasting
from app.web.parts import Parts

log = logging.getLogger("aloud")

EVERY_DAY_S = 24 * 3600.0


def running(its: Parts) -> AbstractAsyncContextManager[None]:
    """To be put around the app's life."""
    return lasting(sweep(its), forget(its), read_records(its))


async def sweep(its: Parts) -> None:
    """Find lost workers, for ever.

    The first look comes one lease after the start: while the web was away no worker could renew its lease.
    """
    queue = jobs(its)
    await asyncio.sleep(its.settings.lease_s)
    while True:
        try:
            await run_in_threadpool(queue.sweep)
        except Exception:
            log.exception("Looking for lost workers failed; it is tried again")
        await asyncio.sleep(its.settings.lease_s / 3)


async def read_records(its: Parts) -> None:
    """Look through the recorded results, so that nobody who opens a page has to wait for that."""
    await run_in_threadpool(lambda: its.records.all)


async def forget(its: Parts) -> None:
    """Delete results older than the settings keep them, once a day, for ever."""
    queue = jobs(its)
    while True:
        try:
            before = its.clock() - timedelta(days=its.settings.keep_results_days)
            await run_in_threadpool(queue.forget_results, before)
        except Exception:
            log.exception("Deleting old results failed; it is tried again tomorrow")
        await asyncio.sleep(EVERY_DAY_S)

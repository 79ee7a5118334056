"""Once an hour: ends recordings whose page is gone, and lets the sound of takes go as the settings say.

The attempts, their texts and figures stay.
"""

import asyncio
import logging
from contextlib import AbstractAsyncContextManager

from fastapi.concurrency import run_in_threadpool

from app.drill.recording import inspecting, taking
from app.drill.recording import service as recordings
from app.lasting import lasting
from app.web.parts import Parts

log = logging.getLogger("aloud")

FIRST_S = 60.0  # who starts Aloud wants a page first
EVERY_S = 3600.0


def running(its: Parts) -> AbstractAsyncContextManager[None]:
    """To be put around the app's life."""
    return lasting(_again_and_again(its))


async def _again_and_again(its: Parts) -> None:
    await asyncio.sleep(FIRST_S)
    while True:
        try:
            await run_in_threadpool(taking.close_abandoned, its)
            await run_in_threadpool(let_go, its)
            await run_in_threadpool(wipe, its)
        except Exception:
            log.exception("Looking after recordings failed; it is tried again in an hour")
        await asyncio.sleep(EVERY_S)


def wipe(its: Parts) -> None:
    """Delete the files of deleted recordings that a crash left behind."""
    with its.db.read() as conn:
        left = inspecting.inspect(conn, its.settings).deleted
    for path in left:
        path.unlink(missing_ok=True)


def let_go(its: Parts) -> int:
    """Delete what is older, or more, than the settings keep; the number of recordings."""
    if not (its.settings.keep_audio_days or its.settings.keep_audio_mb):
        return 0
    now = its.clock()
    with its.db.read() as conn:
        gone = recordings.too_old(conn, its.settings, now)
    if gone:
        with its.db.write() as conn:
            recordings.drop(conn, gone, now)
        for recording in gone:
            recordings.files(its.settings).delete(recording)
    return len(gone)

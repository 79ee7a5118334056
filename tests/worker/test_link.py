"""The worker's line to the web side: what it says when something else answers."""

import asyncio

import pytest

from app.jobs.standing import WorkerState
from app.worker.link import Link, TurnedAway
from tests.house import stranger


def test_a_server_that_is_no_aloud_is_told_in_a_sentence():
    async def announced(port):
        link = Link(f"http://127.0.0.1:{port}", "token", "here")
        try:
            await link.announce(WorkerState.READY)
        finally:
            await link.close()

    with stranger() as (port, _), pytest.raises(TurnedAway, match="does not answer as Aloud does; give"):
        asyncio.run(announced(port))

"""The worker's line to the web side: what it says when something else answers."""

import asyncio

import pytest

from app.jobs.standing import WorkerState
from app.jobs.states import Outcome
from app.worker.link import Claim, Link, TurnedAway
from app.worker.process import End
from tests.house import stranger

CLAIM = Claim("a", 1, "speech", {}, deadline_s=60, lease_s=15)


def test_a_server_that_is_no_aloud_is_told_in_a_sentence():
    async def announced(port):
        link = Link(f"http://127.0.0.1:{port}", "token", "here")
        try:
            await link.announce(WorkerState.READY)
        finally:
            await link.close()

    with stranger() as (port, _), pytest.raises(TurnedAway, match="does not answer as Aloud does; give"):
        asyncio.run(announced(port))


def test_what_no_web_side_would_keep_is_sent_for_it_to_refuse():
    """A worker that cannot send a result ends, and takes everybody's runs with it."""

    async def handed_in(port):
        link = Link(f"http://127.0.0.1:{port}", "token", "here")
        try:
            await link.finish(CLAIM, End(Outcome.DONE, result={"odd": ["\ud800", float("nan")]}))
        finally:
            await link.close()

    with stranger() as (port, asked):
        asyncio.run(handed_in(port))
    assert asked == ["POST /api/v1/worker/jobs/a/finish HTTP/1.1"]

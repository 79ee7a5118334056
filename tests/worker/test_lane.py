"""What a lane makes of a run."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from app.jobs.standing import LaneState
from app.jobs.states import Outcome
from app.settings import ROOT
from app.worker.lane import Doing, Lane
from app.worker.link import Claim, Link
from app.worker.process import Child

FAULTY = (sys.executable, str(Path(__file__).with_name("faulty.py")))


@pytest.mark.parametrize(("cap_s", "named"), [(0.05, True), (0, False)])
def test_a_limit_that_only_the_worker_has_is_named(cap_s: float, named: bool) -> None:
    async def end():
        link = Link("http://localhost:8280", "token", "w")
        lane = Lane(link, Child({**os.environ, "PYTHONPATH": str(ROOT)}, FAULTY), lambda: None, cap_s=cap_s)
        try:
            return await lane.run(
                Claim("a", 1, "demo", {"demo": "sleeps", "params": {}}, deadline_s=0.2, lease_s=15)
            )
        finally:
            await lane.close()
            await link.close()

    found = asyncio.run(end())
    assert found.outcome is Outcome.TIMED_OUT
    assert ("ALOUD_RUN_DEADLINE_S sets on its worker" in found.message) is named


def test_a_child_that_cannot_start_has_not_been_able_to_since_the_first_time() -> None:
    seen: list[Doing] = []

    async def fail_thrice() -> None:
        enough = asyncio.Event()
        link = Link("http://localhost:8280", "token", "w")

        def changed() -> None:
            seen.append(lane.doing)
            if lane.doing.lost == 3:
                enough.set()

        lane = Lane(link, Child(os.environ, (sys.executable, "-c", "raise SystemExit(7)")), changed)
        warming = asyncio.create_task(lane.warm())
        await enough.wait()
        warming.cancel()
        await lane.close()
        await link.close()

    asyncio.run(fail_thrice())
    down = [doing for doing in seen if doing.state is LaneState.DOWN]
    assert {doing.lost for doing in down} >= {1, 2}
    assert len({doing.since for doing in down}) == 1

"""What a lane makes of a run."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from app.jobs.states import Outcome
from app.settings import ROOT
from app.worker.lane import Lane
from app.worker.link import Claim, Link
from app.worker.process import Child

FAULTY = (sys.executable, str(Path(__file__).with_name("faulty.py")))


@pytest.mark.parametrize(("cap_s", "named"), [(0.05, True), (0, False)])
def test_a_limit_that_only_the_worker_has_is_named(cap_s: float, named: bool) -> None:
    async def end():
        link = Link("http://localhost:8280", "token", "w")
        lane = Lane(link, Child({**os.environ, "PYTHONPATH": str(ROOT)}, FAULTY), lambda: None, cap_s=cap_s)
        try:
            return await lane._run(Claim("a", 1, "sleeps", {}, deadline_s=0.2, lease_s=15))
        finally:
            await lane.close()
            await link.close()

    found = asyncio.run(end())
    assert found.outcome is Outcome.TIMED_OUT
    assert ("ALOUD_RUN_DEADLINE_S sets on its worker" in found.message) is named

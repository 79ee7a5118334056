"""What a worker says of itself: to the web side, and to whoever reads its log."""

import asyncio
import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.jobs.standing import LaneState, WorkerState
from app.settings import ROOT
from app.worker import supervisor
from app.worker.hearing import Ears
from app.worker.lane import Doing
from app.worker.link import Away, Claim
from app.worker.process import End
from app.worker.supervisor import Status, Supervisor

FAULTY = (sys.executable, str(Path(__file__).with_name("faulty.py")))
PATIENCE_S = 30


class Web:
    """A web side within this process: hands out these runs, and notes what it is told."""

    def __init__(self, *demos: str) -> None:
        self.away = False
        self.told: list[tuple[WorkerState, dict]] = []
        self.ends: list[End] = []
        self.asked: list[tuple[str, ...]] = []
        self._demos = list(demos)
        self.news = asyncio.Condition()

    async def announce(self, state: WorkerState, **more: object) -> float:
        if self.away:
            raise Away("refused")
        async with self.news:
            self.told.append((state, more))
            self.news.notify_all()
        return 60.0

    async def claim(self, lanes: tuple[str, ...]) -> Claim:
        async with self.news:
            self.asked.append(lanes)
            self.news.notify_all()
            await self.news.wait_for(lambda: bool(self._demos))
            payload = {"demo": self._demos.pop(0), "params": {}}
            return Claim("a", 1, "demo", payload, deadline_s=PATIENCE_S, lease_s=15)

    async def heartbeat(self, *_: object) -> bool:
        return False

    async def finish(self, claim: Claim, end: End) -> None:
        async with self.news:
            self.ends.append(end)
            self.news.notify_all()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S), self.news:
            await self.news.wait_for(holds)

    def lanes(self) -> list[dict]:
        """What was said last of the lanes."""
        return self.told[-1][1]["lanes"] if self.told else []


def work(web: Web, watch, tmp_path: Path, command=FAULTY) -> None:
    """A worker of this web side, for as long as `watch` takes."""

    async def both() -> None:
        async with asyncio.TaskGroup() as tasks:
            working = tasks.create_task(Supervisor(web, tmp_path, command=command).run())
            await watch()
            working.cancel()

    asyncio.run(both())


@pytest.fixture(autouse=True)
def _import_ours(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    caplog.set_level(logging.INFO, "aloud.worker")


def states(web: Web) -> list[list[str]]:
    return [[lane["state"] for lane in told["lanes"]] for state, told in web.told if "lanes" in told]


def test_it_tells_from_its_start_to_its_leave_what_its_lane_does(tmp_path: Path) -> None:
    web = Web()

    async def watch() -> None:
        await web.until(lambda: states(web)[-1:] == [["idle"]])

    work(web, watch, tmp_path)
    assert [state for state, _ in web.told] == [
        WorkerState.INSTALLING,
        WorkerState.READY,
        WorkerState.ABSENT,
    ]
    assert states(web) == [["starting"], ["idle"]]
    (device,) = web.told[1][1]["devices"]
    assert device["name"] == "test"
    assert web.asked[0] == ("demo",)


def test_a_run_that_takes_a_while_is_told_and_a_quick_one_is_not(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("ALOUD_DATA", str(tmp_path))
    web = Web("fine", "waits")
    over = lambda self: web.until(lambda: len(web.asked) >= 2)  # noqa: E731
    monkeypatch.setattr(Supervisor, "_breath", over)  # the first run ends within it, however busy the machine

    async def watch() -> None:
        await web.until(lambda: [lane["demo"] for lane in web.lanes()] == ["waits"])
        (tmp_path / "go-None").touch()
        await web.until(lambda: states(web)[-1:] == [["idle"]] and len(web.ends) == 2)

    work(web, watch, tmp_path)
    assert [told["lanes"][0]["demo"] for _, told in web.told if told.get("lanes")] == ["", "", "waits", ""]


def test_an_idle_lane_that_has_done_a_quick_run_has_nothing_to_tell() -> None:
    before = Doing(LaneState.IDLE, since=0.0)
    after = replace(before, since=5.0)
    statuses = [Status(WorkerState.READY, "", ((doing, ()),)) for doing in (before, after)]
    assert statuses[0] == statuses[1]
    assert statuses[1].fields(now=6.0)["lanes"][0]["for_s"] == 1.0
    assert before != replace(before, state=LaneState.RUNNING)


def test_a_lost_child_is_counted_with_how_it_ended(tmp_path: Path) -> None:
    web = Web("is killed")

    async def watch() -> None:
        await web.until(lambda: [lane["lost"] for lane in web.lanes()] == [1] and states(web)[-1] == ["idle"])

    work(web, watch, tmp_path)
    assert "memory may have run out" in web.told[-2][1]["lanes"][0]["words"]


def test_every_gpu_gets_a_lane_that_takes_what_only_a_gpu_can_do(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("ALOUD_TEST_GPUS", "2")
    web = Web()

    async def watch() -> None:
        await web.until(lambda: states(web)[-1:] == [["idle", "idle"]])

    work(web, watch, tmp_path)
    told = [(lane["device"], lane["takes"]) for lane in web.told[-2][1]["lanes"]]
    assert told == [("GPU 0", ("gpu", "demo")), ("GPU 1", ("gpu", "demo"))]
    assert set(web.asked) == {("gpu", "demo")}


def test_it_is_ready_only_once_the_web_side_knows_of_it(tmp_path: Path, caplog, monkeypatch) -> None:
    monkeypatch.setattr(supervisor, "AWAY_S", 0.05)
    web = Web()
    web.away = True

    async def watch() -> None:
        while "warm" not in caplog.text:
            await asyncio.sleep(0.01)
        web.away = False
        await web.until(lambda: bool(web.told))
        while "is ready" not in caplog.text:
            await asyncio.sleep(0.01)

    work(web, watch, tmp_path)
    assert [record.getMessage() for record in caplog.records] == [
        "The web side cannot be reached (refused); trying again and again.",
        "The worker is warm: test. It waits for the web side.",
        "The worker is ready: test.",
    ]


def test_it_hears_though_nothing_runs_demos(tmp_path: Path) -> None:
    web = Web()
    ears = Ears("", tmp_path / "models")

    async def watch() -> None:
        await web.until(lambda: ("speech",) in [tuple(lane["takes"]) for lane in web.lanes()])

    async def both() -> None:
        async with asyncio.TaskGroup() as tasks:
            broken = (sys.executable, "-c", "raise SystemExit(7)")
            working = tasks.create_task(Supervisor(web, tmp_path, ears=ears, command=broken).run())
            await watch()
            await web.until(lambda: web.told[-1][0] is WorkerState.FAILED)
            working.cancel()

    asyncio.run(both())
    (lane,) = [lane for lane in web.told[-2][1]["lanes"] if lane["takes"]]
    assert (lane["device"], lane["state"]) == ("tiny.en", "idle")
    assert web.told[-2][1]["devices"] == []
    assert web.asked == [("speech",)]


def test_a_child_that_cannot_start_is_told_with_the_reason(tmp_path: Path) -> None:
    web = Web()

    async def watch() -> None:
        await web.until(lambda: bool(web.told) and web.told[-1][0] is WorkerState.FAILED)

    work(web, watch, tmp_path, command=(sys.executable, "-c", "raise SystemExit(7)"))
    assert "status 7" in web.told[-2][1]["words"]
    assert web.told[-2][1]["lanes"][0]["state"] == "down"


def test_what_is_told_can_be_read_by_the_web_side(tmp_path: Path, client, settings) -> None:
    """The fields are the API's: a worker and a web side of one version understand each other."""
    web = Web()

    async def watch() -> None:
        await web.until(lambda: states(web)[-1:] == [["idle"]])

    work(web, watch, tmp_path)
    token = {"Authorization": f"Bearer {settings.worker_token()}"}
    for state, told in web.told:
        answer = client.post(
            "/api/v1/worker/announce", json={"worker": "w", "state": state, **told}, headers=token
        )
        assert answer.status_code == 200, answer.text

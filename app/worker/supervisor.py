"""Watches over a worker's lanes, one for each device and one that hears, and tells the web side how they are."""

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.jobs.standing import LaneState, WorkerState
from app.worker.devices import Devices, cuda_names, hears, named, served, takes
from app.worker.environment import child_environment
from app.worker.hearing import Ears, HearingLane
from app.worker.lane import BREATH_S, FAREWELL_S, Doing, Lane
from app.worker.link import Away, Link, TurnedAway
from app.worker.process import COMMAND, Child

log = logging.getLogger("aloud.worker")

AWAY_S = 1.0  # between two tries to reach a web side that does not answer


@dataclass(frozen=True)
class Status:
    """How a worker is. Two that are equal have nothing new to tell each other, though runs may lie between them."""

    state: WorkerState
    words: str
    lanes: tuple[tuple[Doing, Devices], ...]

    @property
    def devices(self) -> Devices:
        """The devices that run demos."""
        return [device for _, devices in self.lanes for device in devices if not hears(device)]

    @property
    def heard_by(self) -> list[str]:
        """The models that hear."""
        return [str(device["name"]) for _, devices in self.lanes for device in devices if hears(device)]

    def fields(self, now: float) -> dict[str, object]:
        """As the web side hears it at `now`, by time.monotonic: clocks of two machines differ, durations do not."""
        lanes = [
            {
                "state": doing.state,
                "for_s": now - doing.since,
                "device": named(devices),
                "takes": takes(devices) if devices else (),
                "demo": doing.demo,
                "lost": doing.lost,
                "words": doing.words[:500],
            }
            for doing, devices in self.lanes
        ]
        return {"words": self.words, "devices": self.devices, "lanes": lanes}


class Supervisor:
    """`ears`: what it hears with, if it does. `command` starts a child that runs demos: another one in tests, which
    need devices that are not there.
    """

    def __init__(
        self,
        link: Link,
        caches: Path,
        *,
        cap_s: float = 0,
        ears: Ears | None = None,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._link = link
        self._news = asyncio.Event()
        self._caches = caches
        self._cap_s = cap_s
        self._command = command
        self._lanes: list[Lane] = []
        self._hearing = [HearingLane(link, ears, caches, self._news.set)] if ears else []
        self._began = time.monotonic()
        self._connected = False
        self._said = ""

    async def run(self) -> None:
        """Serve until cancelled. Raises an ExceptionGroup of TurnedAway when the web side refuses the worker."""
        self._lanes = [self._lane(None)]
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._announce())
                for hearing in self._hearing:  # whether or not there is anything that runs demos
                    tasks.create_task(hearing.serve())
                first = self._lanes[0]
                names = list(cuda_names(await first.warm(), os.environ))
                if len(names) > 1:  # then each device has a child that sees no other
                    self._lanes = [self._lane(name) for name in names]
                    await first.close()
                for lane in self._lanes:
                    tasks.create_task(lane.serve())
        finally:
            for lane in (*self._lanes, *self._hearing):
                await lane.close()
            await self._take_leave()

    def _lane(self, device: str | None) -> Lane:
        child = Child(child_environment(self._caches, device), self._command)
        return Lane(self._link, child, self._news.set, cap_s=self._cap_s)

    async def _announce(self) -> None:
        while True:
            self._news.clear()
            status = self._status()
            pause = await self._tell(status)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._something_new(status)

    async def _tell(self, status: Status) -> float:
        """Announce it; seconds after which it is to be told again, though it be the same."""
        now = time.monotonic()
        try:
            lease_s = await self._link.announce(status.state, up_s=now - self._began, **status.fields(now))
        except Away as error:
            if self._connected or not self._said:
                self._log(f"The web side cannot be reached ({error}); trying again and again.")
            self._connected, pause = False, AWAY_S
        else:
            self._connected, pause = True, lease_s / 3
        if status.state is WorkerState.READY:
            names = ", ".join((named(status.devices), *(f"hears: {name}" for name in status.heard_by)))
            waits = "" if self._connected else " It waits for the web side."
            self._log(f"The worker is {'ready' if self._connected else 'warm'}: {names}.{waits}")
        return pause

    async def _something_new(self, told: Status) -> None:
        """Until it differs from what was told; a run that ends within a breath is not worth a word."""
        while self._status() == told:
            await self._news.wait()
            if self._status().state is told.state:
                await self._breath()
            self._news.clear()

    async def _breath(self) -> None:
        await asyncio.sleep(BREATH_S)

    def _status(self) -> Status:
        running = tuple((lane.doing, served(lane.devices or ())) for lane in self._lanes)
        lanes = (*running, *((lane.doing, lane.devices or ()) for lane in self._hearing))
        if any(devices for _, devices in running):
            return Status(WorkerState.READY, "", lanes)
        down = next((doing.words for doing, _ in running if doing.state is LaneState.DOWN), "")
        if down:
            words = f"The worker cannot start: {down} It keeps trying; its log says more."
            return Status(WorkerState.FAILED, words, lanes)
        return Status(WorkerState.INSTALLING, "The worker is starting.", lanes)

    async def _take_leave(self) -> None:
        with contextlib.suppress(TimeoutError, Away, TurnedAway):
            async with asyncio.timeout(FAREWELL_S):
                await self._link.announce(WorkerState.ABSENT)

    def _log(self, line: str) -> None:
        """Once, until something else is to be said."""
        if line != self._said:
            log.info("%s", line)
        self._said = line

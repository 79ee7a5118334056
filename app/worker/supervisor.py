"""Watches over a worker's lanes, one for each device, and tells the web side how they are."""

import asyncio
import contextlib
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from app.jobs.registry import WorkerState
from app.worker.environment import child_environment
from app.worker.lane import FAREWELL_S, Lane
from app.worker.link import Away, Link, TurnedAway
from app.worker.process import Child

log = logging.getLogger("aloud.worker")

Devices = Sequence[Mapping[str, object]]


class Supervisor:
    def __init__(self, link: Link, caches: Path, *, cap_s: float = 0) -> None:
        self._link = link
        self._caches = caches
        self._cap_s = cap_s
        self._lanes: list[Lane] = []
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Serve until cancelled. Raises an ExceptionGroup of TurnedAway when the web side refuses the worker."""
        self._lanes = [self._lane(None)]
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._announce())
                devices = await self._lanes[0].warm()
                log.info("The worker is ready: %s.", ", ".join(str(d["name"]) for d in served(devices)))
                names = list(cuda_names(devices))
                if len(names) > 1:  # then each device has a child that sees no other
                    await self._lanes[0].close()
                    self._lanes = [self._lane(name) for name in names]
                for lane in self._lanes:
                    tasks.create_task(lane.serve())
        finally:
            for lane in self._lanes:
                await lane.close()
            await self._take_leave()

    def _lane(self, device: str | None) -> Lane:
        child = Child(child_environment(self._caches, device))
        return Lane(self._link, child, self._news.set, cap_s=self._cap_s)

    async def _announce(self) -> None:
        away = False
        while True:
            self._news.clear()
            try:
                pause, away = await self._link.announce(*self._status()) / 3, False
            except Away as error:
                if not away:
                    log.warning("The web side cannot be reached (%s); trying again and again.", error)
                pause, away = 1.0, True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._news.wait()

    def _status(self) -> tuple[WorkerState, str, Devices]:
        devices = [device for lane in self._lanes for device in served(lane.devices or ())]
        if devices:
            return WorkerState.READY, "", devices
        trouble = next((lane.trouble for lane in self._lanes if lane.trouble), "")
        if trouble:
            return (
                WorkerState.FAILED,
                f"The worker cannot start: {trouble} It keeps trying; its log says more.",
                (),
            )
        return WorkerState.INSTALLING, "The worker is starting.", ()

    async def _take_leave(self) -> None:
        with contextlib.suppress(TimeoutError, Away, TurnedAway):
            async with asyncio.timeout(FAREWELL_S):
                await self._link.announce(WorkerState.ABSENT)


def served(devices: Devices) -> Devices:
    """The devices that a lane's runs take place on: its GPU where it has one, else the CPU."""
    return [device for device in devices if device["kind"] == "cuda"] or devices


def cuda_names(devices: Devices, environment: Mapping[str, str] = os.environ) -> Iterator[str]:
    """What CUDA_VISIBLE_DEVICES has to say to show only one of `devices`, for each CUDA device in turn."""
    count = sum(device["kind"] == "cuda" for device in devices)
    chosen = [name for name in environment.get("CUDA_VISIBLE_DEVICES", "").split(",") if name.strip()]
    yield from (chosen if len(chosen) == count else map(str, range(count)))

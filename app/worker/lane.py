"""One lane of a worker: a warm child, and the runs that it is given one after the other."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from app.jobs.standing import LaneState
from app.jobs.states import Outcome, late
from app.worker.devices import Devices, takes
from app.worker.link import Away, Claim, LeaseLost, Link, TurnedAway, pauses
from app.worker.process import Child, ChildLost, End

log = logging.getLogger("aloud.worker")

BEAT_S = 1.0  # a cancelled run ends within this time
BREATH_S = 0.3  # progress is told at once, but no more often than this
FAREWELL_S = 1.0
OWN_LIMIT = "the limit that ALOUD_RUN_DEADLINE_S sets on its worker"  # the web side does not know of it


@dataclass(frozen=True)
class Doing:
    """What a lane does, since when by time.monotonic, and with which demo. Equal ones differ at most in `since`.

    `lost` counts the children that ended by themselves or had to be ended after a CUDA error; `words` says how the
    last of them did.
    """

    state: LaneState
    since: float = field(compare=False)
    demo: str = ""
    lost: int = 0
    words: str = ""


class Lane:
    """`devices` is None until the child is warm, and while it cannot be. `changed` is called when `doing` changes."""

    def __init__(self, link: Link, child: Child, changed: Callable[[], None], *, cap_s: float = 0) -> None:
        self.devices: Devices | None = None
        self.doing = Doing(LaneState.STARTING, time.monotonic())
        self._link = link
        self._child = child
        self._changed = changed
        self._cap_s = cap_s
        self._progress: tuple[float, str] = (0.0, "")
        self._news = asyncio.Event()

    async def serve(self) -> None:
        """Claim and run, for ever; when cancelled, give the current run back and end the child."""
        try:
            while True:
                if not self._child.alive:
                    await self.warm()
                claim = await self._claim()
                if claim is not None:
                    self._now(LaneState.RUNNING, str(claim.payload.get("demo", "")))
                    await self._work(claim)
                    self._now(LaneState.IDLE)
        finally:
            await self._child.kill()

    async def warm(self) -> Devices:
        """Start a fresh child, again and again until one lives; its devices."""
        demo = self.doing.demo  # where a run found its child gone
        self._now(LaneState.STARTING, demo)
        for pause in pauses():
            try:
                self.devices = await self._child.start()
                break
            except ChildLost as lost:
                self.devices = None
                log.warning("%s", lost)
                if self.doing.state is not LaneState.DOWN:  # since the first time, however often it is tried
                    self._now(LaneState.DOWN, demo)
                self._lost(str(lost))
            await asyncio.sleep(pause)
        assert self.devices is not None
        self._now(LaneState.RUNNING if demo else LaneState.IDLE, demo)
        return self.devices

    async def close(self) -> None:
        await self._child.kill()

    def _now(self, state: LaneState, demo: str = "") -> None:
        self.doing = replace(self.doing, state=state, demo=demo, since=time.monotonic())
        self._changed()

    def _lost(self, words: str) -> None:
        self.doing = replace(self.doing, lost=self.doing.lost + 1, words=words)
        self._changed()

    async def _claim(self) -> Claim | None:
        for pause in pauses():
            try:
                return await self._link.claim(takes(self.devices or ()))
            except Away:
                await asyncio.sleep(pause)
        return None

    async def _work(self, claim: Claim) -> None:
        """Do one run and hand in how it ended; unless it is no longer ours."""
        self._progress = (0.0, "")
        run = asyncio.create_task(self.run(claim))
        beat = asyncio.create_task(self._beat(claim))
        try:
            await asyncio.wait({run, beat}, return_when=asyncio.FIRST_COMPLETED)
            end = run.result() if run.done() else beat.result()
        except asyncio.CancelledError:
            await self._child.kill()
            with contextlib.suppress(TimeoutError, Away, LeaseLost, TurnedAway):
                async with asyncio.timeout(FAREWELL_S):
                    await self._link.finish(claim, End(Outcome.STOPPED))
            raise
        finally:
            run.cancel()
            beat.cancel()
            await asyncio.gather(run, beat, return_exceptions=True)
        if end is not None:
            await self._hand_in(claim, end)

    async def run(self, claim: Claim) -> End:
        """How one run ends in this lane's child, which is started where there is none; nothing is handed in."""
        if not self._child.alive:  # it ended while nothing ran
            await self.warm()
        limit_s = min(claim.deadline_s, self._cap_s or claim.deadline_s)
        end = await self._ask(claim.payload, limit_s)
        if end.outcome is Outcome.TIMED_OUT and limit_s < claim.deadline_s:
            return End(Outcome.TIMED_OUT, late(limit_s, OWN_LIMIT))
        return end

    async def _ask(self, request: Mapping[str, object], limit_s: float) -> End:
        """What the child makes of a request; a child that it costs is counted."""
        end = await self._child.run(request, deadline_s=limit_s, progress=self._note)
        if end.outcome in (Outcome.DIED, Outcome.FAILED) and not self._child.alive:
            self._lost(end.message)
        return end

    def _note(self, done: float, words: str) -> None:
        self._progress = (min(max(done, 0.0), 1.0), words)
        self._news.set()

    async def _beat(self, claim: Claim) -> End | None:
        """Give signs of life until the run has to end: with End when it was cancelled, None when the lease is lost.

        Raises TurnedAway.
        """
        while True:
            await asyncio.sleep(BREATH_S)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(BEAT_S, claim.lease_s / 3) - BREATH_S):
                    await self._news.wait()
            self._news.clear()
            try:
                if await self._link.heartbeat(claim, *self._progress):
                    return End(Outcome.CANCELLED)
            except Away:
                continue  # the web side may be restarting, and the run is still worth its end
            except LeaseLost as lost:
                log.warning("%s", lost)
                return None

    async def _hand_in(self, claim: Claim, end: End) -> None:
        for pause in pauses():
            try:
                return await self._link.finish(claim, end)
            except Away:
                await asyncio.sleep(pause)
            except LeaseLost as lost:
                log.warning("%s", lost)
                return None
            except TurnedAway as refused:
                if end.outcome is Outcome.FAILED:
                    raise
                end = End(Outcome.FAILED, str(refused))
        return None

"""A child process as its parent sees it: started, given one run at a time, killed at the deadline.

    child = Child(environment)
    devices = await child.start()
    end = await child.run({"demo": "flash", "params": {"n_q": 113}}, deadline_s=20, progress=print)

Each child leads a process group of its own, so that a kill takes what it started with it and Ctrl-C in a terminal does
not reach it before its parent has decided.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.jobs.states import Outcome, late
from app.settings import ROOT

LONGEST_LINE = 8_000_000
START_S = 120  # importing torch from a cold disk
COMMAND = (sys.executable, "-m", "app.worker.child")

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class End:
    """How a run ended. `result` is there when it is done, `message` is a sentence for the learner when it is not."""

    outcome: Outcome
    message: str = ""
    result: Mapping[str, object] | None = None


class ChildLost(Exception):
    """The child ended by itself; the message says how."""


class Child:
    """`does` says what it is for, in sentences like "the process that runs demos was killed"."""

    def __init__(
        self, environment: Mapping[str, str], command: Sequence[str] = COMMAND, does: str = "runs demos"
    ) -> None:
        self._environment = environment
        self._command = command
        self._does = does
        self._process: asyncio.subprocess.Process | None = None

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> list[dict[str, object]]:
        """Start a fresh process; returns its devices once it is ready. Raises ChildLost."""
        await self.kill()
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            start_new_session=True,
            cwd=ROOT,
            env=self._environment,
        )
        try:
            async with asyncio.timeout(START_S):
                ready = (await self._hear()).get("ready")
        except TimeoutError:
            await self.kill()
            raise ChildLost(f"The process that {self._does} did not start within {START_S} s.") from None
        except BaseException:
            await self.kill()
            raise
        assert isinstance(ready, list)
        return ready

    async def run(self, request: Mapping[str, object], *, deadline_s: float, progress: Progress) -> End:
        """Have one request answered. Past the deadline, after a CUDA error or when cancelled, the child is killed."""
        try:
            async with asyncio.timeout(deadline_s):
                end = await self._exchange(request, progress)
        except TimeoutError:
            await self.kill()
            return End(Outcome.TIMED_OUT, late(deadline_s))
        except ChildLost as lost:
            await self.kill()
            return End(Outcome.DIED, str(lost))
        except asyncio.CancelledError:
            await self.kill()
            raise
        return end

    async def kill(self) -> None:
        """End the process and all it started, at once."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        if process.stdin:
            process.stdin.close()

    async def _exchange(self, request: Mapping[str, object], progress: Progress) -> End:
        await self._tell(request)
        while True:
            match await self._hear():
                case {"progress": float() | int() as done, "words": str() as words}:
                    progress(float(done), words)
                case {"result": dict() as result}:
                    return End(Outcome.DONE, result=result)
                case {"failed": str() as message, **more}:
                    if more.get("cuda"):
                        await self.kill()
                    return End(Outcome.FAILED, message)

    async def _tell(self, message: Mapping[str, object]) -> None:
        if self._process is None or self._process.stdin is None:
            raise ChildLost(f"The process that {self._does} is not there.")
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        with contextlib.suppress(ConnectionError):  # the reading side says how it ended
            await self._process.stdin.drain()

    async def _hear(self) -> dict[str, object]:
        if self._process is None or self._process.stdout is None:
            raise ChildLost(f"The process that {self._does} is not there.")
        try:
            line = await self._process.stdout.readuntil()
        except asyncio.IncompleteReadError:  # it ended, perhaps in the middle of a line
            raise ChildLost(ended_how(await self._process.wait(), self._does)) from None
        heard = json.loads(line)
        assert isinstance(heard, dict)
        return heard


def ended_how(status: int, does: str) -> str:
    """The end of a process in words; `status` below zero is a signal, as subprocess has it."""
    if status == -signal.SIGKILL:
        return f"The process that {does} was killed; memory may have run out."
    if status < 0:
        return f"The process that {does} ended by the signal {signal.Signals(-status).name}."
    return f"The process that {does} ended with the status {status}."

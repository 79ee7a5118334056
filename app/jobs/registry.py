"""Which workers have given a sign of late. Kept in memory: after a restart they announce themselves anew."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from threading import Lock

from app.clock import Clock

MOST_WORKERS = 100  # more names than this are a mistake, and must not fill the memory


class WorkerState(StrEnum):
    READY = "ready"
    INSTALLING = "installing"
    FAILED = "failed"
    ABSENT = "absent"


@dataclass(frozen=True)
class Device:
    """A device that runs demos; `interpreter` says that Triton kernels are interpreted on it."""

    kind: str
    name: str
    interpreter: bool = False


@dataclass(frozen=True)
class WorkerView:
    """What pages say of the workers: `words` in a corner of every page, `help` where a run would wait for one.

    `interprets`: workers are ready, and on every device of theirs Triton kernels are interpreted.
    """

    state: WorkerState
    words: str
    help: str
    interprets: bool = False


@dataclass(frozen=True)
class _Sign:
    state: WorkerState
    words: str
    devices: tuple[Device, ...]
    until: datetime


ABSENT = WorkerView(
    WorkerState.ABSENT,
    "no worker",
    "No worker is running, so runs wait in the queue. To start one, type: aloud worker. (make run starts both.)",
)


class Registry:
    """A worker that has given no sign for `ttl_s` seconds is forgotten."""

    def __init__(self, clock: Clock, ttl_s: float) -> None:
        self.ttl_s = ttl_s
        self._clock = clock
        self._signs: dict[str, _Sign] = {}
        self._lock = Lock()

    def announce(self, worker: str, state: WorkerState, words: str, devices: Sequence[Device]) -> None:
        """Note what `worker` says of itself; `absent` takes its leave."""
        now = self._clock()
        with self._lock:
            self._signs = {name: sign for name, sign in self._signs.items() if sign.until >= now}
            if state is WorkerState.ABSENT:
                self._signs.pop(worker, None)
            elif worker in self._signs or len(self._signs) < MOST_WORKERS:
                until = now + timedelta(seconds=self.ttl_s)
                self._signs[worker] = _Sign(state, words, tuple(devices), until)

    def view(self) -> WorkerView:
        """The best that can be said: one ready worker is enough."""
        now = self._clock()
        with self._lock:
            signs = [sign for sign in self._signs.values() if sign.until >= now]
        for state in (WorkerState.READY, WorkerState.INSTALLING, WorkerState.FAILED):
            for sign in signs:
                if sign.state is state:
                    return replace(_view(sign), interprets=_interpret(signs))
        return ABSENT


def _interpret(signs: Sequence[_Sign]) -> bool:
    devices = [device for sign in signs if sign.state is WorkerState.READY for device in sign.devices]
    return bool(devices) and all(device.interpreter for device in devices)


def _view(sign: _Sign) -> WorkerView:
    if sign.state is WorkerState.READY:
        names = ", ".join(_short(device) for device in sign.devices) or "ready"
        return WorkerView(sign.state, f"worker: {names}", "")
    if sign.state is WorkerState.INSTALLING:
        words = sign.words or "The worker is being installed."
        return WorkerView(
            sign.state, "worker: on its way", f"{words} Runs wait in the queue and start by themselves."
        )
    return WorkerView(
        sign.state,
        "worker: failed",
        sign.words or "The worker could not start; its log says why. Runs wait in the queue meanwhile.",
    )


def _short(device: Device) -> str:
    return "CPU" if device.kind == "cpu" else device.name.removeprefix("NVIDIA ")

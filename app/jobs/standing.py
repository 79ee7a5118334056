"""What workers say of themselves, and what pages say of them. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from app.jobs.lanes import SPEECH


class WorkerState(StrEnum):
    READY = "ready"
    INSTALLING = "installing"
    FAILED = "failed"
    ABSENT = "absent"


class LaneState(StrEnum):
    STARTING = "starting"
    IDLE = "idle"
    RUNNING = "running"
    DOWN = "down"  # its child does not start; tried again and again


@dataclass(frozen=True)
class Device:
    """A device that runs demos; `interpreter` says that Triton kernels are interpreted on it."""

    kind: str
    name: str
    interpreter: bool = False
    driver: str = ""
    torch: str = ""
    triton: str = ""

    @property
    def compiles(self) -> bool:
        return self.kind == "cuda" and not self.interpreter


@dataclass(frozen=True)
class Lane:
    """One child of a worker: what it does `since` when, and on which device, from which lanes of the queue.

    `demo` is what it runs. `lost` counts the children that ended by themselves, `words` says how the last one did.
    """

    state: LaneState
    since: datetime
    device: str = ""
    takes: tuple[str, ...] = ()
    demo: str = ""
    lost: int = 0
    words: str = ""

    @property
    def hears(self) -> bool:
        """Whether its child is there and takes recordings."""
        return SPEECH in self.takes


@dataclass(frozen=True)
class Worker:
    """What a worker says of itself. `token` names the one that it showed, `since` is when it started."""

    name: str
    state: WorkerState
    since: datetime
    token: str = ""
    words: str = ""
    devices: tuple[Device, ...] = ()
    lanes: tuple[Lane, ...] = ()


@dataclass(frozen=True)
class WorkerView:
    """What pages say of the workers: `words` in a corner of every page, `help` where a run would wait for one.

    `compiles`: a ready worker has a device that Triton compiles for, so nothing that runs anywhere is refused.
    `hears`: a worker turns speech into text, though it may be that none is ready for demos.
    """

    state: WorkerState
    words: str
    help: str
    compiles: bool = False
    hears: bool = False

    @property
    def ready(self) -> bool:
        return self.state is WorkerState.READY


ABSENT = WorkerView(
    WorkerState.ABSENT,
    "no worker",
    "No worker is running, so runs wait in the queue. To start one, type: .venv/bin/aloud worker. "
    "(make run starts both.)",
)


def view(workers: Sequence[Worker]) -> WorkerView:
    """What pages say of these workers."""
    for state, say in (
        (WorkerState.READY, _ready),
        (WorkerState.INSTALLING, _coming),
        (WorkerState.FAILED, _failed),
    ):
        if those := [worker for worker in workers if worker.state is state]:
            return _with_ears(say(those), workers)
    return ABSENT


def _with_ears(said: WorkerView, workers: Sequence[Worker]) -> WorkerView:
    if not any(lane.hears for worker in workers for lane in worker.lanes):
        return said
    return replace(said, words=f"{said.words}, hears", hears=True)


def _ready(workers: Sequence[Worker]) -> WorkerView:
    devices = [device for worker in workers for device in worker.devices]
    counts = Counter(_short(device) for device in sorted(devices, key=lambda device: not device.compiles))
    names = ", ".join(f"{count} × {name}" if count > 1 else name for name, count in counts.items())
    compiles = any(device.compiles for device in devices)
    return WorkerView(WorkerState.READY, f"worker: {names or 'ready'}", "", compiles)


def _coming(workers: Sequence[Worker]) -> WorkerView:
    words = workers[0].words or "The worker is being installed."
    help_ = f"{words} Runs wait in the queue and start by themselves."
    return WorkerView(WorkerState.INSTALLING, "worker: on its way", help_)


def _failed(workers: Sequence[Worker]) -> WorkerView:
    why = "The worker could not start; its log says why. Runs wait in the queue meanwhile."
    return WorkerView(WorkerState.FAILED, "worker: failed", workers[0].words or why)


def _short(device: Device) -> str:
    return "CPU" if device.kind == "cpu" else device.name.removeprefix("NVIDIA ")

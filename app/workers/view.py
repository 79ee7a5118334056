"""What the page of the workers shows: pure, from what they say of themselves and what the queue knows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from app.accounts.learner import Learner
from app.demos.views import USUAL, Links
from app.jobs import lanes
from app.jobs.port import Fault, Waiting
from app.jobs.standing import Device, Lane, LaneState, Worker, WorkerState, WorkerView
from app.jobs.states import LOST, State
from kernels.catalog import DEMOS

STATES = {
    WorkerState.READY: "Ready",
    WorkerState.INSTALLING: "On its way",
    WorkerState.FAILED: "Cannot work",
}

ANOTHERS = "Another learner's run"


@dataclass(frozen=True)
class Moment:
    """A moment for a machine and for the learner."""

    iso: str
    words: str


@dataclass(frozen=True)
class DeviceCard:
    """A device and what its lane does; `lost` tells of children that ended by themselves, empty where none did."""

    name: str
    words: str
    doing: str
    lost: str


@dataclass(frozen=True)
class WorkerCard:
    name: str
    state: WorkerState
    standing: str
    words: str
    token: str
    since: Moment
    devices: tuple[DeviceCard, ...]


@dataclass(frozen=True)
class FaultCard:
    """Of another learner's run only the moment and the kind of the fault are told; its texts are empty."""

    at: Moment
    title: str
    what: str
    words: str
    run: str
    params: str = ""


@dataclass(frozen=True)
class WorkerPage:
    standing: WorkerView
    workers: tuple[WorkerCard, ...]
    queue: tuple[str, ...]
    faults: tuple[FaultCard, ...]


def worker_page(
    standing: WorkerView,
    workers: Sequence[Worker],
    waiting: Sequence[Waiting],
    faults: Sequence[Fault],
    learner: Learner,
    now: datetime,
) -> WorkerPage:
    return WorkerPage(
        standing=standing,
        workers=tuple(_worker(worker, learner, now) for worker in workers),
        queue=tuple(_waiting(lane, standing, now) for lane in waiting),
        faults=tuple(_fault(fault, learner) for fault in faults),
    )


def span(length: timedelta) -> str:
    """A time that has passed, as short as it may be said: "5 s", "3 min", "1 h 5 min", "2 days"."""
    seconds = max(int(length.total_seconds()), 0)
    if seconds < 60:
        return f"{seconds} s"
    minutes = seconds // 60
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days = hours // 24
    return f"{days} day{'s' * (days > 1)}"


def _worker(worker: Worker, learner: Learner, now: datetime) -> WorkerCard:
    return WorkerCard(
        name=worker.name,
        state=worker.state,
        standing=STATES.get(worker.state, ""),
        words=worker.words,
        token=f'with the token "{worker.token}"' if worker.token else "with this server's own token",
        since=_moment(worker.since, learner),
        devices=tuple(_devices(worker, now)),
    )


def _devices(worker: Worker, now: datetime) -> Iterator[DeviceCard]:
    """Each lane with its device, which it has only once its child is warm; then devices of which no lane is told."""
    left = list(worker.devices)
    for lane in worker.lanes:
        if lane.hears:
            words = f"Hears what is said aloud, with the model {lane.device}"
            yield DeviceCard("Speech to text", words, _doing(lane, now), _lost(lane))
            continue
        mine = next((device for device in left if device.name == lane.device), None)
        if mine is not None:
            left.remove(mine)
        name, words = (mine.name, _device(mine)) if mine else ("A device that is not ready", "")
        yield DeviceCard(name, words, _doing(lane, now), _lost(lane))
    yield from (DeviceCard(device.name, _device(device), "", "") for device in left)


def _device(device: Device) -> str:
    """Its kind, its versions, and what becomes of Triton kernels on it."""
    kind = "GPU" if device.kind == "cuda" else device.kind.upper()
    versions = (("driver", device.driver), ("torch", device.torch), ("triton", device.triton))
    return ", ".join((kind, *(f"{name} {has}" for name, has in versions if has), _kernels(device)))


def _kernels(device: Device) -> str:
    if device.interpreter:
        return "Triton kernels are interpreted"
    return "Triton kernels are compiled" if device.compiles else "no Triton kernels"


def _doing(lane: Lane, now: datetime) -> str:
    since = span(now - lane.since)
    if lane.state is LaneState.RUNNING and lane.hears:
        return f"Hears a recording for {since} now."
    if lane.state is LaneState.RUNNING:
        return f"Runs “{_title(lane.demo)}” for {since} now."
    return {
        LaneState.IDLE: f"Idle for {since}.",
        LaneState.STARTING: f"Starting for {since}.",
        LaneState.DOWN: f"Cannot start for {since}; it keeps trying.",
    }[lane.state]


def _lost(lane: Lane) -> str:
    if not lane.lost:
        return ""
    count = "One child was" if lane.lost == 1 else f"{lane.lost} children were"
    return f"{count} lost since it started. The last: {lane.words}"


def _waiting(found: Waiting, standing: WorkerView, now: datetime) -> str:
    if found.lane == lanes.SPEECH:
        return _recordings(found, standing, now)
    runs = "1 run waits" if found.count == 1 else f"{found.count} runs wait"
    first = span(now - found.since)
    if found.lane != lanes.GPU:
        return f"{runs} for any worker, the first for {first}."
    nobody = " No worker that is here has one." if standing.ready and not standing.compiles else ""
    return f"{runs} for a GPU, the first for {first}.{nobody}"


def _recordings(found: Waiting, standing: WorkerView, now: datetime) -> str:
    those = "1 recording waits" if found.count == 1 else f"{found.count} recordings wait"
    nobody = (
        "" if standing.hears or not standing.ready else " No worker that is here hears: make run SPEECH=1."
    )
    return f"{those} to be heard, the first for {span(now - found.since)}.{nobody}"


def _fault(fault: Fault, learner: Learner) -> FaultCard:
    at, what = _moment(fault.at, learner), _what(fault)
    if fault.learner != learner.id:
        return FaultCard(at, ANOTHERS, what, words="", run="")
    if "demo" not in fault.payload:
        return FaultCard(at, "Speech to text", what, _how(fault), run="")
    params = fault.payload.get("params")
    links = Links(str(fault.payload.get("demo", "")), params if isinstance(params, Mapping) else {})
    return FaultCard(at, _title(links.demo), what, _how(fault), fault.job, links.words or USUAL)


def _what(fault: Fault) -> str:
    if fault.losses:
        return "Lost" if fault.losses == 1 else "Lost twice"
    return "Timed out" if fault.state is State.TIMED_OUT else "Failed"


def _how(fault: Fault) -> str:
    if fault.state in (State.FAILED, State.TIMED_OUT):
        return fault.message
    ends = {
        State.DONE: "The next try was done.",
        State.CANCELLED: "It was cancelled after that.",
        State.QUEUED: "It waits for its next try.",
        State.RUNNING: "Its next try is running.",
    }
    return f"{fault.loss or LOST} {ends[fault.state]}"


def _title(demo: str) -> str:
    return DEMOS[demo].title if demo in DEMOS else demo


def _moment(at: datetime, learner: Learner) -> Moment:
    local = at.astimezone(ZoneInfo(learner.zone))
    return Moment(at.isoformat(timespec="seconds"), f"{local.day} {local:%b %Y, %H:%M}")

"""What workers send and are sent, as JSON: the bodies of app/jobs/api.py."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from app.jobs.standing import LaneState, WorkerState
from app.jobs.states import Outcome, State

LONGEST_WAIT_S = 30


class Shown(BaseModel):
    """`token`: the name of the one that the request bears, empty for the server's own."""

    token: str


class FromWorker(BaseModel):
    """Fields that a newer worker adds are passed over, so that the two sides can be updated one by one."""

    model_config = ConfigDict(frozen=True)

    worker: Annotated[str, Field(min_length=1, max_length=100)]


Words = Annotated[str, Field(max_length=500)]
Version = Annotated[str, Field(max_length=60)]
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]  # clocks differ, durations do not


class DeviceIn(BaseModel):
    kind: Annotated[str, Field(max_length=20)]
    name: Annotated[str, Field(max_length=200)]
    interpreter: bool = False
    driver: Version = ""
    torch: Version = ""
    triton: Version = ""


class LaneIn(BaseModel):
    """One child of the worker, as app.jobs.standing.Lane has it; in `state` for `for_s` seconds."""

    state: LaneState
    for_s: Seconds = 0
    device: Annotated[str, Field(max_length=2000)] = ""
    takes: Annotated[list[Annotated[str, Field(max_length=20)]], Field(max_length=8)] = []
    demo: Annotated[str, Field(max_length=100)] = ""
    lost: Annotated[int, Field(ge=0, le=2**53)] = 0
    words: Words = ""


class Announcement(FromWorker):
    """`up_s`: seconds since the worker started."""

    state: WorkerState
    words: Words = ""
    devices: Annotated[list[DeviceIn], Field(max_length=64)] = []
    lanes: Annotated[list[LaneIn], Field(max_length=64)] = []
    up_s: Seconds = 0


class Rhythm(BaseModel):
    """`lease_s`: seconds without a sign after which a worker, or its job, is given up."""

    lease_s: float


class Wanted(FromWorker):
    lanes: Annotated[list[str], Field(min_length=1, max_length=8)]
    wait_s: Annotated[float, Field(ge=0, le=LONGEST_WAIT_S)] = 20


class Lease(BaseModel):
    id: str
    attempt: int
    kind: str
    payload: dict[str, object]
    deadline_s: float
    lease_s: float


class Sign(FromWorker):
    attempt: int
    progress: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0
    words: Annotated[str, Field(max_length=500)] = ""


class Wish(BaseModel):
    """`cancel`: the learner wants the run to end."""

    cancel: bool


class End(FromWorker):
    attempt: int
    outcome: Outcome
    message: Annotated[str, Field(max_length=2000)] = ""
    result: dict[str, object] | None = None


class Ended(BaseModel):
    state: State

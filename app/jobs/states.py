"""The life of a job, as pure rules.

    queued -> running -> done | failed | timed_out | cancelled
       ^---------'        (a worker that was lost or stopped gives the job back)

Only an unexplained death is tried again, and once, so that a poisonous job cannot go round for ever. A deadline, a
CUDA error or a refusal would only repeat itself.
"""

from dataclasses import dataclass
from enum import StrEnum

MAX_LOSSES = 2


class State(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        return self not in (State.QUEUED, State.RUNNING)


class Outcome(StrEnum):
    """How a worker's turn at a job ended. `died`: unexplained; `stopped`: the worker was told to stop."""

    DONE = "done"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    DIED = "died"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Turn:
    """Where a job stands after a worker's turn; `message` is a sentence for the learner."""

    state: State
    losses: int
    message: str


LOST = "The worker was lost during this run."
AGAIN = "It is tried once more."
GIVEN_UP = (
    "That was the second time, so the run was given up. "
    "If memory ran out, choose smaller lengths; else look at the worker's log."
)
STOPPED = "The worker was stopped, so this run waits for the next one."
REVOKED = "The token of its worker was revoked, so this run waits for another worker."


def late(deadline_s: float, limit: str = "its limit") -> str:
    """What a learner reads of a run that took longer than its `deadline_s` seconds."""
    return f"The run was stopped after {deadline_s:g} s, {limit}."


def after(outcome: Outcome, message: str, *, losses: int, cancel: bool, deadline_s: float) -> Turn:
    """What a running job becomes when its turn ends with `outcome`.

    `message` is the worker's own sentence, `losses` counts unexplained deaths before this one, `cancel` tells
    whether the learner has asked for an end meanwhile.
    """
    if outcome is Outcome.DONE:
        return Turn(State.DONE, losses, message)
    if outcome is Outcome.CANCELLED or (cancel and outcome in (Outcome.DIED, Outcome.STOPPED)):
        return Turn(State.CANCELLED, losses, "Cancelled.")
    if outcome is Outcome.TIMED_OUT:
        return Turn(State.TIMED_OUT, losses, message or late(deadline_s))
    if outcome is Outcome.STOPPED:
        return Turn(State.QUEUED, losses, message or STOPPED)
    if outcome is Outcome.DIED:
        return _died(message or LOST, losses + 1)
    return Turn(State.FAILED, losses, message or "The run failed, and gave no reason.")


def _died(why: str, losses: int) -> Turn:
    if losses < MAX_LOSSES:
        return Turn(State.QUEUED, losses, f"{why} {AGAIN}")
    return Turn(State.FAILED, losses, f"{why} {GIVEN_UP}")

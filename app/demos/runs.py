"""What a run looks like to who waits for it, as pure rules: words for each state, and advice where it went wrong."""

from app.jobs.states import State

GONE = "The result of this run was deleted, as old ones are; run it again to see it."
NO_GPU = "It needs a GPU, and no worker that is here has one; it waits until one joins."


def words(
    state: State, *, message: str, place: int, cancel: bool, deadline_s: float, usual_deadline_s: float
) -> str:
    """One or two sentences on how a run stands.

    `message` is what the job itself says, `place` counts the runs before it, `usual_deadline_s` is the demo's own
    deadline, which a setting may have lowered to `deadline_s`.
    """
    if state is State.QUEUED:
        return " ".join(filter(None, (message, waiting(place))))
    if state is State.RUNNING:
        return "Cancelling." if cancel else message or "Running."
    if state is State.DONE:
        return "Done."
    if state is State.TIMED_OUT:
        return f"{message} {late_advice(deadline_s < usual_deadline_s)}"
    return message


def waiting(place: int) -> str:
    """Where a run stands in the queue; `place` runs are before it."""
    if place == 0:
        return "Next in line."
    return "One run is before this one." if place == 1 else f"{place} runs are before this one."


def late_advice(lowered: bool) -> str:
    """What to change after a deadline; only a deadline that a setting has lowered can be raised by it."""
    return "Choose smaller lengths" + (", or raise ALOUD_RUN_DEADLINE_S." if lowered else ".")

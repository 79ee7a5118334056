"""How a run is told to who waits for it."""

import pytest

from app.demos.runs import words
from app.jobs.states import State


def say(state: State, **given) -> str:
    usual = {"message": "", "place": 0, "cancel": False, "deadline_s": 2.0, "usual_deadline_s": 60.0}
    return words(state, **{**usual, **given})


@pytest.mark.parametrize(
    ("place", "said"),
    [(0, "Next in line."), (1, "One run is before this one."), (7, "7 runs are before this one.")],
)
def test_a_waiting_run_knows_its_place(place, said):
    assert say(State.QUEUED, place=place) == said


def test_a_run_that_came_back_says_why():
    assert say(State.QUEUED, message="The worker was lost.") == "The worker was lost. Next in line."


def test_a_running_one_tells_its_step_until_it_is_cancelled():
    assert say(State.RUNNING) == "Running."
    assert say(State.RUNNING, message="Timing SDPA") == "Timing SDPA"
    assert say(State.RUNNING, message="Timing SDPA", cancel=True) == "Cancelling."


def test_only_a_deadline_that_a_setting_lowered_is_blamed_on_the_setting():
    late = "The run was stopped after 2 s, its limit."
    assert (
        say(State.TIMED_OUT, message=late) == f"{late} Choose smaller lengths, or raise ALOUD_RUN_DEADLINE_S."
    )
    assert say(State.TIMED_OUT, message=late, usual_deadline_s=2.0) == f"{late} Choose smaller lengths."


def test_a_failure_speaks_for_itself():
    assert say(State.FAILED, message="bf16 needs a GPU.") == "bf16 needs a GPU."

"""The life of a job: what each end of a worker's turn leads to."""

import pytest

from app.jobs.states import MAX_LOSSES, Outcome, State, after


def turn(outcome: Outcome, *, losses: int = 0, cancel: bool = False, message: str = ""):
    return after(outcome, message, losses=losses, cancel=cancel, deadline_s=2)


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (Outcome.DONE, State.DONE),
        (Outcome.FAILED, State.FAILED),
        (Outcome.TIMED_OUT, State.TIMED_OUT),
        (Outcome.CANCELLED, State.CANCELLED),
        (Outcome.DIED, State.QUEUED),
        (Outcome.STOPPED, State.QUEUED),
    ],
)
def test_a_first_turn_ends_where_it_should(outcome, state):
    assert turn(outcome).state is state


def test_an_unexplained_death_is_tried_again_once():
    first = turn(Outcome.DIED)
    assert (first.state, first.losses) == (State.QUEUED, 1)
    second = turn(Outcome.DIED, losses=first.losses)
    assert second.state is State.FAILED
    assert second.losses == MAX_LOSSES
    assert "second time" in second.message


def test_how_it_died_is_told_where_somebody_saw_it():
    killed = turn(Outcome.DIED, message="It was killed.").message
    assert killed == "It was killed. It is tried once more."
    assert turn(Outcome.DIED, message="It was killed.", losses=1).message.startswith(
        "It was killed. That was"
    )


def test_stopping_a_worker_is_no_fault_of_the_job():
    assert turn(Outcome.STOPPED, losses=1).losses == 1
    assert turn(Outcome.STOPPED, losses=1).state is State.QUEUED


@pytest.mark.parametrize("outcome", [Outcome.DIED, Outcome.STOPPED, Outcome.CANCELLED])
def test_a_job_that_was_to_be_cancelled_is_not_tried_again(outcome):
    assert turn(outcome, cancel=True).state is State.CANCELLED


def test_work_done_before_the_cancel_arrived_is_kept():
    assert turn(Outcome.DONE, cancel=True).state is State.DONE


def test_a_deadline_says_its_seconds():
    assert turn(Outcome.TIMED_OUT).message == "The run was stopped after 2 s, its limit."


def test_every_end_but_a_good_one_has_a_sentence():
    for outcome in set(Outcome) - {Outcome.DONE}:
        assert turn(outcome).message.endswith(".")


def test_what_has_ended_is_final():
    assert [state for state in State if not state.final] == [State.QUEUED, State.RUNNING]

"""What the pages say of the workers."""

from app.jobs.registry import MOST_OF_A_TOKEN, Registry
from app.jobs.standing import Device, WorkerState

H200 = Device("cuda", "NVIDIA H200")


def test_without_a_sign_there_is_no_worker_and_the_help_says_how_to_start_one(clock):
    view = Registry(clock, 15).view()
    assert view.state is WorkerState.ABSENT
    assert "aloud worker" in view.help


def test_a_ready_worker_is_named_by_its_devices(clock):
    registry = Registry(clock, 15)
    registry.announce("box", WorkerState.READY, "", [H200])
    assert (registry.view().state, registry.view().words) == (WorkerState.READY, "worker: H200")


def test_one_ready_worker_outweighs_the_others(clock):
    registry = Registry(clock, 15)
    registry.announce("old", WorkerState.FAILED, "No torch.", [])
    assert registry.view().help == "No torch."
    registry.announce("laptop", WorkerState.INSTALLING, "Installing PyTorch.", [])
    assert registry.view().state is WorkerState.INSTALLING
    registry.announce("box", WorkerState.READY, "", [Device("cpu", "Xeon")])
    assert registry.view().words == "worker: CPU"


def test_silence_and_a_farewell_both_remove_a_worker(clock):
    registry = Registry(clock, 15)
    registry.announce("box", WorkerState.READY, "", [H200])
    clock.advance(seconds=16)
    assert registry.view().state is WorkerState.ABSENT
    registry.announce("box", WorkerState.READY, "", [H200])
    registry.announce("box", WorkerState.ABSENT, "", [])
    assert registry.view().state is WorkerState.ABSENT


def test_the_holder_of_one_token_keeps_nobody_else_out_and_the_log_says_so_once(clock, caplog):
    registry = Registry(clock, 15)
    for number in range(100):
        registry.announce(f"rogue {number}", WorkerState.READY, "", [], token="gpu-box")
    registry.announce("own", WorkerState.READY, "", [H200])
    registry.announce("other", WorkerState.READY, "", [], token="laptop")
    there = [worker.token for worker in registry.workers()]
    assert (there.count("gpu-box"), there.count(""), there.count("laptop")) == (MOST_OF_A_TOKEN, 1, 1)
    (said,) = caplog.messages
    assert said == (
        "The pages leave out the worker 'rogue 16': 16 workers are here with the token \"gpu-box\", as many as may be."
    )


def test_one_that_was_left_out_is_noted_once_another_has_gone(clock, caplog):
    registry = Registry(clock, 15)
    for number in range(MOST_OF_A_TOKEN + 1):
        registry.announce(f"{number:02}", WorkerState.READY, "", [])
    registry.announce("00", WorkerState.ABSENT, "", [])
    registry.announce(f"{MOST_OF_A_TOKEN}", WorkerState.READY, "", [])
    assert [worker.name for worker in registry.workers()] == [
        f"{n:02}" for n in range(1, MOST_OF_A_TOKEN + 1)
    ]
    registry.announce("more", WorkerState.READY, "", [])
    assert len(caplog.messages) == 2

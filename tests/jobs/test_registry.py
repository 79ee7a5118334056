"""What the pages say of the workers."""

from app.jobs.registry import Device, Registry, WorkerState

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

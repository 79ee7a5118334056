"""How a worker introduces itself."""

from app.jobs.registry import Registry
from app.jobs.standing import Device, WorkerState
from app.settings import Settings
from app.worker.main import own_name


def test_of_two_workers_on_one_host_one_leaves_for_itself_only(clock):
    registry = Registry(clock, 15)
    first, second = (own_name(Settings(worker_name="box")) for _ in range(2))
    for name in (first, second):
        registry.announce(name, WorkerState.READY, "", [Device("cpu", "Xeon")])
    registry.announce(first, WorkerState.ABSENT, "", [])
    assert registry.view().state is WorkerState.READY


def test_the_name_is_one_that_the_web_side_takes():
    assert len(own_name(Settings(worker_name="x" * 100))) <= 100

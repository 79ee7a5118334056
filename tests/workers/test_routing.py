"""Which worker gets a run: what only a GPU can do waits in a lane of its own, and both kinds may serve at once."""

import pytest

from app.accounts.store import FIRST
from app.jobs import lanes
from app.jobs.service import jobs as jobs_of
from app.jobs.standing import Device, WorkerState
from app.jobs.states import Outcome

INTERPRETING = lanes.takes(compiles=False)
COMPILING = lanes.takes(compiles=True)
ONLY_A_GPU = {"dtype": "bf16"}
CPU = Device("cpu", "Xeon", interpreter=True)
H200 = Device("cuda", "NVIDIA H200")


@pytest.fixture
def jobs(app):
    return jobs_of(app.state.parts)


@pytest.fixture
def ready(app):
    """Says that a worker with this device is ready."""

    def announce(name, device):
        app.state.parts.workers.announce(name, WorkerState.READY, "", [device])

    return announce


@pytest.fixture
def submit(client):
    def send(demo="flash", **params):
        answer = client.post("/api/v1/runs", json={"demo": demo, "params": params})
        assert answer.status_code == 202, answer.text
        return answer.json()["id"]

    return send


def test_an_interpreting_worker_never_gets_what_only_a_gpu_can_do(submit, jobs, ready):
    ready("laptop", CPU)
    ready("box", H200)
    only_gpu, anywhere = submit(**ONLY_A_GPU), submit()
    assert jobs.claim("laptop", INTERPRETING).id == anywhere
    assert jobs.claim("laptop", INTERPRETING) is None
    assert jobs.claim("box", COMPILING).id == only_gpu


def test_a_compiling_worker_takes_both_kinds_in_the_order_they_came(submit, jobs):
    made = [submit(), submit(**ONLY_A_GPU), submit("kv-cache")]
    assert [jobs.claim("box", COMPILING).id for _ in made] == made


def test_a_busy_gpu_keeps_nothing_from_the_cpu_and_the_other_way_round(submit, jobs, ready):
    ready("laptop", CPU)
    ready("box", H200)
    first, second, third = submit(**ONLY_A_GPU), submit(**ONLY_A_GPU), submit()
    assert jobs.claim("box", COMPILING).id == first
    assert jobs.claim("laptop", INTERPRETING).id == third  # it passes the one that waits for the GPU
    assert jobs.claim("laptop", INTERPRETING) is None
    jobs.finish(first, "box", 1, Outcome.FAILED, "", None)
    assert jobs.claim("box", COMPILING).id == second


def test_the_queue_is_told_by_lanes_and_a_place_counts_them_all(jobs, submit):
    waiting = submit(**ONLY_A_GPU)
    other = submit()
    assert [(found.lane, found.count) for found in jobs.waiting()] == [(lanes.DEMO, 1), (lanes.GPU, 1)]
    assert jobs.get(waiting, FIRST).place == 0
    assert jobs.get(other, FIRST).place == 1  # the same GPU may serve both


def test_with_no_gpu_ready_it_is_refused_at_once_with_a_sentence(client, ready, jobs):
    ready("laptop", CPU)
    answer = client.post("/api/v1/runs", json={"demo": "flash", "params": ONLY_A_GPU})
    assert (answer.status_code, "bf16 needs a GPU" in answer.json()["detail"]) == (422, True)
    assert jobs.waiting() == []


def test_a_run_whose_gpu_went_away_says_what_it_waits_for(client, submit, ready, app):
    run = submit(**ONLY_A_GPU)
    told = lambda: client.get(f"/api/v1/runs/{run}").json()["words"]  # noqa: E731
    assert "aloud worker" in told()
    ready("laptop", CPU)
    assert told() == (
        "Next in line. It needs a GPU, and no worker that is here has one; it waits until one joins."
    )
    ready("box", H200)
    assert told() == "Next in line."


def test_a_form_sent_again_after_its_run_was_cancelled_runs_again(client):
    """Back in the browser shows the page as it was drawn, with the key that was sent already."""
    sent = {"run-key": "drawn", "causal": "false"}

    def press():
        return client.post("/demos/attention/runs", data=sent).headers["location"]

    first = press()
    assert press() == first
    for _ in range(3):
        client.post(f"{first}/cancel")
        fresh = press()
        assert fresh != first
        assert press() == fresh
        first = fresh

"""A worker whose children go wrong in each way a kernel can, behind the real web side: what the learner reads, and
that the next run is served. tests/worker/faulty.py says what each of them does."""

from collections.abc import Iterator

import httpx
import pytest

from tests.crash.following import end, following, submit, until_running
from tests.house import House, Process, house
from tests.marks import linux
from tests.worker.faulty import WAYS

pytestmark = pytest.mark.crash


def ask(api: httpx.Client, way: str, tokens: int = 1) -> str:
    return submit(api, "kv-cache", batch=WAYS.index(way) + 1, tokens=tokens)


def process_of(done: dict) -> str:
    """Which child did it, as it says itself: "process 123 sees ['0']"."""
    assert done["state"] == "done", done["words"]
    return done["result"]["blocks"][0]["data"]["text"]


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("data"), run_deadline_s="2", queue_limit="2") as made:
        worker = made.faulty()
        yield made
        assert worker.stop() == 0  # whatever its children did, it lived


@pytest.fixture
def api(place) -> Iterator[httpx.Client]:
    with place.api() as made:
        yield made


@linux
def test_a_call_into_c_that_never_returns_is_killed_at_the_deadline(api):
    before = process_of(end(api, ask(api, "fine")))
    late = end(api, ask(api, "stuck"))
    assert (late["state"], late["words"][:36]) == ("timed_out", "The run was stopped after 2 s, its l")
    assert process_of(end(api, ask(api, "fine"))) != before


def test_a_cuda_error_costs_the_child_but_not_the_worker(api):
    before = process_of(end(api, ask(api, "fine")))
    failed = end(api, ask(api, "cuda"))
    assert failed["state"] == "failed"
    assert "The GPU reported an error (RuntimeError: CUDA error: an illegal memory access" in failed["words"]
    assert process_of(end(api, ask(api, "fine"))) != before


def test_memory_that_runs_out_is_a_result_and_the_child_stays(api):
    before = process_of(end(api, ask(api, "fine")))
    (block,) = end(api, ask(api, "memory runs out", tokens=7))["result"]["blocks"]
    assert (block["id"], block["data"]["text"][-22:]) == ("out-of-memory", "Lower tokens or batch.")
    assert process_of(end(api, ask(api, "fine"))) == before


@pytest.mark.parametrize("way", ["is killed", "dies within a line"])
def test_a_run_that_kills_each_child_is_given_up_after_two(api, way):
    lost = end(api, ask(api, way))
    assert lost["state"] == "failed"
    assert lost["words"].startswith("The process that runs demos was killed; memory may have run out.")
    assert "second time" in lost["words"]
    assert end(api, ask(api, "fine"))["state"] == "done"


def test_what_went_wrong_stands_on_the_page_of_the_worker(api):
    for way in ("cuda", "is killed"):
        end(api, ask(api, way))
    page = api.get("/worker").text
    assert "illegal memory access" in page
    assert "memory may have run out" in page
    assert "lost" in page


def test_waiting_and_running_runs_are_cancelled_and_the_lane_is_free_again(api):
    running, waiting = ask(api, "waits", tokens=1), ask(api, "waits", tokens=2)
    until_running(api, running)
    assert api.delete(f"/api/v1/runs/{waiting}").json()["words"] == "Cancelled before it began."
    assert api.delete(f"/api/v1/runs/{running}").json()["words"] == "Cancelling."
    assert end(api, running)["state"] == "cancelled"
    assert end(api, ask(api, "fine"))["state"] == "done"


def refused(api: httpx.Client) -> httpx.Response:
    answer = api.post("/api/v1/runs", json={"demo": "kv-cache", "params": {}})
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    return answer


def cancel(api: httpx.Client, *runs: str) -> None:
    for run in reversed(runs):  # those that wait first, so that none of them begins
        api.delete(f"/api/v1/runs/{run}").raise_for_status()
    assert {end(api, run)["state"] for run in runs} == {"cancelled"}


def test_a_full_queue_says_so_and_when_to_come_back(api):
    running = ask(api, "waits", tokens=1)
    until_running(api, running)
    waiting = [ask(api, "waits", tokens=n) for n in (2, 3)]
    assert "2 runs wait already, as many as the queue takes" in refused(api).json()["detail"]
    cancel(api, running, *waiting)
    assert end(api, ask(api, "fine"))["state"] == "done"


@pytest.fixture(scope="module")
def two_gpus(tmp_path_factory) -> Iterator[tuple[House, Process]]:
    with house(tmp_path_factory.mktemp("gpus")) as made:
        worker = made.faulty(gpus=2)
        yield made, worker
        assert worker.stop() == 0


def test_each_device_has_a_child_that_sees_no_other_and_both_run_at_once(two_gpus):
    place, _ = two_gpus
    with place.api() as api:
        runs = [ask(api, "meets another", tokens=n) for n in (1, 2)]
        told = [process_of(end(api, run)) for run in runs]
    assert sorted(words.partition(" sees ")[2] for words in told) == ["['0']", "['1']"]


def test_one_learner_cannot_have_more_than_four_runs_open(two_gpus):
    place, _ = two_gpus
    with place.api() as api:
        runs = [ask(api, "waits", tokens=n) for n in range(1, 5)]
        until_running(api, runs[1])  # so both lanes are taken, and two runs wait
        assert "You have 4 runs open, as many as one person may" in refused(api).json()["detail"]
        cancel(api, *runs)


def test_the_death_of_one_child_leaves_the_other_at_work(two_gpus):
    place, worker = two_gpus
    with place.api() as api:
        long = ask(api, "waits", tokens=3)
        until_running(api, long)
        assert "second time" in end(api, ask(api, "dies"))["words"]
        other = process_of(end(api, ask(api, "fine")))
        with following(api, long) as events:
            assert next(events)["state"] == "running"
        (place.data / "go-3").touch()
        assert process_of(end(api, long)) != other
    assert worker.popen.poll() is None

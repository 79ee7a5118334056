"""Real processes that are killed in the middle of runs: every run ends, with words, and the next one is served."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.crash.following import end, following, submit, until_running
from tests.house import House, Process, house, plan
from tests.marks import linux

pytestmark = pytest.mark.crash

LONG = {"example": "random", "n_q": 1024, "n_kv": 1024, "d_k": 64, "h_q": 8, "h_kv": 8}  # two seconds or so
LEASE_S = 2


def children(process: Process) -> list[int]:
    """Those that run demos: a worker that can hear has one for that, too."""
    pid = process.popen.pid
    there = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [child for child in there if b"app.worker.child" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("data"), lease_s=str(LEASE_S)) as made:
        yield made


@pytest.fixture
def api(place) -> Iterator[httpx.Client]:
    with place.api() as made:
        yield made


@pytest.fixture
def worker(place) -> Iterator[Process]:
    made = place.work()
    yield made
    made.stop()


def test_a_run_is_killed_at_its_deadline_and_the_next_one_served(tmp_path):
    with house(tmp_path / "data", worker=True, run_deadline_s="2") as place, place.api() as api:
        late = end(api, submit(api, "attention", **LONG | {"n_q": 2048, "n_kv": 2048}))  # eight seconds or so
        assert late["state"] == "timed_out"
        assert late["words"] == (
            "The run was stopped after 2 s, its limit. Choose smaller lengths, or raise ALOUD_RUN_DEADLINE_S."
        )
        assert end(api, submit(api))["state"] == "done"


@linux
def test_a_killed_worker_costs_a_run_some_seconds_but_not_its_result(place, api):
    worker = place.work()
    run = submit(api, "attention", **LONG)
    until_running(api, run)
    (child,) = children(worker)
    worker.kill()
    second = place.work()
    try:
        done = end(api, run)
    finally:
        second.stop()
    assert done["state"] == "done"
    assert not Path(f"/proc/{child}").exists()  # it ended with its parent


def test_a_run_that_kills_every_worker_is_given_up_with_words(place, api):
    run = submit(api, "attention", **LONG)
    for _ in range(2):
        worker = place.work()
        until_running(api, run)
        worker.kill()
        with following(api, run) as events:
            assert any(event["state"] in ("queued", "failed") for event in events)
    lost = api.get(f"/api/v1/runs/{run}").json()
    assert lost["state"] == "failed"
    assert "The worker was lost during this run. That was the second time" in lost["words"]


@linux
def test_a_killed_child_is_replaced_and_its_run_tried_again(api, worker):
    run = submit(api, "attention", **LONG)
    until_running(api, run)
    os.kill(children(worker)[0], signal.SIGKILL)
    done = end(api, run)
    assert done["state"] == "done", done["words"]


def test_a_running_run_is_cancelled(api, worker):
    run = submit(api, "attention", **LONG)
    until_running(api, run)
    assert api.delete(f"/api/v1/runs/{run}").json()["words"] == "Cancelling."
    assert end(api, run)["state"] == "cancelled"
    assert end(api, submit(api))["state"] == "done"


def test_a_stopped_worker_gives_its_run_back_at_once(place, api):
    worker = place.work()
    run = submit(api, "attention", **LONG)
    until_running(api, run)
    assert worker.stop() == 0
    back = api.get(f"/api/v1/runs/{run}").json()
    assert back["state"] == "queued"
    assert back["words"].startswith("The worker was stopped, so this run waits for the next one.")
    assert 'data-state="absent"' in api.get("/").text
    api.delete(f"/api/v1/runs/{run}")


def test_a_worker_with_another_token_is_told_so_and_ends(place):
    worker = place.start("worker", "--token", "wrong")
    assert worker.popen.wait(30) == 1
    assert "token does not match" in "".join(worker.lines)


def test_a_second_worker_has_a_token_of_its_own_and_ends_when_that_is_revoked(place, api, worker):
    made = place.start("token", "gpu-box")
    assert made.popen.wait(30) == 0
    token = next(line for line in made.told() if line.startswith("gpu-box.")).strip()
    second = place.start("worker", "--token", token, "--worker-name", "box")
    place.until(
        lambda api: "token &#34;gpu-box&#34;" in api.get("/worker").text, "the second worker is not there"
    )
    assert place.start("token", "gpu-box", "--revoke").popen.wait(30) == 0
    assert second.popen.wait(30) == 1
    assert 'The token "gpu-box" is not valid here: it was revoked' in second.told()[-1]
    assert end(api, submit(api))["state"] == "done"  # by the first one, which saw nothing of it


def test_a_revoked_workers_run_waits_again_and_says_why(tmp_path):
    """At once, not when its lease ends; and it is no loss, of which a run has two."""
    with house(tmp_path / "data", lease_s="600") as place, place.api() as api:
        made = place.start("token", "gpu-box")
        assert made.popen.wait(30) == 0
        token = next(line for line in made.told() if line.startswith("gpu-box.")).strip()
        worker = place.ready(place.start("worker", "--token", token))
        run = submit(api, "attention", **{**LONG, "n_q": 4096, "n_kv": 4096})
        until_running(api, run)
        assert place.start("token", "gpu-box", "--revoke").popen.wait(30) == 0
        assert worker.popen.wait(30) == 1
        assert sum("was revoked" in line for line in worker.told()) == 1
        assert "None is here" in api.get("/worker").text
        waits = api.get(f"/api/v1/runs/{run}").json()
        assert (waits["state"], waits["words"].partition(" Next")[0]) == (
            "queued",
            "The token of its worker was revoked, so this run waits for another worker.",
        )
        assert "What went wrong of late" in api.get("/worker").text
        assert "Nothing. Runs that fail" in api.get("/worker").text


def test_the_web_side_stops_at_once_though_events_and_a_worker_are_open(tmp_path):
    place = plan(tmp_path / "data")
    web, worker = place.serve(), place.work()
    try:
        with place.api() as api, following(api, submit(api, "attention", **LONG)) as events:
            assert next(events)
            assert web.stop() == 0
            assert not any(event["final"] for event in events)  # the stream was ended, not cut off
    finally:
        worker.stop()
        web.stop()


def test_a_run_survives_a_kill_of_the_web_side(tmp_path):
    place = plan(tmp_path / "data", lease_s=str(LEASE_S))
    web, worker = place.serve(), place.work()
    try:
        with place.api() as api:
            run = submit(api, "attention", **LONG)
            until_running(api, run)
        web.kill()
        web = place.serve()
        with place.api() as api:
            assert end(api, run)["state"] == "done"
    finally:
        worker.stop()
        web.stop()

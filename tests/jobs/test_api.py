"""The API that workers call."""

import json
import threading

import pytest

from app.accounts.store import FIRST
from app.jobs.kinds import MOST_BYTES
from app.jobs.port import Order
from app.jobs.service import jobs as jobs_of
from app.jobs.states import State

JSON = {"Content-Type": "application/json"}
PARAMS = {"fill": "-inf", "n_q": 4}  # a choice may read like a number that JSON lacks
RESULT = {
    "schema": 1,
    "demo": "attention",
    "params": PARAMS,
    "seed": 1,
    "origin": "live",
    "mode": "eager",
    "device": {"kind": "cpu", "name": "CPU", "driver": "", "torch": "2", "triton": ""},
    "code": "abc",
    "at": "2026-11-29T18:00:00Z",
    "wall_ms": 3,
    "blocks": [],
}


@pytest.fixture
def worker(client, settings):
    client.headers["Authorization"] = f"Bearer {settings.worker_token()}"
    return lambda path, **body: client.post(f"/api/v1/worker/{path}", json={"worker": "w", **body})


@pytest.fixture
def jobs(app):
    return jobs_of(app.state.parts)


@pytest.fixture
def submit(jobs):
    payload = {"demo": "attention", "params": PARAMS}
    return lambda: jobs.submit(Order("demo", "demo", FIRST, payload, "p", "c", 2.0))


def test_a_stranger_is_told_where_the_token_lies(client):
    for token in ("", "Bearer wrong", "Bearer ünknown"):
        answer = client.post(
            "/api/v1/worker/claim",
            json={"worker": "w", "lanes": ["demo"]},
            headers={"Authorization": token.encode()},
        )
        assert answer.status_code == 401
        assert "worker-token" in answer.json()["detail"]


def test_a_whole_run(worker, submit, jobs):
    job = submit()
    lease = worker("claim", lanes=["demo"]).json()
    assert lease == {
        "id": job,
        "attempt": 1,
        "kind": "demo",
        "payload": {"demo": "attention", "params": PARAMS},
        "deadline_s": 2.0,
        "lease_s": 15.0,
    }
    sign = worker(f"jobs/{job}/heartbeat", attempt=1, progress=0.5, words="halfway")
    assert sign.json() == {"cancel": False}
    end = worker(f"jobs/{job}/finish", attempt=1, outcome="done", result=RESULT)
    assert end.json() == {"state": "done"}
    assert jobs.get(job, FIRST).state is State.DONE


def test_a_claim_waits_for_a_job(worker, submit):
    answers = []
    asking = threading.Thread(target=lambda: answers.append(worker("claim", lanes=["demo"], wait_s=20)))
    asking.start()
    job = submit()
    asking.join(10)
    assert answers[0].json()["id"] == job


def test_a_claim_without_a_job_ends_with_nothing(worker):
    answer = worker("claim", lanes=["demo"], wait_s=0.01)
    assert (answer.status_code, answer.content) == (204, b"")


def with_block(kind: str, **data: object) -> dict[str, object]:
    head = {"id": "b", "title": "", "look_for": "", "role": "", "alt": ""}
    return {**RESULT, "blocks": [{**head, "type": kind, "data": data}]}


UNEVEN = {
    **{name: [] for name in ("row_labels", "col_labels", "row_max", "row_sum")},
    **dict.fromkeys(("window", "pool", "head", "mask")),
    "shape": [1, 1],
    "stages": [{"name": "raw", "values": [[1]]}, {"name": "softmax", "values": [[1], [1]]}],
}


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ({**RESULT, "schema": 9}, "update both"),
        ({**RESULT, "code": "x" * MOST_BYTES}, "larger than 1 MB"),
        ({**RESULT, "extra": "\ud800"}, "lone surrogate"),
        (with_block("matrix", **UNEVEN), "'b' has rows, stages or a mask of different sizes"),
        (with_block("roofline", ridge=0, points=[]), "'b' has a ridge that is no positive number"),
        (with_block("roofline", ridge="nan", points=[]), "'b' has a ridge that is no positive number"),
        (with_block("bytes", rows=[{"label": "cache", "n": 10**400}]), "n must lie within"),
        (with_block("table", cols=[], rows=[{"a": 10**400}]), "wrong type"),
        (with_block("later", deep=json.loads("[" * 100 + "]" * 100)), "nested more than"),
        ({**RESULT, "demo": "flash"}, "answers another run"),
        ({**RESULT, "params": {"n_q": 7}}, "answers another run"),
        ({**RESULT, "origin": "recorded"}, "says it is recorded"),
    ],
)
def test_a_result_that_cannot_be_drawn_or_is_not_the_runs_own_fails_with_words(
    worker, submit, jobs, client, result, words
):
    job = submit()
    worker("claim", lanes=["demo"])
    body = json.dumps({"worker": "w", "attempt": 1, "outcome": "done", "result": result})
    assert client.post(f"/api/v1/worker/jobs/{job}/finish", content=body, headers=JSON).json() == {
        "state": "failed"
    }
    assert words in jobs.get(job, FIRST).message
    assert client.get(f"/runs/{job}").status_code == 200


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_a_number_that_is_no_json_fails_the_run_with_words(client, worker, submit, jobs, number):
    job = submit()
    worker("claim", lanes=["demo"])
    body = {"worker": "w", "attempt": 1, "outcome": "done", "result": {**RESULT, "extra": "?"}}
    text = json.dumps(body).replace('"?"', number)
    answer = client.post(f"/api/v1/worker/jobs/{job}/finish", content=text, headers=JSON)
    assert answer.json() == {"state": "failed"}
    assert "NaN or an infinity" in jobs.get(job, FIRST).message


def test_a_late_finish_is_refused(worker, submit, jobs, clock):
    job = submit()
    worker("claim", lanes=["demo"])
    clock.advance(seconds=16)
    jobs.sweep()
    answer = worker(f"jobs/{job}/finish", attempt=1, outcome="done", result=RESULT)
    assert answer.status_code == 409


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("claim", {"lanes": []}),
        ("claim", {"lanes": ["demo"], "wait_s": 1e9}),
        ("claim", {"worker": "", "lanes": ["demo"]}),
        ("jobs/x/heartbeat", {"attempt": 1, "progress": 2}),
        ("jobs/x/heartbeat", {"attempt": "one"}),
        ("jobs/x/finish", {"attempt": 1, "outcome": "lost"}),
        ("jobs/x/finish", {"attempt": 1, "outcome": "done"}),
        ("announce", {"state": "asleep"}),
    ],
)
def test_wrong_input_gets_one_sentence(worker, path, body):
    answer = worker(path, **body)
    assert answer.status_code == 422
    assert isinstance(answer.json()["detail"], str)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("announce", {"state": "failed", "words": "\ud800"}),
        ("announce", {"state": "ready", "devices": [{"kind": "cpu", "name": "\ud800"}]}),
        ("jobs/x/finish", {"attempt": 1, "outcome": "failed", "message": "\ud800"}),
    ],
)
def test_text_that_no_page_can_show_is_refused(client, worker, path, body):
    answer = client.post(f"/api/v1/worker/{path}", content=json.dumps({"worker": "w", **body}), headers=JSON)
    assert answer.status_code == 422
    assert client.get("/demos").status_code == 200


def test_an_announced_worker_is_seen_by_the_pages(worker, app):
    devices = [{"kind": "cpu", "name": "Xeon", "interpreter": True, "memory": "a field of a later version"}]
    assert worker("announce", state="ready", devices=devices).json() == {"lease_s": 15.0}
    assert app.state.worker_view().words == "worker: CPU"


def test_a_waiting_claim_ends_when_the_server_stops(app, worker):
    answers = []
    asking = threading.Thread(target=lambda: answers.append(worker("claim", lanes=["demo"], wait_s=20)))
    asking.start()
    app.state.parts.hub.close()
    asking.join(5)
    assert answers[0].status_code == 503

"""The demos over HTTP."""

import asyncio
import json
import threading

import pytest

from app.accounts.learner import Learner
from app.accounts.store import FIRST
from app.demos import api
from app.jobs.port import JOBS
from app.jobs.states import Outcome
from kernels.catalog import DEMOS


@pytest.fixture
def post(client):
    def send(demo="attention", params=None, key=None):
        headers = {"Idempotency-Key": key} if key is not None else {}
        return client.post("/api/v1/runs", json={"demo": demo, "params": params or {}}, headers=headers)

    return send


def test_the_catalogue_tells_all_that_a_form_needs(client):
    demos = client.get("/api/v1/demos").json()["demos"]
    assert [demo["name"] for demo in demos] == list(DEMOS)
    n_q = next(p for p in demos[0]["params"] if p["name"] == "n_q")
    assert {"kind", "default", "low", "high", "label", "help"} <= n_q.keys()


def test_a_run_from_the_queue_to_its_result(client, post, worker):
    answer = post(params={"causal": False})
    assert answer.status_code == 202
    run = f"/api/v1/runs/{answer.json()['id']}"
    queued = client.get(run).json()
    assert (queued["state"], queued["place"], queued["result"]) == ("queued", 0, None)
    assert "aloud worker" in queued["words"]  # nobody serves yet, and it says what to do
    claim = worker.take()
    worker.jobs.heartbeat(claim.id, "w", 1, 0.5, "Masking")
    running = client.get(run).json()
    assert (running["state"], running["progress"], running["words"]) == ("running", 0.5, "Masking")
    worker.end(claim)
    done = client.get(run).json()
    assert (done["state"], done["progress"], done["result"]["schema"]) == ("done", 1.0, 1)


def test_a_run_whose_result_was_deleted_is_not_just_done(client, post, worker, clock):
    run = f"/api/v1/runs/{post().json()['id']}"
    worker.serve()
    clock.advance(days=91)
    worker.jobs.forget_results(clock())
    for told in (client.get(run).json(), client.delete(run).json()):
        assert (told["state"], told["result"]) == ("done", None)
        assert "was deleted" in told["words"]


def test_a_repeat_with_the_same_key_is_the_same_run(post):
    assert post(key="k").json() == post(key="k").json()
    assert post(key="k").json() != post(key="other").json()
    changed = post(params={"causal": False}, key="k")
    assert changed.status_code == 409
    assert "new key" in changed.json()["detail"]


@pytest.mark.parametrize(
    ("demo", "params", "status", "words"),
    [
        ("atention", {}, 404, "did you mean attention?"),
        ("attention", {"n_q": 0}, 422, "n_q must be a whole number from 1"),
        ("attention", {"n_q": -1}, 422, "n_q must be"),
        ("attention", {"n_q": 10**30}, 422, "n_q must be"),
        ("attention", {"n_q": "many"}, 422, "n_q must be"),
        ("attention", {"n_q": [1]}, 422, "n_q must be"),
        ("attention", {"n_q": None, "dtype": "fp8"}, 422, "dtype must be one of"),
        ("attention", {"queries": 4}, 422, "no parameter"),
        ("attention", {"example": "random", "h_q": 3, "h_kv": 2}, 422, "multiple of h_kv"),
        ("", {}, 404, "There is no demo"),
    ],
)
def test_wrong_input_gets_a_sentence_and_no_run(post, worker, demo, params, status, words):
    answer = post(demo, params)
    assert answer.status_code == status
    assert words in answer.json()["detail"]
    assert worker.jobs.claim("w", ["demo"]) is None


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"x"', b'{"demo": 1}', b'{"demo": "attention", "params": [], "x": 1}', b"\xff"],
)
def test_a_body_that_is_no_request_gets_a_sentence(client, body):
    answer = client.post("/api/v1/runs", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert isinstance(answer.json()["detail"], str)


def test_an_overlong_key_is_refused(post):
    assert post(key="x" * 201).status_code == 422


def test_one_learner_may_have_four_runs_open(post):
    for _ in range(4):
        assert post().status_code == 202
    refused = post()
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 0
    assert "4 runs open" in refused.json()["detail"]


def test_cancel_is_told_and_may_be_repeated(client, post, worker):
    waiting = f"/api/v1/runs/{post().json()['id']}"
    for _ in range(2):
        assert client.delete(waiting).json()["state"] == "cancelled"
    running = f"/api/v1/runs/{post().json()['id']}"
    claim = worker.take()
    assert client.delete(running).json()["words"] == "Cancelling."
    worker.end(claim, Outcome.CANCELLED)
    assert client.delete(running).json()["state"] == "cancelled"


@pytest.mark.parametrize("path", ["", "/events"])
def test_an_unknown_run_is_not_found(client, path):
    answer = client.get(f"/api/v1/runs/nothing{path}")
    assert answer.status_code == 404
    assert client.delete("/api/v1/runs/nothing").status_code == 404


def events(answer) -> list[dict]:
    return [
        json.loads(line.removeprefix("data: ")) for line in answer.text.splitlines() if line[:5] == "data:"
    ]


def test_the_events_tell_the_whole_story_and_end(client, post, worker):
    run = post().json()["id"]
    heard = []
    listening = threading.Thread(target=lambda: heard.append(client.get(f"/api/v1/runs/{run}/events")))
    listening.start()
    worker.serve()
    listening.join(10)
    answer = heard[0]
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["x-accel-buffering"] == "no"
    last = events(answer)[-1]
    assert (last["state"], last["final"], last["words"]) == ("done", True, "Done.")


def test_the_events_of_a_run_that_has_ended_are_one(client, post):
    run = post().json()["id"]
    client.delete(f"/api/v1/runs/{run}")
    assert [event["state"] for event in events(client.get(f"/api/v1/runs/{run}/events"))] == ["cancelled"]


def test_open_events_end_when_the_server_stops(app, client, post):
    run = post().json()["id"]
    listening = threading.Thread(target=lambda: client.get(f"/api/v1/runs/{run}/events"))
    listening.start()
    app.state.parts.hub.close()
    listening.join(5)
    assert not listening.is_alive()


def test_a_waiting_run_gives_signs_of_life_while_another_one_beats(app, client, post, worker, monkeypatch):
    monkeypatch.setattr(api, "HEARTBEAT_S", 0.2)
    its, run = app.state.parts, post().json()["id"]

    async def follow() -> list[str]:
        its.hub.bind()

        async def another() -> None:
            while True:
                its.hub.notify(JOBS)
                await asyncio.sleep(0.01)

        beating = asyncio.create_task(another())
        stream = api.snapshots(its, worker.jobs, Learner(FIRST, "UTC", 4), run)
        async with asyncio.timeout(10):
            heard = [await anext(stream) for _ in range(3)]
        beating.cancel()
        await stream.aclose()
        return heard

    first, *signs = asyncio.run(follow())
    assert first.startswith("event: run")
    assert signs == [": still here\n\n"] * 2

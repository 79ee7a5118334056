"""The sound of a job: for the worker that holds its lease, while it holds it, and for nobody else."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.accounts.store import FIRST
from app.jobs import lanes
from app.jobs.kinds import Kind, by_name
from app.jobs.port import Order, Output
from app.jobs.service import jobs as jobs_of


@pytest.fixture
def recording(app, tmp_path: Path) -> Path:
    """A kind of job to which a sound belongs, and where that lies."""
    path = tmp_path / "take.webm"
    path.write_bytes(b"\x1aE\xdf\xa3 sound")
    kind = Kind("speech", lambda told: Output("{}", "", ""), lambda *_: None, lambda conn, held: path)
    parts = app.state.parts
    app.state.parts = replace(parts, kinds=by_name(*parts.kinds.values(), kind))
    return path


@pytest.fixture
def ask(app, client, settings, recording):
    """A job that another worker than `w` does not hold, and a way to ask for its sound."""
    job = jobs_of(app.state.parts).submit(
        Order("speech", lanes.SPEECH, FIRST, {"recording": 1}, "p", "", 2.0, always=True)
    )
    token = {"Authorization": f"Bearer {settings.worker_token()}"}
    body = {"worker": "w", "lanes": [lanes.SPEECH]}
    lease = client.post("/api/v1/worker/claim", json=body, headers=token).json()
    assert lease["kind"] == "speech"

    def send(worker="w", attempt=1, job=job, headers=token):
        who = {"worker": worker, "attempt": attempt}
        return client.get(f"/api/v1/worker/jobs/{job}/sound", params=who, headers=headers)

    return send


def test_the_holder_of_the_lease_gets_it_whole(ask, recording):
    answer = ask()
    assert (answer.status_code, answer.content) == (200, recording.read_bytes())
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_nobody_else_does(ask, client, settings):
    assert ask(headers={}).status_code == 401
    assert ask(worker="v").status_code == 409
    assert ask(attempt=2).status_code == 409
    assert ask(job="none").status_code == 409
    end = {"worker": "w", "attempt": 1, "outcome": "failed", "message": "It could not be heard."}
    token = {"Authorization": f"Bearer {settings.worker_token()}"}
    job = ask().url.path.split("/")[-2]
    client.post(f"/api/v1/worker/jobs/{job}/finish", json=end, headers=token)
    assert ask().status_code == 409


def test_one_that_was_deleted_meanwhile_is_told_in_a_sentence(ask, recording):
    recording.unlink()
    answer = ask()
    assert (answer.status_code, answer.json()["detail"]) == (
        404,
        "The recording was deleted before it was heard.",
    )


def test_a_demo_has_none(app, client, settings):
    job = jobs_of(app.state.parts).submit(
        Order("demo", "demo", FIRST, {"demo": "x", "params": {}}, "p", "c", 2.0)
    )
    token = {"Authorization": f"Bearer {settings.worker_token()}"}
    client.post("/api/v1/worker/claim", json={"worker": "w", "lanes": ["demo"]}, headers=token)
    who = {"worker": "w", "attempt": 1}
    assert client.get(f"/api/v1/worker/jobs/{job}/sound", params=who, headers=token).status_code == 404

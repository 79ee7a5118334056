"""Runs as a page sees them: asked for, followed by their events, read once they have ended."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from tests.house import PATIENCE_S


def submit(api: httpx.Client, demo: str = "kv-cache", **params: object) -> str:
    answer = api.post("/api/v1/runs", json={"demo": demo, "params": params})
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


@contextmanager
def following(api: httpx.Client, run: str) -> Iterator[Iterator[dict]]:
    """The run's events, as they come; the stream's signs of life do not keep a test waiting for ever."""
    patience = time.monotonic() + PATIENCE_S
    with api.stream("GET", f"/api/v1/runs/{run}/events") as stream:

        def told() -> Iterator[dict]:
            for line in stream.iter_lines():
                assert time.monotonic() < patience, f"waited {PATIENCE_S} s for the run's next event"
                if line.startswith("data: "):
                    yield json.loads(line[6:])

        yield told()


def until_running(api: httpx.Client, run: str) -> None:
    with following(api, run) as events:
        for event in events:
            if event["state"] == "running":
                return
            assert not event["final"], event


def end(api: httpx.Client, run: str) -> dict:
    """The run, once it has ended."""
    with following(api, run) as events:
        for _ in events:
            pass
    return api.get(f"/api/v1/runs/{run}").json()

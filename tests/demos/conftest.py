"""A worker as far as the web side can tell: it takes a run and hands in a result that a demo has made."""

import json
from pathlib import Path

import pytest

from app.demos.records import Records
from app.jobs.port import Claim, Output
from app.jobs.service import jobs as jobs_of
from app.jobs.states import Outcome
from app.jobs.store import SqliteJobs
from kernels.catalog import code_hash

RESULT = Path(__file__).parent.parent / "fixtures" / "results" / "every-block.json"


class Worker:
    """Hands in a result with a block of every type, as if made by the code that is here now."""

    def __init__(self, jobs: SqliteJobs) -> None:
        self.jobs = jobs

    def take(self) -> Claim:
        claim = self.jobs.claim("w", ["demo"])
        assert claim
        return claim

    def end(
        self, claim: Claim, outcome: Outcome = Outcome.DONE, message: str = "", blocks: list | None = None
    ) -> None:
        output = None
        if outcome is Outcome.DONE:
            name = claim.payload["demo"]
            body = {**json.loads(RESULT.read_text()), "demo": name}
            body["blocks"] = body["blocks"] if blocks is None else blocks
            output = Output(json.dumps(body), "CPU", code_hash(name), claim.payload)
        self.jobs.finish(claim.id, "w", claim.attempt, outcome, message, output)

    def serve(self, blocks: list | None = None) -> None:
        self.end(self.take(), blocks=blocks)


@pytest.fixture
def jobs(app) -> SqliteJobs:
    return jobs_of(app.state.parts)


@pytest.fixture
def worker(jobs) -> Worker:
    return Worker(jobs)


@pytest.fixture
def records(app) -> Records:
    return app.state.parts.records


@pytest.fixture
def run(client):
    def start(demo="attention", **fields) -> str:
        answer = client.post(f"/demos/{demo}/runs", data=fields)
        assert answer.status_code == 303
        return answer.headers["location"]

    return start

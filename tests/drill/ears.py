"""What hears in tests: the requests of a worker that writes recordings down, with the words that it is told."""

from typing import Any

from starlette.testclient import TestClient

from app.jobs.standing import Lane, LaneState, WorkerState
from app.web.parts import Parts

SAID = "Um, first we put the causal mask on the scores and then we divide by the root of the head size."


class Ears:
    """A worker with speech, as one calls the API."""

    def __init__(self, client: TestClient, its: Parts) -> None:
        self.client, self.its = client, its
        self.headers = {"Authorization": f"Bearer {its.settings.worker_token()}"}
        self.announce()

    def announce(self) -> None:
        """It is here; the server believes so for a while."""
        lane = Lane(LaneState.IDLE, self.its.clock(), "tiny.en", ("speech",))
        self.its.workers.announce("ears", WorkerState.READY, "", [], lanes=[lane])

    def post(self, path: str, **body: Any) -> Any:
        answer = self.client.post(
            f"/api/v1/worker/{path}", json={"worker": "ears", **body}, headers=self.headers
        )
        assert answer.status_code in (200, 204), answer.text
        return answer.json() if answer.content else None

    def claim(self) -> Any:
        return self.post("claim", lanes=["speech"], wait_s=0)

    def finish(self, job: Any, outcome: str = "done", message: str = "", **result: Any) -> str:
        body = {"attempt": job["attempt"], "outcome": outcome, "message": message}
        if outcome == "done":
            body["result"] = heard(**result)
        return str(self.post(f"jobs/{job['id']}/finish", **body)["state"])


def heard(text: str = SAID, **more: Any) -> dict[str, Any]:
    words = [[500 * at, 500 * at + 400, word] for at, word in enumerate(text.split())]
    ms = 500 * len(words) + 1000
    return {
        "ms": ms,
        "peaks": [10, 80, 40],
        "speech": [[0, ms - 1000]] if words else [],
        "words": words,
        "text": text,
        "provider": "embedded",
        "model": "tiny.en",
        "seconds": 1.2,
        "memory_mb": 320.0,
        **more,
    }

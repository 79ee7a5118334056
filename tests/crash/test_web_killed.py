"""kill -9 of the web server amid answers: what it acknowledged is there, what it did not may be sent again."""

import threading
from pathlib import Path

import httpx
import pytest

from tests.house import House, plan

pytestmark = pytest.mark.crash

BEFORE_THE_KILL = 12


def ask(api: httpx.Client) -> dict[str, object]:
    """Show and reveal the next card: the body of an answer to it."""
    shown = api.get("/api/v1/study/next").raise_for_status().json()
    seen = api.post("/api/v1/study/reveal", json={"showing": shown["showing"]}).raise_for_status().json()
    return {"ticket": seen["ticket"], "revision": shown["revision"], "grade": 3, "ms": 1000}


class Sitting(threading.Thread):
    """A learner who answers without a pause until the server is gone."""

    def __init__(self, served: House) -> None:
        super().__init__(daemon=True)
        self.served = served
        self.acknowledged: list[int] = []
        self.unsure: dict[str, object] = {}
        self.well_under_way = threading.Event()

    def run(self) -> None:
        try:
            with self.served.api() as api:
                while True:
                    self.unsure = {}
                    body = self.unsure = ask(api)
                    answer = api.post("/api/v1/study/answers", json=body).raise_for_status().json()
                    self.acknowledged.append(int(answer["event"]))
                    # Taken back at once, so that the cards of the shipped decks never run out.
                    api.post("/api/v1/study/undo", json={"event": answer["event"]}).raise_for_status()
                    if len(self.acknowledged) >= BEFORE_THE_KILL:
                        self.well_under_way.set()
        except httpx.HTTPError:
            self.well_under_way.set()


def test_no_acknowledged_answer_is_lost_and_an_unsure_one_can_be_repeated(tmp_path: Path) -> None:
    made = plan(tmp_path / "data")
    web = made.serve()
    sitting = Sitting(made)
    sitting.start()
    assert sitting.well_under_way.wait(60)
    web.kill()
    sitting.join(60)
    assert len(sitting.acknowledged) >= BEFORE_THE_KILL
    web = made.serve()
    with made.api() as api:
        for event in sitting.acknowledged:
            # Undoing again changes nothing, and is 404 for an answer that is not there.
            assert api.post("/api/v1/study/undo", json={"event": event}).status_code in (200, 409)
        if sitting.unsure:
            first = api.post("/api/v1/study/answers", json=sitting.unsure)
            again = api.post("/api/v1/study/answers", json=sitting.unsure)
            assert first.status_code in (200, 409)
            assert (again.status_code, again.json()) == (first.status_code, first.json())
    web.stop()
    check = made.start("check", "--replay")
    check.wait_for("Log: it gives the states that are kept")
    assert check.popen.wait(60) == 0

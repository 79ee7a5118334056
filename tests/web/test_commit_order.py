"""An answer is on disk before the first byte of its response leaves."""

import sqlite3

from fastapi import FastAPI
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from app.settings import Settings
from tests.conftest import add_cards


class Witness:
    """Counts, through a connection of its own, the events on disk whenever a response starts."""

    def __init__(self, app: FastAPI, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self.seen: list[int] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def look_and_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                raw = sqlite3.connect(self.settings.database)
                self.seen.append(raw.execute("SELECT count(*) FROM event").fetchone()[0])
                raw.close()
            await send(message)

        await self.app(scope, receive, look_and_send)


def test_the_event_is_committed_before_the_response_starts(app: FastAPI, settings: Settings) -> None:
    add_cards(app.state.parts.db, "a", "b", "c")
    witness = Witness(app, settings)
    client = TestClient(witness, base_url="http://localhost")
    for answered in (1, 2, 3):
        shown = client.get("/api/v1/study/next").json()
        seen = client.post("/api/v1/study/reveal", json={"showing": shown["showing"]}).json()
        given = {"ticket": seen["ticket"], "revision": shown["revision"], "grade": 4, "ms": 900}
        assert client.post("/api/v1/study/answers", json=given).status_code == 200
        assert witness.seen[-1] == answered

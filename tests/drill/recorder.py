"""What records in tests: the requests of a browser that sends the sound of a take."""

from collections.abc import Iterator
from pathlib import Path

from starlette.testclient import TestClient

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.db.engine import Database
from app.drill import attempt as attempts
from app.drill.attempt import Attempt
from app.settings import Settings
from app.study.scheduling import CardId
from app.web.parts import Parts

WEBM = b"\x1a\x45\xdf\xa3" + bytes(range(256)) * 8
ME = LearnerId(1)
PITCH = CardId("pitch")


class Recorder:
    """A browser that records: an attempt, and the requests it sends for it."""

    def __init__(self, client: TestClient, its: Parts, learner: LearnerId = ME, card: CardId = PITCH) -> None:
        self.client, self.card = client, card
        self.attempt: Attempt = attempts.begin(learner, card).start(its.clock(), 0)
        self.take = attempts.sign(its.signer, self.attempt)

    def send(
        self, piece: bytes, offset: int, kind: str = "audio/webm;codecs=opus", **more: str
    ) -> tuple[int, dict]:
        answer = self.client.post(
            f"/drill/{self.card}/sound",
            params={"take": self.take, "offset": offset, **more},
            content=piece,
            headers={"Content-Type": kind, "Accept": "application/json"},
        )
        return answer.status_code, answer.json()

    def end(self, lost: str = "") -> dict:
        return self.client.post(
            f"/drill/{self.card}/sound/end", params={"take": self.take}, data={"lost": lost}
        ).json()


def audio(settings: Settings) -> list[Path]:
    return sorted(path for path in (settings.data / "audio").rglob("*") if path.is_file())


def rows(db: Database) -> Iterator[str]:
    with db.read() as conn:
        yield from conn.execute(t.recording.select()).mappings()

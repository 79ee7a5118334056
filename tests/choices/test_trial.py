"""Say a sentence: heard as a take would be, by a worker over the API, and nothing of the sound is left."""

import struct
import threading
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.settings import Settings
from tests.conftest import MovableClock

SECOND = b"RIFF" + struct.pack("<I", 36 + 32000) + b"WAVEfmt " + struct.pack(
    "<IHHIIHH", 16, 1, 1, 16000, 32000, 2, 16
) + b"data" + struct.pack("<I", 32000) + bytes(32000)  # fmt: skip


def send(client: TestClient, sound: bytes = SECOND) -> Any:
    return client.post("/settings/speech/test", files={"file": ("sentence", sound, "audio/wav")})


def part(client: TestClient) -> str:
    return client.get("/settings/speech/test").text


def kept(settings: Settings) -> list[Path]:
    folders = (settings.data / "audio", settings.data / "trials")
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]


class Ear:
    """A worker that hears, over the API."""

    def __init__(self, app: FastAPI, client: TestClient) -> None:
        self.client = client
        self.headers = {"Authorization": f"Bearer {app.state.parts.settings.worker_token()}"}

    def ask(self, path: str, **body: Any) -> Any:
        return self.client.post(
            f"/api/v1/worker/{path}", json={"worker": "ear", **body}, headers=self.headers
        )

    def announce(self) -> None:
        lane = {"state": "idle", "device": "tiny.en", "takes": ["speech"]}
        assert self.ask("announce", state="ready", lanes=[lane]).status_code == 200

    def claim(self) -> dict[str, Any]:
        claimed = self.ask("claim", lanes=["speech"], wait_s=0)
        assert claimed.status_code == 200
        found = claimed.json()
        assert isinstance(found, dict)
        return found

    def sound(self, job: dict[str, Any]) -> Any:
        asked = {"worker": "ear", "attempt": job["attempt"]}
        return self.client.get(f"/api/v1/worker/jobs/{job['id']}/sound", params=asked, headers=self.headers)

    def fail(self, job: dict[str, Any], words: str) -> Any:
        path = f"jobs/{job['id']}/finish"
        return self.ask(path, attempt=job["attempt"], outcome="failed", message=words)

    def finish(self, job: dict[str, Any], *words: str) -> Any:
        timed = [[100 * at, 100 * at + 90, word] for at, word in enumerate(words)]
        result = {
            "ms": 1000,
            "peaks": [0, 50, 100],
            "speech": [[0, 900]] if words else [],
            "words": timed,
            "text": " ".join(words),
            "provider": "embedded",
            "model": "tiny.en",
            "seconds": 0.4,
            "memory_mb": 300.0,
        }
        path = f"jobs/{job['id']}/finish"
        return self.ask(path, attempt=job["attempt"], outcome="done", result=result)


@pytest.fixture
def ear(app: FastAPI, client: TestClient) -> Ear:
    made = Ear(app, client)
    made.announce()
    return made


def test_a_sentence_is_heard_and_its_sound_deleted(client: TestClient, ear: Ear, settings: Settings) -> None:
    assert "ear hears with tiny.en." in client.get("/settings").text
    sent = send(client)
    assert (sent.status_code, sent.headers["location"]) == (303, "/settings#trial")
    assert "Waiting for a worker that hears: it is next." in part(client)
    (path,) = kept(settings)
    assert path.stat().st_mode & 0o777 == 0o600
    job = ear.claim()
    assert ear.sound(job).content == SECOND
    assert "data-watch" in part(client)
    assert ear.finish(job, "causal", "mask").status_code == 200
    shown = part(client)
    assert "Heard: “causal mask”" in shown
    assert "With tiny.en, in 0.0 s. The sound is deleted." in shown
    assert kept(settings) == []
    assert "Heard: “causal mask”" in client.get("/settings").text


def test_silence_is_no_speech(client: TestClient, ear: Ear) -> None:
    send(client)
    ear.finish(ear.claim())
    assert "No speech heard." in part(client)


def test_what_cannot_be_heard_is_a_sentence_and_offered_again(
    client: TestClient, ear: Ear, settings: Settings
) -> None:
    send(client)
    job = ear.claim()
    words = "The sound cannot be decoded (invalid data). Record it again."
    assert ear.fail(job, words).status_code == 200
    shown = part(client)
    assert words in shown
    assert "Have it heard" in shown
    assert kept(settings) == []


def test_a_trial_can_be_left_and_a_new_one_takes_its_place(client: TestClient, ear: Ear) -> None:
    send(client)
    assert client.post("/settings/speech/test/cancel").status_code == 303
    assert "data-watch" not in part(client)
    send(client)
    send(client)
    ear.finish(ear.claim(), "once")
    assert ear.ask("claim", lanes=["speech"], wait_s=0).status_code == 204
    assert "Heard: “once”" in part(client)


@pytest.mark.parametrize(
    "sound", [b"", b"hello, this is no sound", b"\x7fELF" + bytes(100), b"RIFF" * 400_000]
)
def test_what_is_no_sentence_is_refused_and_not_kept(
    client: TestClient, ear: Ear, settings: Settings, sound: bytes
) -> None:
    assert send(client, sound).status_code == 422
    assert kept(settings) == []


def test_where_nobody_hears_it_says_how_somebody_would(client: TestClient, settings: Settings) -> None:
    refused = send(client)
    assert refused.status_code == 422
    assert "make run SPEECH=1" in refused.text
    assert "make run SPEECH=1" in client.get("/settings").text
    client.post("/settings/speech", data={"provider": "none"})
    assert "Speech to text is off" in send(client).text
    assert kept(settings) == []


def test_no_sentence_is_recorded_that_nobody_would_hear(client: TestClient, ear: Ear) -> None:
    """It took five seconds of a learner's time, and then said that speech to text is off."""
    assert "A worker of this server writes it down; the sound goes nowhere else." in part(client)
    client.post("/settings/speech", data={"provider": "none"})
    assert "Say a sentence" not in part(client)


def test_the_sound_of_a_trial_goes_though_nobody_looks(
    client: TestClient, ear: Ear, settings: Settings
) -> None:
    """It lay there until the settings were opened again, though the page had said that it is deleted."""
    for end in (
        lambda job: ear.finish(job, "mask"),
        lambda job: ear.fail(job, "The sound cannot be decoded."),
    ):
        send(client)
        assert kept(settings)
        end(ear.claim())
        pause = threading.Event()
        for _ in range(500):
            if not kept(settings):
                break
            pause.wait(0.02)
        assert kept(settings) == []


def test_how_a_trial_went_is_no_news_the_next_day(client: TestClient, ear: Ear, clock: MovableClock) -> None:
    """What had failed once stood there in red for ever."""
    send(client)
    ear.fail(ear.claim(), "The sound cannot be decoded.")
    assert "cannot be decoded" in part(client)
    clock.advance(days=1)
    ear.announce()
    assert "cannot be decoded" not in part(client)
    assert "Say a sentence" in part(client)


def test_a_trial_that_follows_another_keeps_its_own_sound(
    client: TestClient, ear: Ear, settings: Settings
) -> None:
    send(client)
    first = ear.claim()
    send(client)
    ear.fail(first, "Cancelled.")
    assert ear.sound(ear.claim()).content == SECOND

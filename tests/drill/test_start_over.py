"""Start over: a new attempt, and nothing left of the old one; unless that one was rated."""

from pathlib import Path

import pytest
from sqlalchemy import insert
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.main import create_app
from app.setting_rules import Endpoint
from app.settings import Settings
from tests.conftest import MovableClock, add_cards
from tests.drill.test_pages import follow, hidden

WEBM = {"Content-Type": "audio/webm;codecs=opus"}


@pytest.fixture(autouse=True)
def _pitch(db: Database) -> None:
    add_cards(db, "pitch", queue="drill", deck="spoken")


def begun(client: TestClient) -> str:
    """An attempt of which some sound has arrived."""
    take = hidden(client.get("/drill/pitch").text, "take")
    piece = b"\x1a\x45\xdf\xa3" + bytes(96)
    sent = client.post(f"/drill/pitch/sound?take={take}&offset=0", content=piece, headers=WEBM)
    assert sent.json() == {"size": 100}
    return take


def kept(settings: Settings) -> list[Path]:
    return [path for path in (settings.data / "audio").rglob("*") if path.is_file()]


def test_the_recording_goes_and_takes_no_more(client: TestClient, settings: Settings) -> None:
    take = begun(client)
    assert len(kept(settings)) == 1
    assert hidden(follow(client, "/drill/pitch/over", take=take), "take") != take
    assert kept(settings) == []
    late = client.post(f"/drill/pitch/sound?take={take}&offset=100", content=b"more", headers=WEBM)
    assert late.status_code == 409
    assert kept(settings) == []
    follow(client, "/drill/pitch/over", take=take)  # a repeat does no harm


def test_a_take_that_was_rated_elsewhere_keeps_its_recording(client: TestClient, settings: Settings) -> None:
    take = begun(client)
    review = follow(client, "/drill/pitch/finish", take=take, spoken_ms=20_000)
    follow(client, "/drill/pitch/takes", take=hidden(review, "take"), grade=3)
    follow(client, "/drill/pitch/over", take=take)
    assert len(kept(settings)) == 1
    assert client.get("/drill/sound/1").status_code == 200


def test_finish_ends_the_recording_without_a_script_that_says_so(client: TestClient) -> None:
    take = begun(client)
    follow(client, "/drill/pitch/finish", take=take, spoken_ms=20_000)
    late = client.post(f"/drill/pitch/sound?take={take}&offset=100", content=b"more", headers=WEBM)
    assert late.status_code == 409
    assert "This recording has ended" in late.text


def test_the_prompt_says_where_the_sound_goes(
    client: TestClient, db: Database, settings: Settings, clock: MovableClock
) -> None:
    """It named one that the server no longer allowed, to which nothing goes."""
    assert "The sound stays on this server." in client.get("/drill/pitch").text
    with db.write() as conn:
        conn.execute(insert(t.preference).values(learner_id=1, name="speech", value="endpoint:box"))
    assert "The sound stays on this server." in client.get("/drill/pitch").text
    box = Endpoint("box", "http://gpu-box:8000/v1", "whisper-1")
    allowing = create_app(settings.model_copy(update={"speech_endpoints": (box,)}), clock)
    with TestClient(allowing, "http://localhost") as client:
        page = client.get("/drill/pitch").text
    assert "goes to box at http://gpu-box:8000/v1 to be written down" in page

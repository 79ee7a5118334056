"""The settings by plain forms: each change is one POST, said on the page it leads to, and holds from then on."""

import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest
from fastapi import FastAPI
from sqlalchemy import select
from starlette.testclient import TestClient

from app.accounts.learner import Learner, LearnerId
from app.accounts.preferences import choose, preference
from app.db import tables as t
from app.db.engine import Database
from app.main import create_app
from app.setting_rules import Endpoint
from app.settings import Settings
from tests.conftest import MovableClock, add_cards
from tests.drill.judge_stand_in import StandIn, stand_in

ANNA = Learner(LearnerId(1), "UTC", 4)
EAR = Endpoint("ear", "https://stt.example.org/v1", "whisper-large")


@pytest.fixture
def server() -> Iterator[StandIn]:
    with stand_in() as made:
        yield made


@pytest.fixture
def settings(settings: Settings, server: StandIn) -> Settings:
    judges = (Endpoint("box", server.url, "m-7b"), Endpoint("other", server.url, "big"))
    return settings.model_copy(update={"judges": judges, "speech_endpoints": (EAR,)})


def change(client: TestClient, what: str, **form: str) -> str:
    """The page that a change leads to."""
    sent = client.post(f"/settings/{what}", data=form)
    assert sent.status_code == 303, sent.text
    assert sent.headers["location"] == f"/settings?said={what}"
    return client.get(sent.headers["location"]).text


def chosen(db: Database, name: str) -> str:
    with db.read() as conn:
        return preference(conn, ANNA, name)


def learner(db: Database) -> tuple[str | None, int]:
    with db.read() as conn:
        row = conn.execute(select(t.learner.c.zone, t.learner.c.rollover)).one()
    return row.zone, row.rollover


def test_every_page_leads_there_and_it_shows_what_the_server_is_set_to(client: TestClient) -> None:
    assert 'href="/settings" data-go=","' in client.get("/").text
    page = client.get("/settings").text
    for setting in ("NEW_PER_DAY", "REVIEWS_PER_DAY", "RETENTION", "KEEP_AUDIO_DAYS"):
        assert f"ALOUD_{setting}" in page
    assert "It is 18:00 there, and your study day is Sunday, 29 November." in page
    assert "No sound is kept." in page


def test_a_time_zone_is_changed_and_said(client: TestClient, db: Database) -> None:
    page = change(client, "zone", zone=" Asia/Tokyo ")
    assert "Your time zone is Asia/Tokyo now." in page
    assert "It is 03:00 there, and your study day is Sunday, 29 November." in page
    assert learner(db) == ("Asia/Tokyo", 4)
    client.post("/zone", data={"zone": "Europe/Berlin"})  # a browser tells its own: the choice stays
    assert learner(db)[0] == "Asia/Tokyo"
    assert 'name="zone-address"' not in client.get("/").text


@pytest.mark.parametrize("wrong", ["Mars/Olympus", "", "Europe", "x" * 5000])
def test_what_is_no_zone_is_a_sentence(client: TestClient, db: Database, wrong: str) -> None:
    assert client.post("/settings/zone", data={"zone": wrong}).status_code == 422
    assert learner(db)[0] is None


def test_an_hour_of_ones_own_outlives_a_restart_until_it_is_given_back(
    client: TestClient, db: Database, settings: Settings, clock: MovableClock
) -> None:
    assert "Your study days begin at 2:00 now." in change(client, "rollover", hour="2")

    def after_restart() -> int:
        later = create_app(settings.model_copy(update={"rollover": 6}), clock)
        later.state.parts.db.close()
        return learner(db)[1]

    assert after_restart() == 2
    assert "Your study days begin at 4:00 now." in change(client, "rollover", hour="")
    assert after_restart() == 6


@pytest.mark.parametrize("wrong", ["13", "-1", "four", "٣", "1.5", "999999999999999999999"])
def test_what_is_no_hour_is_a_sentence(client: TestClient, db: Database, wrong: str) -> None:
    assert client.post("/settings/rollover", data={"hour": wrong}).status_code == 422
    assert learner(db)[1] == 4


def test_old_answers_keep_their_day(
    app: FastAPI, client: TestClient, db: Database, clock: MovableClock
) -> None:
    """What is shown of the past does not move; only what comes is counted by the new hour and zone."""
    add_cards(db, "a", "b")

    def answer() -> None:
        shown = client.get("/api/v1/study/next").json()
        told = client.post("/api/v1/study/reveal", json={"showing": shown["showing"]}).json()
        graded = {"ticket": told["ticket"], "revision": shown["revision"], "grade": 4, "ms": 1000}
        assert client.post("/api/v1/study/answers", json=graded).status_code == 200

    clock.now = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
    answer()
    change(client, "rollover", hour="1")
    change(client, "zone", zone="Pacific/Kiritimati")  # UTC+14
    answer()
    with db.read() as conn:
        days = list(conn.scalars(select(t.event.c.study_day).order_by(t.event.c.id)))
    assert days == [date(2026, 11, 29), date(2026, 11, 30)]


@pytest.mark.parametrize("provider", ["auto", "embedded", "none", "endpoint:ear"])
def test_who_writes_takes_down_is_chosen_of_what_is_allowed(
    client: TestClient, db: Database, provider: str
) -> None:
    page = change(client, "speech", provider=provider)
    assert "how takes are written down from now on" in page
    assert f'value="{provider}" checked' in page
    assert "The sound goes to https://stt.example.org/v1, to the model whisper-large." in page
    assert chosen(db, "speech") == provider


@pytest.mark.parametrize(
    ("what", "form"),
    [
        ("speech", {"provider": "endpoint:elsewhere"}),
        ("speech", {"provider": "https://evil.example"}),
        ("speech", {"provider": ""}),
        ("judge", {"name": "elsewhere"}),
        ("judge", {"name": "https://evil.example"}),
    ],
)
def test_what_the_server_does_not_allow_is_not_chosen(
    client: TestClient, db: Database, what: str, form: dict[str, str]
) -> None:
    assert client.post(f"/settings/{what}", data=form).status_code == 422
    assert chosen(db, what) == ""


def test_a_judge_is_chosen_and_left_again(client: TestClient, db: Database, server: StandIn) -> None:
    assert f"The model m-7b, at {server.url}." in client.get("/settings").text
    assert 'value="box" checked' in change(client, "judge", name="box")
    assert 'value="" checked' in change(client, "judge", name="")
    assert chosen(db, "judge") == ""
    assert server.asked == []  # to choose is not to ask


def test_without_judges_the_page_says_how_there_come_to_be_some(
    settings: Settings, clock: MovableClock, app: FastAPI
) -> None:
    none = create_app(settings.model_copy(update={"judges": ()}), clock)
    with TestClient(none, "http://localhost") as client:
        page = client.get("/settings").text
    assert "This server allows none." in page
    assert "settings/judge" not in page


def test_what_was_chosen_and_is_no_longer_allowed_is_said(client: TestClient, db: Database) -> None:
    """No way was marked as chosen, and the page kept silent about it."""
    with db.write() as conn:
        choose(conn, ANNA, "speech", "endpoint:lost")
        choose(conn, ANNA, "judge", "lost")
    page = client.get("/settings").text
    assert "You chose lost, which this server no longer allows: nobody writes takes down" in page
    assert "You chose lost, which this server no longer allows: nobody is asked" in page
    assert "Say a sentence" not in page
    assert "no longer allows: nobody writes" not in change(client, "speech", provider="auto")


def outcome(client: TestClient) -> str:
    """The judge's test, once it has ended."""
    pause = threading.Event()
    for _ in range(500):
        shown = client.get("/settings/judge/test").text
        if "data-watch" not in shown:
            return shown
        pause.wait(0.02)
    raise AssertionError("the test never ended")


def test_the_judge_is_tested_with_a_made_up_answer(client: TestClient, server: StandIn) -> None:
    assert client.post("/settings/judge/test").status_code == 422  # none is chosen
    change(client, "judge", name="box")
    sent = client.post("/settings/judge/test")
    assert (sent.status_code, sent.headers["location"]) == (303, "/settings#test")
    shown = outcome(client)
    assert f"m-7b, at 127.0.0.1:{server.port}: It did not notice" in shown
    server.answer = lambda _: (500, b"")
    client.post("/settings/judge/test")
    assert "an error of its own (500)" in outcome(client)
    server.gate.clear()
    client.post("/settings/judge/test")
    assert "Waiting for m-7b" in client.get("/settings").text
    assert client.post("/settings/judge/test/cancel").status_code == 303
    assert "Waiting" not in client.get("/settings").text


def test_what_one_judge_made_of_the_test_is_not_told_of_another(client: TestClient, server: StandIn) -> None:
    change(client, "judge", name="box")
    client.post("/settings/judge/test")
    assert "It did not notice" in outcome(client)
    assert "It did not notice" not in change(client, "judge", name="other")
    server.answer = lambda _: (500, b"")
    client.post("/settings/judge/test")
    assert "an error of its own (500)" in outcome(client)
    assert "an error of its own (500)" not in change(client, "judge", name="")
    server.gate.clear()
    change(client, "judge", name="box")
    client.post("/settings/judge/test")
    assert "Waiting for m-7b, at" in change(client, "judge", name="other")

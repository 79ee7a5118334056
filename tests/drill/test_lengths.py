"""How long a take was: by the page's clock, or by its sound where no page's clock ran to its end."""

import os
from datetime import timedelta

from sqlalchemy import select
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.settings import Settings
from app.web.parts import Parts
from tests.conftest import MovableClock
from tests.drill.ears import Ears
from tests.drill.forms import follow, hidden
from tests.drill.recorder import WEBM, Recorder, audio, rows


def sent(client: TestClient, recorder: Recorder) -> str:
    """The review of a file from elsewhere."""
    answer = client.post(
        "/drill/pitch/sound/file",
        data={"take": recorder.take},
        files={"file": ("a.webm", WEBM, "audio/webm")},
    )
    return client.get(answer.headers["location"]).text


def lengths(db: Database) -> list[int]:
    with db.read() as conn:
        return list(conn.scalars(select(t.take.c.spoken_ms).order_by(t.take.c.id)))


def test_a_file_from_elsewhere_is_as_long_as_its_sound(
    recorder: Recorder, client: TestClient, its: Parts, db: Database, clock: MovableClock
) -> None:
    clock.advance(seconds=50)  # the page was open for so long before the file was chosen
    ears = Ears(client, its)
    review = sent(client, recorder)
    assert "<dt>spoken</dt>" not in review
    ears.finish(ears.claim(), ms=71_900)
    rated = follow(client, "/drill/pitch/takes", take=hidden(review, "take"), grade=3)
    assert "<dt>spoken</dt><dd>1:11</dd>" in rated
    assert lengths(db) == [71_900]


def test_a_file_that_is_heard_after_its_rating_gets_its_length_then(
    recorder: Recorder, client: TestClient, its: Parts, db: Database
) -> None:
    ears = Ears(client, its)
    rated = follow(client, "/drill/pitch/takes", take=hidden(sent(client, recorder), "take"), grade=3)
    assert "<dt>spoken</dt>" not in rated
    assert "– of 1:30" in client.get("/drill/pitch").text
    ears.finish(ears.claim(), ms=71_900)
    assert "1:11 of 1:30" in client.get("/drill/pitch").text
    assert lengths(db) == [71_900]


def test_a_take_that_ended_late_is_as_long_as_its_sound(
    recorder: Recorder, client: TestClient, its: Parts, db: Database, clock: MovableClock
) -> None:
    """Finish was pressed once more after the server had been away, and the page was closed before the rating."""
    recorder.send(WEBM, 0)
    clock.advance(minutes=4)
    ears = Ears(client, its)
    recorder.end()
    assert "Today, 240 s: said to the end" in client.get("/drill").text
    ears.finish(ears.claim(), ms=7000)
    assert "Today, 7 s: said to the end" in client.get("/drill").text
    review = client.get(client.post("/drill/sound/1/review").headers["location"]).text
    assert "<dt>spoken</dt><dd>0:07</dd>" in review
    follow(client, "/drill/pitch/takes", take=hidden(review, "take"), grade=3)
    assert lengths(db) == [7000]


def test_a_page_that_comes_back_after_an_hour_ends_the_recording_where_it_ended(
    recorder: Recorder, settings: Settings, db: Database, clock: MovableClock
) -> None:
    recorder.send(WEBM, 0)
    last = clock() + timedelta(seconds=42)
    os.utime(audio(settings)[0], (last.timestamp(),) * 2)
    clock.advance(hours=1)
    recorder.end("page")
    (row,) = rows(db)
    assert row["ended_at"] == last


def test_a_take_of_which_nothing_could_be_kept_is_a_quiet_one(
    recorder: Recorder, client: TestClient, settings: Settings, db: Database
) -> None:
    (settings.data / "audio").symlink_to(settings.data / "unplugged" / "audio")
    assert recorder.send(WEBM, 0)[0] == 507
    review = follow(client, "/drill/pitch/finish", take=recorder.take, spoken_ms=40_000)
    assert "<sound-player" not in review
    assert list(rows(db)) == []
    assert audio(settings) == []

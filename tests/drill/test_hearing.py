"""A recorded take, from its end to its rating: a worker hears it, the learner reads, corrects, ticks and rates."""

import re
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from app.accounts import preferences
from app.accounts.learner import Learner, LearnerId
from app.db import tables as t
from app.db.engine import Database
from app.drill import attempt as attempts
from app.setting_rules import Endpoint
from app.settings import Settings
from app.study.scheduling import CardId
from app.web.parts import Parts
from tests.conftest import MovableClock, add_cards
from tests.drill.ears import SAID, Ears
from tests.drill.forms import follow, hidden

ME = Learner(LearnerId(1), "UTC", 4)
PITCH = CardId("pitch")
WEBM = b"\x1a\x45\xdf\xa3" + bytes(2000)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    endpoint = Endpoint("box", "http://gpu-box:8000/v1", "whisper-1")
    return settings.model_copy(update={"speech_endpoints": (endpoint,)})


@pytest.fixture
def its(client: TestClient, db: Database) -> Parts:
    add_cards(db, "pitch", "decode", queue="drill")
    parts = client.app.state.parts  # type: ignore[attr-defined]
    assert isinstance(parts, Parts)
    return parts


@pytest.fixture
def ears(client: TestClient, its: Parts) -> Ears:
    return Ears(client, its)


def recorded(client: TestClient, its: Parts) -> str:
    """The signed attempt of a take that was recorded and finished."""
    attempt = attempts.begin(ME.id, PITCH).start(its.clock(), 0)
    take = attempts.sign(its.signer, attempt)
    sent = client.post(
        f"/drill/{PITCH}/sound",
        params={"take": take, "offset": 0},
        content=WEBM,
        headers={"Content-Type": "audio/webm"},
    )
    assert sent.status_code == 200, sent.text
    client.post(f"/drill/{PITCH}/sound/end", params={"take": take}, data={"lost": ""})
    done = attempt.finish(its.clock(), 42_000, interrupted=False, notes_shown=False)
    return attempts.sign(its.signer, done)


def review(client: TestClient, take: str) -> str:
    answer = client.get(f"/drill/{PITCH}/review", params={"take": take})
    assert answer.status_code == 200, answer.text
    return answer.text


def choose(db: Database, value: str) -> None:
    with db.write() as conn:
        preferences.choose(conn, ME, "speech", value)


def test_a_take_is_heard_corrected_ticked_and_rated(
    client: TestClient, its: Parts, ears: Ears, db: Database
) -> None:
    take = recorded(client, its)
    page = review(client, take)
    assert "Waiting to be written down: next in line." in page
    assert "data-settled" not in page
    assert 'data-src="/drill/sound/1"' in page
    job = ears.claim()
    assert job["kind"] == "speech"
    assert job["payload"]["recording"] == 1
    assert "causal mask" in job["payload"]["prompt"]
    ears.post(f"jobs/{job['id']}/heartbeat", attempt=job["attempt"], progress=0.5, words="Heard 20 of 42 s.")
    assert "Heard 20 of 42 s." in review(client, take)
    assert ears.finish(job) == "done"
    page = review(client, take)
    assert SAID in page
    assert "Written down by tiny.en; it mishears." in page
    assert "About 1 filler: “um”." in page
    assert page.count("Mentioned") == 2
    assert 'data-seek-ms="' in page
    assert not re.search(r'name="point"[^>]*checked', page), "a machine ticks nothing"
    assert "<<<" in page.replace("&lt;", "<")
    assert 'href="/settings#judge"' not in page, "this server allows none"
    kept = follow(client, f"/drill/{PITCH}/ticks", take=take, point=["p2"], text="only the route of it")
    assert "only the route of it" in kept
    assert "Corrected by you." in kept
    assert re.search(r'value="p2"\s+checked', kept)
    assert (kept.count("Mentioned"), kept.count("Not heard")) == (1, 1)
    saved = follow(
        client, f"/drill/{PITCH}/takes", take=hidden(kept, "take"), grade=3, point=["p1"], text="the mask"
    )
    assert "Saved: Good" in saved
    assert "the mask</blockquote>" in saved
    with db.read() as conn:
        row = conn.execute(select(t.take)).one()
    assert (row.recording_id, row.text, row.quiet) == (1, "the mask", False)
    assert row.marks == {"p1": "mentioned", "p2": "missed"}
    assert row.pace["words"] == 2
    again = follow(client, "/drill/undo", event=hidden(saved, "event"))
    assert "the mask" in again
    assert "Saved: Easy" in follow(client, f"/drill/{PITCH}/takes", take=hidden(again, "take"), grade=4)
    with db.read() as conn:
        assert conn.execute(select(t.take.c.text, t.take.c.recording_id)).all() == [("the mask", 1)] * 2


def test_the_parts_that_are_asked_for_again_say_when_they_have_settled(
    client: TestClient, its: Parts, ears: Ears
) -> None:
    take = recorded(client, its)
    ask = {"take": take}
    assert "data-settled" not in client.get(f"/drill/{PITCH}/heard", params=ask).text
    ears.finish(ears.claim())
    said = client.get(f"/drill/{PITCH}/heard", params=ask).text
    assert 'data-settled="The transcript is here: 2 of 2 key points mentioned."' in said
    points = client.get(f"/drill/{PITCH}/heard", params={**ask, "part": "points"}).text
    assert points.count('type="checkbox"') == 2
    assert 'data-settled=""' in points
    assert client.get(f"/drill/{PITCH}/heard", params={**ask, "part": "all"}).status_code == 422


def test_a_take_rated_before_it_was_heard_gets_its_text_later(
    client: TestClient, its: Parts, ears: Ears, db: Database
) -> None:
    take = recorded(client, its)
    saved = follow(client, f"/drill/{PITCH}/takes", take=take, grade=3, point=["p1"])
    assert "Waiting to be written down: next in line." in saved
    assert re.search(r"<noscript><a [^>]*/takes/1", saved), "the way to look again without a script"
    parts = re.findall(r'data-src="([^"]*/heard[^"]*)"', saved)
    assert parts == [f"/drill/{PITCH}/takes/1/heard", f"/drill/{PITCH}/takes/1/heard?part=ticked"]
    assert not any("data-settled" in client.get(part).text for part in parts)
    ears.finish(ears.claim())
    told, ticked = (client.get(part).text for part in parts)
    assert SAID in told
    assert 'data-settled="The transcript is here: 2 of 2 key points mentioned."' in told
    assert (ticked.count("Mentioned"), ticked.count("Not said:")) == (2, 1)
    assert 'data-settled=""' in ticked
    page = client.get(f"/drill/{PITCH}/takes/1").text
    assert SAID in page
    assert "/heard" not in page
    assert client.get(f"/drill/{PITCH}/takes/1/heard?part=all").status_code == 422
    assert client.get(f"/drill/{PITCH}/takes/2/heard").status_code == 404
    with db.read() as conn:
        row = conn.execute(select(t.take)).one()
    assert (row.text, row.ticks) == (SAID, ["p1"])
    assert row.marks == {"p1": "mentioned", "p2": "mentioned"}


def test_a_text_that_is_corrected_in_another_tab_after_the_rating_is_the_takes(
    client: TestClient, its: Parts, ears: Ears, db: Database
) -> None:
    take = recorded(client, its)
    ears.finish(ears.claim())
    follow(client, f"/drill/{PITCH}/takes", take=take, grade=3, text=SAID)
    client.post(f"/drill/{PITCH}/ticks", data={"take": take, "text": "only the mask"})
    assert "only the mask</blockquote>" in client.get(f"/drill/{PITCH}/takes/1").text
    with db.read() as conn:
        row = conn.execute(select(t.take)).one()
    assert row.text == "only the mask"
    assert row.pace["words"] == 3
    assert row.marks == {"p1": "mentioned", "p2": "missed"}


def test_a_take_that_was_silent_at_its_rating_gets_what_is_heard_in_it_later(
    client: TestClient, its: Parts, ears: Ears, db: Database
) -> None:
    take = recorded(client, its)
    ears.finish(ears.claim(), text="")
    follow(client, f"/drill/{PITCH}/takes", take=take, grade=3)
    client.post(f"/drill/{PITCH}/hear", data={"take": take})
    ears.finish(ears.claim())
    with db.read() as conn:
        assert conn.scalar(select(t.take.c.text)) == SAID


def test_silence_is_told_as_silence(client: TestClient, its: Parts, ears: Ears) -> None:
    take = recorded(client, its)
    ears.finish(ears.claim(), text="")
    page = review(client, take)
    assert "No speech was heard in this recording." in page
    assert "Mentioned" not in page
    assert "Try again" in page


def test_a_failure_keeps_the_sound_and_offers_again(client: TestClient, its: Parts, ears: Ears) -> None:
    take = recorded(client, its)
    ears.finish(ears.claim(), "failed", "This sound could not be decoded.")
    page = review(client, take)
    assert "It was not written down. This sound could not be decoded. The recording is kept." in page
    assert "A worker of this server writes it down; the sound goes nowhere else." in page
    again = follow(client, f"/drill/{PITCH}/hear", take=take, point=["p2"])
    assert "Waiting to be written down" in again
    assert re.search(r'value="p2"\s+checked', again)
    follow(client, f"/drill/{PITCH}/hear", take=take)  # pressed twice, it is one order
    ears.finish(ears.claim())
    assert ears.claim() is None
    assert SAID in review(client, take)


def test_waiting_can_be_cancelled_and_taken_up_again(client: TestClient, its: Parts, ears: Ears) -> None:
    take = recorded(client, its)
    page = follow(client, f"/drill/{PITCH}/hear/cancel", take=take)
    assert "It was not written down. Cancelled before it began." in page
    assert ears.claim() is None
    follow(client, f"/drill/{PITCH}/hear", take=take)
    assert ears.claim() is not None


def test_words_without_times_are_a_transcript_without_places(
    client: TestClient, its: Parts, ears: Ears
) -> None:
    take = recorded(client, its)
    ears.finish(ears.claim(), words=[[None, None, SAID]], provider="endpoint", model="whisper-1")
    page = review(client, take)
    assert "Written down by whisper-1" in page
    assert "data-seek-ms" not in page
    assert page.count("Mentioned") == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"ms": -1},
        {"ms": "long"},
        {"peaks": [200]},
        {"words": [[0, 1]]},
        {"words": "text"},
        {"speech": None},
        {"provider": "somebody"},
        {"model": "x" * 400},
    ],
)
def test_a_result_that_does_not_fit_is_a_failure_in_a_sentence(
    client: TestClient, its: Parts, ears: Ears, wrong: dict[str, Any]
) -> None:
    take = recorded(client, its)
    assert ears.finish(ears.claim(), **wrong) == "failed"
    assert "It was not written down. The worker&#39;s code does not match this server&#39;s" in review(
        client, take
    )


def test_the_text_is_text(client: TestClient, its: Parts, ears: Ears) -> None:
    take = recorded(client, its)
    ears.finish(ears.claim(), text="</textarea><script>alert(1)</script> the mask")
    assert "<script>alert(1)" not in review(client, take)


def test_a_text_that_is_too_long_is_refused_and_nothing_lost(
    client: TestClient, its: Parts, ears: Ears
) -> None:
    take = recorded(client, its)
    ears.finish(ears.claim())
    refused = client.post(f"/drill/{PITCH}/ticks", data={"take": take, "text": "word " * 5000})
    assert refused.status_code == 422
    assert "20,000 are kept" in refused.text
    assert SAID in review(client, take)


@pytest.mark.parametrize("path", ["heard", "hear", "hear/cancel"])
def test_a_take_that_is_not_finished_or_not_ours_is_answered_in_a_sentence(
    client: TestClient, its: Parts, clock: MovableClock, path: str
) -> None:
    begun = attempts.sign(its.signer, attempts.begin(ME.id, PITCH))
    for take in (begun, "nonsense"):
        url = f"/drill/{PITCH}/{path}"
        got = (
            client.get(url, params={"take": take})
            if path == "heard"
            else client.post(url, data={"take": take})
        )
        assert got.status_code == 422


@pytest.mark.parametrize(("size", "limit"), [(2000, 120), (32_000 * 119, 120), (32_000 * 590, 600)])
def test_a_long_recording_may_be_heard_for_longer(
    client: TestClient, its: Parts, ears: Ears, db: Database, size: int, limit: int
) -> None:
    """Ten minutes of the case ran into the limit of a short take, and would have at every other try."""
    take = attempts.sign(its.signer, attempts.begin(ME.id, PITCH))
    sound = b"RIFF\0\0\0\0WAVE" + bytes(size)
    sent = client.post(f"/drill/{PITCH}/sound/file", data={"take": take}, files={"file": ("a", sound)})
    assert sent.status_code == 303
    with db.read() as conn:
        assert conn.scalar(select(t.job.c.deadline_s)) == limit

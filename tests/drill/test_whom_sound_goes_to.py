"""Whom a recording goes to, to be written down: whom its learner chose, or nobody; the page names them before."""

import pytest
from sqlalchemy import func, select, update
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.web.parts import Parts
from tests.drill.ears import SAID, Ears
from tests.drill.forms import follow

from .test_hearing import PITCH, choose, ears, its, recorded, review, settings

__all__ = ["ears", "its", "settings"]


def test_without_a_worker_that_hears_the_page_says_how_to_get_one(
    client: TestClient, its: Parts, db: Database
) -> None:
    take = recorded(client, its)
    page = review(client, take)
    assert "make run SPEECH=1" in page
    assert 'href="/settings#speech"' in page
    assert "Write it down" not in page
    with db.read() as conn:
        assert conn.scalar(select(func.count()).select_from(t.job)) == 0
    Ears(client, its)
    assert "Write it down" in review(client, take)
    assert "Waiting to be written down" in follow(client, f"/drill/{PITCH}/hear", take=take)


def test_speech_that_was_switched_off_stays_off(
    client: TestClient, its: Parts, ears: Ears, db: Database
) -> None:
    choose(db, "none")
    take = recorded(client, its)
    page = review(client, take)
    assert "Speech to text is off" in page
    assert 'href="/settings#speech"' in page
    assert ears.claim() is None
    saved = follow(client, f"/drill/{PITCH}/takes", take=take, grade=3)
    assert 'href="/settings#speech"' in saved
    choose(db, "auto")
    assert 'href="/settings#speech"' not in client.get(f"/drill/{PITCH}/takes/1").text


def test_where_the_sound_goes_is_named_before_it_goes(
    client: TestClient, its: Parts, ears: Ears, db: Database
) -> None:
    choose(db, "none")
    take = recorded(client, its)
    choose(db, "endpoint:box")
    page = review(client, take)
    assert "The sound goes to box at http://gpu-box:8000/v1, to be written down there." in page
    assert ears.claim() is None
    follow(client, f"/drill/{PITCH}/hear", take=take)
    assert ears.claim()["payload"]["provider"] == "endpoint:box"


def test_an_endpoint_that_is_no_longer_allowed_gets_nothing(
    client: TestClient, its: Parts, ears: Ears, db: Database
) -> None:
    choose(db, "endpoint:gone")
    page = review(client, recorded(client, its))
    assert "The endpoint gone is no longer one that this server allows" in page
    assert ears.claim() is None


def test_another_learners_recording_is_not_heard_for_me(
    client: TestClient, its: Parts, ears: Ears, db: Database
) -> None:
    take = recorded(client, its)
    job = ears.claim()
    with db.write() as conn:
        conn.execute(
            t.learner.insert().values(id=2, name="ben", zone="UTC", rollover=4, created_at=its.clock())
        )
        conn.execute(update(t.recording).values(learner_id=2))
    ears.finish(job)
    with db.read() as conn:
        assert conn.scalar(select(t.hearing.c.words)) is None
    assert SAID not in review(client, take)


@pytest.mark.parametrize(("then", "open_"), [("none", False), ("auto", False), ("endpoint:box", True)])
def test_sound_that_waits_for_an_endpoint_is_kept_back_once_that_is_left(
    client: TestClient, its: Parts, db: Database, then: str, open_: bool
) -> None:
    """Nobody was there to send it, and it went when a worker came, though the learner had chosen otherwise."""
    choose(db, "endpoint:box")
    take = recorded(client, its)
    assert "Waiting to be written down" in review(client, take)
    assert client.post("/settings/speech", data={"provider": then}).status_code == 303
    assert ("Waiting to be written down" in review(client, take)) is open_
    with db.read() as conn:
        state = conn.scalar(select(t.job.c.state))
    assert state == ("queued" if open_ else "cancelled")

"""An opinion that was given: it stays with its text and its learner, also when the take is saved and the judge gone."""

from datetime import timedelta

from fastapi import FastAPI
from sqlalchemy import func, insert, select, update
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.drill.judge import views as judge_views
from app.drill.judge.asking import Asked
from app.drill.judge.chat import Judge
from app.drill.judge.judging import Opinion, Remark
from app.drill.judge.service import Kept
from tests.conftest import MovableClock

from .test_judge_pages import _pitches, ask, choose, finished, hear, part, server, settings

__all__ = ["_pitches", "server", "settings"]


def test_an_opinion_of_an_earlier_text_says_so_and_a_new_one_takes_its_place(
    app: FastAPI, client: TestClient, db: Database, clock: MovableClock
) -> None:
    take = finished(app)
    hear(db, clock)
    choose(db, "box")
    assert "earlier version" not in ask(client, take)
    with db.write() as conn:
        conn.execute(update(t.hearing).values(edited="the mask comes before the softmax"))
    assert "It is about an earlier version of your text." in part(client, take)
    assert "earlier version" not in ask(client, take)
    with db.read() as conn:
        assert conn.scalar(select(func.count()).select_from(t.opinion)) == 1


def test_a_saved_take_keeps_its_opinion_also_when_it_is_rated_anew_and_the_judge_is_gone(
    app: FastAPI, client: TestClient, db: Database, clock: MovableClock
) -> None:
    hear(db, clock)
    choose(db, "box")
    take = finished(app)
    ask(client, take)
    saved = client.post("/drill/pitch/takes", data={"take": take, "grade": 3, "point": ["p1"]})
    assert saved.status_code == 303
    choose(db, "")
    assert "seems partly said" in part(client, take)
    assert "Ask it again" not in part(client, take)
    with db.read() as conn:
        event = conn.scalar(select(t.take.c.event_id))
        take_id = conn.scalar(select(t.take.c.id))
    assert client.post("/drill/undo", data={"event": event}).status_code == 303
    assert "seems partly said" in part(client, finished(app, key=f"again:{take_id}"))


def test_another_learners_opinion_is_not_shown(
    app: FastAPI, client: TestClient, db: Database, clock: MovableClock
) -> None:
    hear(db, clock)
    choose(db, "box")
    ask(client, finished(app))
    with db.write() as conn:
        conn.execute(insert(t.learner).values(id=2, name="ben", zone="UTC", rollover=4, created_at=clock()))
        conn.execute(update(t.opinion).values(learner_id=2))
    assert "seems" not in part(client, finished(app))


def test_an_answer_that_came_while_the_page_was_drawn_is_looked_for_once_more(clock: MovableClock) -> None:
    judge = Judge("box", "http://gpu-box/v1", "m-7b")
    given = Opinion((Remark("p1", "partly", "No cause."),), "")
    before, after = (
        Kept("box", "m", "gpu-box", given, "", at) for at in (clock(), clock() + timedelta(seconds=1))
    )
    answered = Asked(open=False, said=after.at.isoformat())

    def state(kept: Kept | None, asked: Asked | None) -> str:
        drawn = judge_views.part(judge, kept, asked, card_id="pitch", take="", points=(), said="so")
        return drawn.state

    assert [state(kept, answered) for kept in (None, before, after)] == ["asking", "asking", "ready"]
    assert state(None, Asked(open=False, problem="It is asleep.")) == "ready"
    assert state(before, Asked()) == "asking"

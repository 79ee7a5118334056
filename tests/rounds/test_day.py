"""What a round makes of the day: the share in place of the limit, last looks, and other decks as ever."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from sqlalchemy import select, update
from starlette.testclient import TestClient

from app.accounts.learner import Learner, LearnerId, Preferences
from app.db import tables as t
from app.db.engine import Database
from app.rounds import service as rounds
from app.study import service as study
from app.study.memory import DEFAULT_WEIGHTS, Memory
from app.study.scheduling import SchedulerSettings
from tests.conftest import MovableClock, add_cards


def add(client: TestClient, days: int, **changed: object) -> str:
    day = date(2026, 11, 29) + timedelta(days=days)
    form = {"name": "Kernels", "date": day.isoformat(), "level": "IC5", "minutes": "30", **changed}
    answer = client.post("/rounds", data=form)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def counts(client: TestClient) -> dict[str, int]:
    found: dict[str, int] = client.get("/api/v1/study/next").json()["counts"]
    return found


def answer(client: TestClient, grade: int = 4) -> str:
    shown = client.get("/api/v1/study/next").json()
    told = client.post("/api/v1/study/reveal", json={"showing": shown["showing"]}).json()
    body = {"ticket": told["ticket"], "revision": shown["revision"], "grade": grade, "ms": 4000}
    assert client.post("/api/v1/study/answers", json=body).status_code == 200
    return str(shown["card"]["id"])


def replayed(db: Database) -> None:
    with db.read() as conn:
        assert study.replay(conn) == ()


def test_the_days_new_cards_follow_the_plan(client: TestClient, db: Database) -> None:
    add_cards(db, *(f"c{at}" for at in range(60)))
    assert counts(client)["new"] == 10
    path = add(client, 65)
    assert counts(client)["new"] == 1
    answer(client)
    assert counts(client)["new"] == 0
    client.post(f"{path}/remove")
    assert counts(client)["new"] == 9


def test_forecasts_and_curves_know_the_weights_that_schedule(
    client: TestClient, db: Database, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The forecast of a round and a card's curve named the default weights, whatever its answers went by."""
    add_cards(db, "a")
    answer(client)
    add(client, 30)
    clock.advance(days=1)
    me = Learner(LearnerId(1), "UTC", 4)

    def foreseen() -> tuple[float, float]:
        with db.read() as conn:
            forecast = rounds.outlooks(conn, me, clock())[0].whole.forecast
        assert forecast is not None
        return forecast.recall, study.recall(me)(Memory(10.0, 5.0), 30)

    before = foreseen()
    slower = SchedulerSettings(weights=(*DEFAULT_WEIGHTS[:-1], 0.1))
    monkeypatch.setattr(SchedulerSettings, "of", classmethod(lambda _cls, _prefers: slower))
    me = replace(me, prefers=Preferences(retention=0.9, maximum_interval=36_499))  # a day is planned once
    after = foreseen()
    assert after[0] != before[0]
    assert after[1] == slower.model.retrievability(Memory(10.0, 5.0), 30) != before[1]


def test_what_is_answered_does_not_move_the_share(client: TestClient, db: Database) -> None:
    add_cards(db, *(f"c{at}" for at in range(60)))
    add(client, 20)
    share = counts(client)["new"]
    assert share < 10
    for left in range(share - 1, -1, -1):
        answer(client)
        assert counts(client)["new"] == left


def test_decks_that_no_round_asks_for_keep_their_limit(client: TestClient, db: Database) -> None:
    add_cards(db, *(f"c{at}" for at in range(30)), deck="attention/mask")
    add_cards(db, *(f"m{at}" for at in range(30)), deck="mine")
    add(client, 35, topic="attention/mask")
    assert counts(client)["new"] == 1 + 10


def test_a_deck_of_the_same_tree_is_not_starved(client: TestClient, db: Database) -> None:
    add_cards(db, *(f"c{at}" for at in range(30)), deck="attention/mask")
    add_cards(db, *(f"h{at}" for at in range(30)), deck="attention/heads")
    add(client, 35, topic="attention/mask")
    assert counts(client)["new"] == 1 + 10
    client.post("/rounds/1", data={"date": "2027-01-03", "level": "IC5", "minutes": "30"})
    assert counts(client)["new"] < 5


def test_a_card_above_the_level_waits(client: TestClient, db: Database) -> None:
    add_cards(db, "deep", level="IC6")
    add(client, 30)
    assert counts(client)["new"] == 0


def test_a_last_look_comes_once_and_leaves_the_due_date(
    client: TestClient, db: Database, clock: MovableClock
) -> None:
    add_cards(db, "a", "b")
    add(client, 10)
    for _ in range(2):
        if counts(client)["new"]:
            answer(client)
        clock.advance(days=1)
    with db.write() as conn:
        far = date(2027, 3, 1)
        conn.execute(update(t.card_state).values(due_day=far, interval=90))
    clock.advance(days=7)  # the eve: its looks, and those of the day before
    assert counts(client) == {"new": 0, "learning": 0, "review": 2}
    with db.read() as conn:
        assert set(conn.scalars(select(t.card_state.c.due_day))) == {far}
    first = answer(client, 3)
    assert counts(client)["review"] == 1
    assert answer(client, 3) != first
    assert counts(client)["review"] == 0


def test_the_eve_brings_nothing_new(client: TestClient, db: Database, clock: MovableClock) -> None:
    add_cards(db, *(f"c{at}" for at in range(10)))
    add_cards(db, "pitch", queue="drill")
    add(client, 10)
    clock.advance(days=9)
    assert counts(client)["new"] == 0
    assert "1 pitch</b>" not in client.get("/").text


@pytest.mark.parametrize("days", [-3, 0])
def test_from_its_day_on_a_round_asks_for_nothing(
    client: TestClient, db: Database, clock: MovableClock, days: int
) -> None:
    add_cards(db, *(f"c{at}" for at in range(30)))
    add(client, 5)
    clock.advance(days=5 - days)
    assert counts(client)["new"] == 10


def test_a_session_of_the_plan_replays(client: TestClient, db: Database, clock: MovableClock) -> None:
    add_cards(db, "n.1", "n.2", *(f"c{at}" for at in range(12)))
    add(client, 8)
    for _ in range(7):
        while client.get("/api/v1/study/next").json()["card"]:
            answer(client, 3)
        clock.advance(minutes=11)
        while client.get("/api/v1/study/next").json()["card"]:
            answer(client, 3)
        clock.advance(days=1)
    with db.read() as conn:
        seen = conn.scalars(select(t.card_state.c.card_id).where(t.card_state.c.reps > 0)).all()
        assert len(seen) == 14
    replayed(db)

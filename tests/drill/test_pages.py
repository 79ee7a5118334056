"""The drill by plain forms alone, as a browser without scripts sends them."""

import re
from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select, update
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from tests.conftest import MovableClock, add_cards
from tests.drill.forms import follow, hidden


@pytest.fixture(autouse=True)
def _pitches(db: Database) -> None:
    add_cards(db, "pitch", "decode", queue="drill", deck="spoken")


def spoken(client: TestClient, card: str = "pitch", **form: object) -> str:
    """The review page of a take that a browser has timed."""
    take = hidden(client.get(f"/drill/{card}").text, "take")
    return follow(client, f"/drill/{card}/finish", take=take, **{"spoken_ms": 87_000, **form})


def count(db: Database) -> int:
    with db.read() as conn:
        return int(conn.scalar(select(func.count()).select_from(t.take)) or 0)


def test_a_whole_drill_without_a_script(client: TestClient, clock: MovableClock, db: Database) -> None:
    assert "question pitch" in client.get("/drill").text
    page = client.get("/drill/pitch").text
    speaking = follow(client, "/drill/pitch/start", take=hidden(page, "take"))
    assert "data-elapsed-ms" in speaking
    clock.advance(seconds=98)
    review = follow(client, "/drill/pitch/finish", take=hidden(speaking, "take"), spoken_ms="")
    assert "1:35" in review  # 3 s of the 98 went into getting ready
    saved = follow(client, "/drill/pitch/takes", take=hidden(review, "take"), grade=3, point=["p1"])
    assert "Saved: Good" in saved
    assert "1 of 2" in saved
    assert count(db) == 1
    again = follow(client, "/drill/undo", event=hidden(saved, "event"))
    assert re.search(r'value="p1"\s+checked', again)
    assert "Saved: Easy" in follow(client, "/drill/pitch/takes", take=hidden(again, "take"), grade=4)


def test_key_points_are_in_sight_only_when_asked_for_and_the_take_says_so(
    client: TestClient, clock: MovableClock
) -> None:
    page = client.get("/drill/pitch").text
    assert re.search(r"data-notes\s+hidden", page)
    speaking = follow(client, "/drill/pitch/start", take=hidden(page, "take"))
    assert re.search(r"data-notes\s+hidden", speaking)
    noted = follow(client, "/drill/pitch/notes", take=hidden(speaking, "take"))
    assert not re.search(r"data-notes\s+hidden", noted)
    clock.advance(seconds=60)
    review = follow(client, "/drill/pitch/finish", take=hidden(noted, "take"))
    assert "Notes were shown" in review


def test_an_interrupted_take_says_so(client: TestClient) -> None:
    assert "interrupted" in spoken(client, interrupted="true")
    assert "interrupted" not in spoken(client, interrupted="false")


def test_reloading_the_speaking_page_does_not_set_the_clock_back(
    client: TestClient, clock: MovableClock
) -> None:
    take = hidden(client.get("/drill/pitch").text, "take")
    where = client.post("/drill/pitch/start", data={"take": take}).headers["location"]
    clock.advance(seconds=33)
    page = client.get(where).text
    assert 'data-elapsed-ms="30000"' in page
    assert "data-clock-time>0:30<" in page  # for a reader without scripts


def test_sending_the_rating_twice_saves_one_take(client: TestClient, db: Database) -> None:
    form = {"take": hidden(spoken(client), "take"), "grade": 3}
    first, second = (client.post("/drill/pitch/takes", data=form).headers["location"] for _ in range(2))
    assert first == second
    assert count(db) == 1


def test_the_back_button_leads_from_a_saved_attempt_to_its_take(client: TestClient) -> None:
    take = hidden(client.get("/drill/pitch").text, "take")
    started = client.post("/drill/pitch/start", data={"take": take}).headers["location"]
    form = {"take": take, "spoken_ms": 87_000}
    finished = client.post("/drill/pitch/finish", data=form).headers["location"]
    assert client.get(started).status_code == client.get(finished).status_code == 200
    review = client.get(finished).text
    follow(client, "/drill/pitch/takes", take=hidden(review, "take"), grade=3)
    for path in (started, finished):
        assert client.get(path).headers["location"] == "/drill/pitch/takes/1"


def test_a_blank_take_can_be_rated(client: TestClient) -> None:
    review = spoken(client, spoken_ms=0)
    assert "Saved: Again" in follow(client, "/drill/pitch/takes", take=hidden(review, "take"), grade=1)


def test_points_edited_meanwhile_lose_no_take(client: TestClient, db: Database) -> None:
    take = hidden(spoken(client), "take")
    points = [{"id": "n1", "text": "new", "text_html": "a new point", "hear": [], "doubt": []}]
    with db.write() as conn:
        conn.execute(
            update(t.note).where(t.note.c.key == "pitch").values(body={"time_s": 60, "points": points})
        )
    refused = client.post("/drill/pitch/takes", data={"take": take, "grade": 3, "point": ["p1"]})
    assert refused.status_code == 422
    assert "tick them again" in refused.text
    assert "a new point" in refused.text
    form = {"take": hidden(refused.text, "take"), "grade": 3, "point": ["n1"]}
    assert "1:27" in follow(client, "/drill/pitch/takes", **form)


def test_enter_in_a_checkbox_keeps_the_ticks_and_rates_nothing(client: TestClient, db: Database) -> None:
    review = spoken(client)
    first = re.search(r"<form[^>]*/takes.*?<button[^>]*formaction=\"([^\"]*)", review, re.S)
    assert first
    kept = follow(client, first[1], take=hidden(review, "take"), point=["p2", "none"])
    assert re.search(r'value="p2"\s+checked', kept)
    assert not re.search(r'value="p1"\s+checked', kept)
    assert count(db) == 0
    assert "1 of 2" in follow(client, "/drill/pitch/takes", take=hidden(kept, "take"), grade=3, point=["p2"])


def test_an_undone_take_can_be_rated_again_only_once(client: TestClient, db: Database) -> None:
    first = follow(client, "/drill/pitch/takes", take=hidden(spoken(client), "take"), grade=1)
    event = hidden(first, "event")
    again = follow(client, "/drill/undo", event=event)
    assert "Rate it again" in client.get("/drill/pitch/takes/1").text
    same = follow(client, "/drill/undo", event=event)
    assert "Saved: Good" in follow(client, "/drill/pitch/takes", take=hidden(again, "take"), grade=3)
    assert "Saved: Good" in follow(client, "/drill/pitch/takes", take=hidden(same, "take"), grade=4)
    assert "Saved: Good" in follow(client, "/drill/undo", event=event)
    page = client.get("/drill/pitch/takes/1").text
    assert "Rate it again" not in page
    assert "You have rated the take again" in page
    assert 'href="/drill/pitch/takes/2"' in page
    assert count(db) == 2


def test_finish_while_getting_ready_saves_no_empty_take(client: TestClient, clock: MovableClock) -> None:
    take = hidden(client.get("/drill/pitch").text, "take")
    ready = follow(client, "/drill/pitch/start", take=take)
    assert "the clock runs in 3 seconds" in ready
    clock.advance(seconds=2.5)
    still = follow(client, "/drill/pitch/finish", take=hidden(ready, "take"), spoken_ms="")
    assert "the clock runs in 1 second," in still
    clock.advance(seconds=10.5)
    assert "the clock runs" not in follow(client, "/drill/pitch/start", take=hidden(still, "take"))
    done = follow(client, "/drill/pitch/finish", take=hidden(still, "take"), spoken_ms="")
    assert "<dd>0:10</dd>" in done


def test_speak_now_brings_the_servers_clock_forward(client: TestClient, clock: MovableClock) -> None:
    take = hidden(client.get("/drill/pitch").text, "take")
    started = follow(client, "/drill/pitch/start", take=take)
    speaking = follow(client, "/drill/pitch/start", take=hidden(started, "take"), speaking="true")
    assert 'data-elapsed-ms="0"' in speaking


def test_a_card_that_has_left_the_decks_keeps_its_takes(client: TestClient, db: Database) -> None:
    follow(client, "/drill/pitch/takes", take=hidden(spoken(client), "take"), grade=3)
    with db.write() as conn:
        conn.execute(
            update(t.card)
            .where(t.card.c.id == "pitch")
            .values(retired_at=select(t.take.c.at).scalar_subquery())
        )
    page = client.get("/drill/pitch").text
    assert "has left the decks" in page
    assert "1:27 of 1:30" in page
    assert "/drill/pitch" not in client.get("/drill").text


def test_a_take_said_while_its_card_left_the_decks_is_kept(client: TestClient, db: Database) -> None:
    take = hidden(spoken(client), "take")
    with db.write() as conn:
        conn.execute(update(t.card).where(t.card.c.id == "pitch").values(retired_at=datetime.now(UTC)))
    assert "1:27 of 1:30" in follow(client, "/drill/pitch/takes", take=take, grade=3)
    assert count(db) == 1


def test_undo_of_a_take_whose_card_has_left_the_decks_leads_to_its_review(
    client: TestClient, db: Database
) -> None:
    saved = follow(client, "/drill/pitch/takes", take=hidden(spoken(client), "take"), grade=3)
    with db.write() as conn:
        conn.execute(update(t.card).where(t.card.c.id == "pitch").values(retired_at=datetime.now(UTC)))
    review = follow(client, "/drill/undo", event=hidden(saved, "event"))
    assert "Saved: Easy" in follow(client, "/drill/pitch/takes", take=hidden(review, "take"), grade=4)


def test_with_no_spoken_cards_the_page_says_how_one_is_written(client: TestClient, db: Database) -> None:
    with db.write() as conn:
        conn.execute(t.card.delete())
    assert "begins with S:" in client.get("/drill").text


def test_an_older_take_cannot_be_undone_before_a_newer_one(client: TestClient, db: Database) -> None:
    older = follow(client, "/drill/pitch/takes", take=hidden(spoken(client), "take"), grade=3)
    follow(client, "/drill/pitch/takes", take=hidden(spoken(client), "take"), grade=3)
    refused = client.post("/drill/undo", data={"event": hidden(older, "event")})
    assert refused.status_code == 409
    assert count(db) == 2


def test_the_api_undoes_a_spoken_answer_too(client: TestClient) -> None:
    saved = follow(client, "/drill/pitch/takes", take=hidden(spoken(client), "take"), grade=3)
    undone = client.post("/api/v1/study/undo", json={"event": int(hidden(saved, "event"))})
    assert undone.status_code == 200
    assert "Good, undone" in client.get("/drill/pitch").text
    assert "not said yet" in client.get("/drill").text
    assert "Good, undone" in client.get("/drill/pitch/takes/1").text


FAR = 10**30


@pytest.mark.parametrize(
    ("method", "path", "form", "status"),
    [
        ("GET", "/drill/nothing", {}, 404),
        ("GET", "/drill/pitch?take=nonsense", {}, 422),
        ("GET", "/drill/pitch/review", {}, 422),
        ("GET", "/drill/pitch/review?take=nonsense", {}, 422),
        ("GET", "/drill/pitch/takes/1", {}, 404),
        ("GET", f"/drill/pitch/takes/{FAR}", {}, 422),
        ("GET", f"/drill/pitch/takes/-{FAR}", {}, 422),
        ("GET", "/drill/pitch/takes/0", {}, 422),
        ("GET", "/drill/pitch/takes/x", {}, 422),
        ("POST", "/drill/pitch/start", {}, 422),
        ("POST", "/drill/pitch/start", {"take": "nonsense"}, 422),
        ("POST", "/drill/decode/start", {"take": "TAKE"}, 422),
        ("POST", "/drill/pitch/finish", {"take": "TAKE"}, 422),
        ("POST", "/drill/pitch/finish", {"take": "TAKE", "spoken_ms": -1}, 422),
        ("POST", "/drill/pitch/finish", {"take": "TAKE", "spoken_ms": "long"}, 422),
        ("POST", "/drill/pitch/finish", {"take": "TAKE", "spoken_ms": FAR}, 303),
        ("POST", "/drill/pitch/takes", {"take": "TAKE", "grade": 3}, 422),
        ("POST", "/drill/pitch/takes", {"take": "DONE"}, 422),
        ("POST", "/drill/pitch/takes", {"take": "DONE", "grade": 0}, 422),
        ("POST", "/drill/pitch/takes", {"take": "DONE", "grade": 5}, 422),
        ("POST", "/drill/pitch/takes", {"take": "DONE", "grade": "good"}, 422),
        ("POST", "/drill/decode/takes", {"take": "DONE", "grade": 3}, 422),
        ("POST", "/drill/undo", {}, 422),
        ("POST", "/drill/undo", {"event": 77}, 404),
        ("POST", "/drill/undo", {"event": FAR}, 422),
        ("POST", "/drill/undo", {"event": -FAR}, 422),
        ("POST", "/drill/pitch/ticks", {"take": "TAKE", "point": ["p1"]}, 422),
        ("POST", "/drill/decode/ticks", {"take": "DONE", "point": ["p1"]}, 422),
    ],
)
def test_wrong_input_is_answered_in_a_sentence(
    client: TestClient, db: Database, method: str, path: str, form: dict[str, object], status: int
) -> None:
    signed = {
        "TAKE": lambda: hidden(client.get("/drill/pitch").text, "take"),
        "DONE": lambda: hidden(spoken(client), "take"),
    }
    if form.get("take") in signed:
        form = {**form, "take": signed[str(form["take"])]()}
    got = client.request(method, path, data=form or None)
    assert got.status_code == status, got.text
    assert count(db) == 0


@pytest.mark.parametrize(
    ("spoken_ms", "shown"),
    [
        (3_600, ["0:03", "1:30", "1:27"]),
        (90_900, ["1:30", "1:30", "0:00"]),
        (95_900, ["1:35", "1:30", "0:05"]),
    ],
)
def test_time_spoken_and_time_left_add_up_to_what_was_planned(
    client: TestClient, spoken_ms: int, shown: list[str]
) -> None:
    """Of 3.6 s and 30 s planned the page said 0:03 and 0:26 left."""
    assert re.findall(r"<d[td][^>]*>(\d+:\d\d)<", spoken(client, spoken_ms=spoken_ms))[:3] == shown


def test_a_deck_has_the_name_that_other_rooms_give_it(client: TestClient, db: Database) -> None:
    """Here it was "attention / formula", where Study said "The formula, its shapes and its code"."""
    with db.write() as conn:
        conn.execute(update(t.deck).where(t.deck.c.name == "spoken").values(title="What is said aloud"))
    assert "What is said aloud" in client.get("/drill/pitch").text

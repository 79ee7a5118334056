"""A mock interview by plain forms alone, as a browser without scripts sends them."""

import re

import pytest
from sqlalchemy import select, update
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.settings import Settings
from app.study import service as study
from tests.conftest import MovableClock
from tests.mock.forms import answered, begin, count, field, send, step
from tests.study.test_drawn import ESTIMATE, load


def test_a_whole_interview_without_a_script(client: TestClient, clock: MovableClock, db: Database) -> None:
    where = begin(client, minutes=10)
    page = client.get(where).text
    assert "Question 1" in page
    assert "15 seconds to think" in page
    asked = 0
    while "Report of your interview" not in page:
        asked += 1
        page = answered(client, clock, page)
        clock.advance(seconds=40)
    assert asked == 7  # of 85 s each, as long as one of two minutes still fits into ten
    assert "7 questions: 7 Hard" in page
    assert count(db, "take") == 2
    assert client.get(where).headers["location"] == f"{where}/report"
    assert "7 questions: 7 Hard" in client.get("/mock").text


def test_a_spoken_card_is_a_take_like_any_other(
    client: TestClient, clock: MovableClock, db: Database
) -> None:
    page = client.get(begin(client)).text  # the first is spoken
    answered(client, clock, page, 3, point="p1")
    with db.read() as conn:
        take = conn.execute(select(t.take)).one()
        event = conn.execute(select(t.event)).one()
    assert (take.ticks, take.spoken_ms, event.kind, event.grade) == (["p1"], 30_000, "drill", 3)
    assert f"takes/{take.id}" in client.get(f"/drill/{take.card_id}").text


def test_after_a_good_answer_the_interviewer_goes_up(client: TestClient, clock: MovableClock) -> None:
    page = answered(client, clock, client.get(begin(client)).text, 3)
    assert "question harder" in page
    assert "follow-up" in page
    assert "question harder" not in answered(client, clock, page, 1)


def test_thinking_comes_first_and_there_is_nothing_to_finish_before(
    client: TestClient, clock: MovableClock
) -> None:
    page = answered(client, clock, client.get(begin(client)).text)
    assert 'data-elapsed-ms="-15000"' in page
    assert "the clock runs in 15 seconds" in page
    assert 'data-elapsed-ms="-15000"' in send(client, f"{step(page)}/finish")
    skipped = send(client, f"{step(page)}/start", speaking="true")
    assert 'data-elapsed-ms="0"' in skipped


def test_a_question_can_be_skipped_and_the_report_says_so(client: TestClient, db: Database) -> None:
    where = begin(client)
    page = send(client, f"{step(client.get(where).text)}/skip")
    assert "Question 2" in page
    report = send(client, f"{where}/end")
    assert "2 questions: 2 skipped" in report
    assert count(db, "event") == 0


def test_a_double_click_starts_one_interview_and_rates_once(
    client: TestClient, clock: MovableClock, db: Database
) -> None:
    form = {"key": "k", "level": "IC4", "minutes": 20, "mode": "quiet"}
    first, second = (client.post("/mock", data=form).headers["location"] for _ in range(2))
    assert first == second
    page = client.get(first).text
    answered(client, clock, page, 3)
    after = send(client, f"{step(page)}/rate", grade=1)
    assert "Question 2" in after
    assert "Question 2" in send(client, f"{step(page)}/skip")
    assert "Question 2" in send(client, f"{step(page)}/finish")
    assert (count(db, "interview"), count(db, "event")) == (1, 1)


def test_leaving_and_coming_back_goes_on_where_it_was(client: TestClient, clock: MovableClock) -> None:
    where = begin(client)
    page = send(client, f"{step(client.get(where).text)}/start")
    clock.advance(seconds=45)
    assert 'data-elapsed-ms="30000"' in client.get(where).text
    clock.advance(hours=9)
    left = client.get(where).text
    assert "You left in the middle" in left
    assert "Nothing of the answer is there" in left
    fresh = send(client, f"{step(left)}/again")
    assert "data-elapsed-ms" not in fresh
    assert "Question 1" in fresh
    assert "Go on: nothing answered yet" in client.get("/mock").text
    send(client, f"{step(page)}/start")
    clock.advance(seconds=60)
    review = send(client, f"{step(page)}/finish")
    clock.advance(days=1)
    assert "Tick what you said" in review
    assert "Tick what you said" in client.get(where).text


def test_a_spoken_question_is_recorded_as_a_take_of_its_card(client: TestClient, db: Database) -> None:
    page = client.get(begin(client, mode="spoken")).text
    assert 'data-mode="spoken"' in page
    with db.read() as conn:
        card = conn.scalar(select(t.asked.c.card_id))
    assert f'data-sound="/drill/{card}/sound"' in page
    take = field(page, "take")
    head = {"content-type": "audio/webm"}
    kept = client.post(
        f"/drill/{card}/sound",
        params={"take": take, "offset": 0},
        content=b"\x1aE\xdf\xa3" + bytes(99),
        headers=head,
    )
    assert kept.json() == {"size": 103}


def test_ticks_outlive_enter_in_a_checkbox(client: TestClient, clock: MovableClock) -> None:
    at = step(client.get(begin(client)).text)
    send(client, f"{at}/start")
    clock.advance(seconds=60)
    send(client, f"{at}/finish")
    assert re.search(r'value="p2"\s+checked', send(client, f"{at}/ticks", point=["p2", "nonsense"]))


def test_a_typed_answer_stands_beside_the_points_and_in_the_report(
    client: TestClient, clock: MovableClock
) -> None:
    where = begin(client, mode="typed")
    at = step(client.get(where).text)
    assert "<textarea" in send(client, f"{at}/start")
    clock.advance(seconds=60)
    assert "divide by &lt;root&gt; d k" in send(client, f"{at}/finish", text="divide by <root> d k\n")
    send(client, f"{at}/rate", grade=1)
    assert "divide by &lt;root&gt; d k" in send(client, f"{where}/end")


def test_the_report_has_what_was_missed_and_one_click_calls_it_into_today(
    client: TestClient, clock: MovableClock, db: Database
) -> None:
    where = begin(client)
    answered(client, clock, client.get(where).text, 2, point="p1")
    report = send(client, f"{where}/end")
    assert "<b>Missed:</b> the scale" in report
    assert "1 of 2" in report
    assert "today&#39;s queue" in report or "today's queue" in report
    called = send(client, f"{where}/today")
    assert "2 cards are in today" in called  # the open question counts as skipped
    assert "due today" in called
    assert "Put them into" not in called
    assert "already" in send(client, f"{where}/today")
    with db.read() as conn:
        assert conn.scalars(select(t.event.c.kind)).all() == ["drill", "reschedule", "reschedule"]
        assert study.replay(conn) == ()


def test_new_cards_that_were_skipped_are_called_into_today_too(client: TestClient, db: Database) -> None:
    where = begin(client)
    page = client.get(where).text
    for _ in range(3):  # one to be said, two to be read
        page = send(client, f"{step(page)}/skip")
    assert "Put them into" in send(client, f"{where}/end")
    assert "2 cards are in today" in send(client, f"{where}/today")
    assert "Put them into" not in client.get(f"{where}/report").text
    with db.read() as conn:
        assert study.replay(conn) == ()
        states = conn.execute(select(t.card_state.c.state, t.card.c.queue).join(t.card)).all()
    assert states == [("learning", "study")] * 2  # pitches that were never said wait in the drill as they are


def test_the_report_asks_an_estimate_with_the_numbers_that_were_drawn_for_it(
    client: TestClient, settings: Settings, db: Database
) -> None:
    load(settings, db, ESTIMATE)
    where = begin(client, deck="attention/test", level="IC5")
    title = re.search(r"<title>([^<]*numbers take[^<]*)</title>", client.get(where).text)
    assert title
    assert f"<h3>{title[1].removesuffix(' · Aloud')}</h3>" in send(client, f"{where}/end")


def test_a_card_that_is_not_due_is_noted_and_keeps_its_schedule(
    client: TestClient, clock: MovableClock, db: Database
) -> None:
    for key in range(2):
        where = begin(client, deck="read")
        page = client.get(where).text
        at = step(page)
        send(client, f"{at}/start")
        clock.advance(seconds=60)
        review = send(client, f"{at}/finish")
        assert ("not due: stays" in review) == (key == 1)
        send(client, f"{at}/rate", grade=4)
        send(client, f"{where}/end")
        with db.write() as conn:  # only this card is left to be asked
            card = conn.scalars(select(t.event.c.card_id)).first()
            conn.execute(update(t.card).where(t.card.c.id != card).values(retired_at=clock()))
    with db.read() as conn:
        assert conn.scalars(select(t.event.c.kind).order_by(t.event.c.id)).all() == ["review", "cram"]
        assert study.replay(conn) == ()


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"level": "IC9"}, "There is no level"),
        ({"minutes": 7}, "10, 20, 30 or 45 minutes"),
        ({"mode": "sung"}, "spoken, typed or quiet"),
        ({"deck": "no/deck"}, "There is no deck"),
        ({"level": "eli5"}, "No card of this level"),
    ],
)
def test_what_cannot_be_chosen_is_a_sentence_on_the_form(
    client: TestClient, db: Database, form: dict[str, object], sentence: str
) -> None:
    sent = client.post("/mock", data={"key": "k", "level": "IC4", "minutes": 20, "mode": "quiet", **form})
    assert sent.status_code == 422
    assert sentence in sent.text
    assert "Start the interview" in sent.text
    assert count(db, "interview") == 0


def test_an_interview_that_is_not_there_is_a_sentence(client: TestClient) -> None:
    for path in ("/mock/77", "/mock/77/report"):
        assert client.get(path).status_code == 404
    assert client.post("/mock/77/1/rate", data={"grade": 3}).status_code == 404
    where = begin(client)
    assert client.post(f"{where}/9/rate", data={"grade": 3}).status_code == 303
    assert client.post(f"{where}/1/rate", data={"grade": 3}).status_code == 422  # nothing was said yet

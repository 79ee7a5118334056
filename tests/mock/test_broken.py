"""What learners ran into: a question that should not come, one that nobody recorded, a report that told too little."""

import re

from sqlalchemy import select, update
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.settings import Settings
from tests.conftest import MovableClock
from tests.mock.forms import answered, begin, send, step
from tests.study.test_drawn import ESTIMATE, load


def test_a_suspended_card_is_not_asked_as_a_follow_up(client: TestClient, clock: MovableClock) -> None:
    page = client.get(begin(client)).text
    assert client.patch("/api/v1/study/cards/harder/marks", json={"suspended": True}).status_code == 200
    assert "question harder" not in answered(client, clock, page, 3)


def test_a_card_that_is_suspended_while_the_interview_runs_is_asked_no_more(
    client: TestClient, db: Database
) -> None:
    where = begin(client, deck="read")
    with db.read() as conn:
        drawn = conn.scalars(select(t.interview.c.drawn)).one()
    client.patch(f"/api/v1/study/cards/{drawn[1]}/marks", json={"suspended": True})
    assert f"question {drawn[2]}" in send(client, f"{step(client.get(where).text)}/skip")


def test_each_question_waits_for_start_until_one_was_started(client: TestClient, clock: MovableClock) -> None:
    """Start is where the browser is asked for the microphone: who skips the first one would speak to nobody."""
    page = send(client, f"{step(client.get(begin(client, mode='spoken')).text)}/skip")
    assert "Question 2" in page
    assert "data-elapsed-ms" not in page
    send(client, f"{step(page)}/start")
    clock.advance(seconds=20)
    assert 'data-elapsed-ms="-15000"' in send(client, f"{step(page)}/skip")


def test_the_report_tells_of_a_rating_that_was_taken_back(
    client: TestClient, clock: MovableClock, db: Database
) -> None:
    where = begin(client)
    page = answered(client, clock, client.get(where).text, 2)  # to be said
    answered(client, clock, page, 2)  # to be read
    assert "taken this rating back" not in send(client, f"{where}/end")
    with db.read() as conn:
        said, read = conn.scalars(select(t.event.c.id).order_by(t.event.c.id)).all()
    send(client, "/drill/undo", event=said)
    assert client.get(f"{where}/report").text.count("You have taken this rating back since.") == 1
    assert client.post("/api/v1/study/undo", json={"event": read}).status_code == 200
    assert client.get(f"{where}/report").text.count("You have taken this rating back since.") == 2
    assert client.post("/api/v1/study/redo", json={"event": read}).status_code == 200
    assert client.get(f"{where}/report").text.count("You have taken this rating back since.") == 1


def test_the_report_of_an_interview_that_is_not_over_leads_back_to_it(
    client: TestClient, clock: MovableClock
) -> None:
    where = begin(client)
    report = client.get(f"{where}/report").text
    assert "Nothing answered yet. 0:00 of 20:00 used." in report
    assert f'href="{where}">Go on with the interview' in report
    assert "Go on with" not in send(client, f"{where}/end")


def test_the_report_puts_one_card_or_several_into_todays_queue_and_leads_there(
    client: TestClient, clock: MovableClock
) -> None:
    where = begin(client, deck="read")
    page = send(client, f"{step(client.get(where).text)}/skip")
    assert "Put it into today" in client.get(f"{where}/report").text
    assert page
    report = send(client, f"{where}/end")
    assert "Put them into today" in report
    assert 'href="/">To today' in report


def test_a_page_without_scripts_says_that_nothing_is_recorded(client: TestClient) -> None:
    assert "Without scripts nothing is recorded." in client.get(begin(client, mode="spoken")).text
    assert "Without scripts" not in client.get(begin(client, mode="quiet")).text


def test_space_is_not_written_on_the_finish_of_a_typed_answer(client: TestClient) -> None:
    """It writes a space there."""
    for mode, times in (("quiet", 3), ("typed", 2)):  # Start, Answer now, Finish
        assert client.get(begin(client, mode=mode)).text.count('data-key="space"') == times


def test_an_interview_that_ran_out_of_questions_says_so(client: TestClient) -> None:
    where = begin(client, deck="spoken")  # two pitches
    page = send(client, f"{step(client.get(where).text)}/skip")
    assert "Nothing was left to ask" not in client.get(f"{where}/report").text
    assert "Nothing was left to ask; choose more topics for more." in send(client, f"{step(page)}/skip")


def test_the_report_of_a_case_names_the_stage_of_each_point(
    client: TestClient, clock: MovableClock, db: Database
) -> None:
    points = [
        {"id": name, "text": name, "text_html": name, "hear": [], "doubt": [], "stage": stage}
        for name, stage in (("p1", "estimate"), ("p2", "failure"))
    ]
    with db.write() as conn:
        conn.execute(
            update(t.note).where(t.note.c.kind == "spoken").values(body={"time_s": 90, "points": points})
        )
    where = begin(client, deck="spoken")
    answered(client, clock, client.get(where).text, 2, point="p1")
    report = send(client, f"{where}/end")
    assert '<b>Missed:</b> p2 <span class="quiet report-stage">failure</span>' in report
    assert 'p1 <span class="quiet report-stage">estimate</span>' in report


def test_an_estimate_that_is_started_over_asks_with_the_same_numbers(
    client: TestClient, clock: MovableClock, settings: Settings, db: Database
) -> None:
    load(settings, db, ESTIMATE)
    where = begin(client, deck="attention/test", level="IC5")

    def asked(page: str) -> str:
        found = re.search(r"<title>([^<]*numbers take[^<]*) · Aloud</title>", page)
        assert found, page
        return found[1]

    page = client.get(where).text
    first = asked(page)
    for _ in range(2):
        send(client, f"{step(page)}/start")
        clock.advance(seconds=30)
        page = send(client, f"{step(page)}/again")
        assert asked(page) == first
    answered(client, clock, page, 3)
    assert f"<h3>{first}</h3>" in client.get(f"{where}/report").text
    with db.read() as conn:
        (detail,) = conn.scalars(select(t.event.c.detail)).all()
    assert str(detail["drawn"]["n"]) in first.replace(",", "")

"""Rounds through the real app: set, change, remove; what Today says; the eve; the debrief."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.db.engine import Database
from app.settings import Settings
from tests.conftest import MovableClock, add_cards
from tests.drill.forms import follow, hidden

FORM = {"name": "Kernels at Acme", "date": "2026-12-13", "level": "IC5", "minutes": "30"}


def add(client: TestClient, **changed: object) -> str:
    """Add a round; its address."""
    answer = client.post("/rounds", data={**FORM, **changed})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def text(client: TestClient, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text))


def test_without_a_date_the_page_teaches(client: TestClient) -> None:
    assert "No date yet" in text(client, "/rounds")
    assert "Set its date" in text(client, "/")


def test_a_round_has_its_plan_and_today_says_how_ready_one_is(client: TestClient, db: Database) -> None:
    add_cards(db, *(f"c{at}" for at in range(20)))
    add_cards(db, "pitch", queue="drill")
    add_cards(db, "deep", level="IC6")
    page = text(client, add(client))
    assert "in 14 days, Sunday 13 December 2026" in page
    assert "20 cards never seen and 1 pitch never said." in page
    assert "1 card above IC5 is left out." in page
    today = text(client, "/")
    assert "Kernels at Acme" in today
    assert "20 cards never seen" in today
    assert today.index("never seen") < today.index("recalls about")  # the forecast comes second
    listed = text(client, "/rounds")
    assert "Kernels at Acme" in listed


def test_what_does_not_fit_is_named_and_the_eve_brings_nothing_new(client: TestClient, db: Database) -> None:
    add_cards(db, *(f"c{at}" for at in range(60)))
    page = text(client, add(client, date="2026-12-02", minutes="5"))
    assert "do not fit into 5 minutes a day" in page
    assert "question c59" in page


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"date": "soon"}, "Give the day as year-month-day"),
        ({"date": "2026-11-28"}, "Choose a day from today on"),
        ({"date": "2036-11-28"}, "Choose a day from today on"),
        ({"minutes": "0"}, "Give whole minutes, from 5 to 480."),
        ({"minutes": "9" * 50}, "Give whole minutes"),
        ({"minutes": "٣٠"}, "Give whole minutes"),
        ({"level": "IC9"}, "Choose one of eli5"),
        ({"topic": "no/such"}, "no deck any more"),
        ({"name": "x" * 61}, "within 60 characters"),
    ],
)
def test_a_field_that_does_not_fit_is_told_beside_it(
    client: TestClient, changed: dict[str, str], sentence: str
) -> None:
    answer = client.post("/rounds", data={**FORM, **changed})
    assert answer.status_code == 422
    assert sentence in answer.text
    assert 'aria-invalid="true"' in answer.text or "topics" in sentence or "deck" in sentence
    assert "No date yet" in text(client, "/rounds")


def test_a_round_is_changed_and_removed(client: TestClient, db: Database) -> None:
    add_cards(db, "a", deck="attention/mask")
    add_cards(db, "b", deck="attention/heads")
    path = add(client)
    assert client.post(path, data={**FORM, "topic": "attention/mask", "name": ""}).status_code == 303
    page = client.get(f"{path}/edit").text
    assert 'value="attention/mask" checked' in page
    assert 'value="attention/heads">' in page
    assert "1 card never seen" in text(client, path)
    assert "Interview" in text(client, path)
    assert client.post(path, data={**FORM, "minutes": "1"}).status_code == 422
    assert client.post(f"{path}/remove").status_code == 303
    assert client.post(f"{path}/remove").status_code == 303
    assert client.get(path).status_code == 404
    assert client.post(path, data=FORM).status_code == 404
    assert "No date yet" in text(client, "/rounds")
    assert add(client) != path  # the address leads to no other round


def test_there_are_no_more_rounds_than_anybody_has(client: TestClient) -> None:
    for _ in range(20):
        add(client)
    answer = client.post("/rounds", data=FORM)
    assert answer.status_code == 422
    assert "There are 20 rounds already" in answer.text


def test_two_rounds_are_listed_by_date(client: TestClient, db: Database) -> None:
    add_cards(db, "a")
    add(client, name="Late", date="2026-12-30")
    add(client, name="Soon", date="2026-12-05")
    page = text(client, "/rounds")
    assert page.index("Soon") < page.index("Late")
    assert "Soon" in text(client, "/")
    assert "Late" not in text(client, "/")


def study(client: TestClient, grade: int) -> None:
    """Answer the next card."""
    shown = client.get("/api/v1/study/next").json()
    told = client.post("/api/v1/study/reveal", json={"showing": shown["showing"]}).json()
    body = {"ticket": told["ticket"], "revision": shown["revision"], "grade": grade, "ms": 4000}
    assert client.post("/api/v1/study/answers", json=body).status_code == 200


def test_the_share_stands_all_day_and_says_what_is_done(client: TestClient, db: Database) -> None:
    add_cards(db, *(f"c{at}" for at in range(20)))
    path = add(client)
    before = text(client, path)
    share = re.search(r"Today’s share: (\d+) new cards", before)
    assert share
    study(client, 4)
    after = text(client, path)
    assert f"Today’s share: {share[1]} new cards, 1 of them done." in after
    assert "19 cards never seen" in after


def test_the_sheet_for_the_eve_holds_what_slips_and_nothing_new(
    client: TestClient, db: Database, clock: MovableClock
) -> None:
    add_cards(db, "a", "b")
    path = add(client)
    assert "Nothing to repeat yet" in text(client, f"{path}/sheet")
    for _ in range(2):
        while client.get("/api/v1/study/next").json()["card"]:
            study(client, 4)
        clock.advance(days=10)
        study(client, 1)
        clock.advance(minutes=11)
    clock.advance(minutes=30)
    page = text(client, f"{path}/sheet")
    assert "What keeps slipping" in page
    assert "forgotten" in page
    assert "answer a" in page or "answer b" in page


def test_the_sheet_holds_what_was_met_on_the_same_day(client: TestClient, db: Database) -> None:
    """It knew only of days before: who had begun on the eve was told that there was nothing to repeat."""
    add_cards(db, "pitch", queue="drill")
    path = add(client, date="2026-11-30")
    take = hidden(client.get("/drill/pitch").text, "take")
    page = follow(client, "/drill/pitch/finish", take=take, spoken_ms=87_000)
    follow(client, "/drill/pitch/takes", take=hidden(page, "take"), grade=3, point=["p1"])
    page = text(client, f"{path}/sheet")
    assert "Nothing to repeat yet" not in page
    assert "last time 1 of 2 points" in page


def test_the_eve_promises_no_last_look_at_what_will_not_have_been_seen(
    client: TestClient, db: Database
) -> None:
    """From a day a week ago on, all the cards that no day has room for were to have one."""
    add_cards(db, *(f"c{at}" for at in range(60)))
    page = text(client, add(client, date="2026-11-30", minutes="30"))
    assert "60 cards of 60 are left for later" in page
    assert "More minutes" not in page, "there is no other day"
    assert "last look" not in page
    assert "have none" not in page
    assert re.search(r"today 0 0 0 0", page)


def test_drill_is_not_all_said_where_the_plan_leaves_pitches_out(client: TestClient, db: Database) -> None:
    add_cards(db, "pitch", queue="drill")
    add(client, date="2026-11-30")
    page = text(client, "/")
    assert "1 pitch never said" in page
    assert "All said" not in page


def test_what_was_asked_becomes_draft_cards_at_once(
    client: TestClient, clock: MovableClock, settings: Settings
) -> None:
    path = add(client)
    assert "still to come" in text(client, f"{path}/debrief")
    clock.advance(days=15)
    assert "What were you asked?" in text(client, "/")
    assert client.post(f"{path}/debrief", data={"asked": " \n "}).status_code == 422
    asked = "Why $\\sqrt{d_k}$?\n- Cost of $5 and `x\n\n2) Write a mask: {{now}} \\ <b>\nWhy $\\sqrt{d_k}$?"
    assert client.post(f"{path}/debrief", data={"asked": asked}).status_code == 303
    page = text(client, f"{path}/debrief")
    assert "What next" in page
    assert "Cost of $5 and `x" in page
    assert "Write a mask: {{now}} \\ &lt;b&gt;" in page
    assert "What were you asked?" not in text(client, "/")
    file = settings.own_decks / "debrief-2026-12-13.md"
    first = file.read_text(encoding="utf-8")
    assert first.count("\nQ: ") == 3
    assert "level: IC5\ntags: draft, asked" in first
    assert client.get("/cards/asked-2026-12-13-1").status_code == 200
    assert "Still to be written" in client.get("/cards/asked-2026-12-13-1/edit").text
    assert client.post(f"{path}/debrief", data={"asked": f"{asked}\nOne more?"}).status_code == 303
    second = file.read_text(encoding="utf-8")
    assert second.startswith(first.rstrip())
    assert second.count("\nQ: ") == 4
    assert client.get("/cards/asked-2026-12-13-4").status_code == 200


def test_nothing_to_add_ends_the_question(client: TestClient, clock: MovableClock) -> None:
    path = add(client)
    clock.advance(days=15)
    assert client.post(f"{path}/debrief", data={"nothing": "yes"}).status_code == 303
    assert "What were you asked?" not in text(client, "/")


def test_a_file_that_cannot_be_read_loses_nothing_that_was_typed(
    client: TestClient, clock: MovableClock, settings: Settings
) -> None:
    path = add(client)
    clock.advance(days=15)
    file: Path = settings.own_decks / "debrief-2026-12-13.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"\xff\xfe")
    answer = client.post(f"{path}/debrief", data={"asked": "What is a mask?"})
    assert answer.status_code == 409
    assert "What is a mask?" in answer.text
    assert "not UTF-8" in answer.text
    assert file.read_bytes() == b"\xff\xfe"

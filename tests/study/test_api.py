"""/api/v1/study as the issue has it, and every wrong input answered with a sentence."""

from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import func, select, update
from starlette.testclient import TestClient

from app.accounts.learner import Learner, LearnerId
from app.db import tables as t
from app.db.engine import Database
from app.study import service, tickets
from tests.conftest import MovableClock, add_cards

API = "/api/v1/study"


def shown(client: TestClient) -> dict[str, Any]:
    response = client.get(f"{API}/next")
    assert response.status_code == 200
    return dict(response.json())


def revealed(client: TestClient) -> tuple[dict[str, Any], dict[str, Any]]:
    card = shown(client)
    response = client.post(f"{API}/reveal", json={"showing": card["showing"]})
    assert response.status_code == 200, response.text
    return card, response.json()


def graded(client: TestClient, grade: int = 3, ms: int = 4000) -> dict[str, Any]:
    card, answer = revealed(client)
    body = {"ticket": answer["ticket"], "revision": card["revision"], "grade": grade, "ms": ms}
    response = client.post(f"{API}/answers", json=body)
    assert response.status_code == 200, response.text
    return dict(response.json())


def events(db: Database) -> int:
    with db.read() as conn:
        return conn.scalar(select(func.count()).select_from(t.event)) or 0


def test_an_evening(client: TestClient, db: Database, clock: MovableClock) -> None:
    add_cards(db, "a", "b")
    first = shown(client)
    assert first["card"] == {
        "id": "a",
        "deck": "test/deck",
        "kind": "question",
        "level": "IC4",
        "tags": [],
        "asks": "",
        "question": "question a",
        "question_html": "<p>question a</p>",
        "sentences": [],
        "fields": [],
    }
    assert "answer a" not in str(first)
    card, answer = revealed(client)
    assert answer["answer"] == "<p>answer a</p>"
    assert [(i["grade"], i["name"], i["seconds"]) for i in answer["intervals"]] == [
        (1, "Again", 60),
        (2, "Hard", 330),
        (3, "Good", 600),
        (4, "Easy", None),
    ]
    assert answer["intervals"][3]["days"] >= 5
    body = {"ticket": answer["ticket"], "revision": card["revision"], "grade": 3, "ms": 4000}
    given = client.post(f"{API}/answers", json=body).json()
    assert (given["card"], given["grade"], given["interval"]) == ("a", 3, "10 min")
    assert given["state"]["due_at"] == "2026-11-29T18:10:00Z"
    clock.advance(minutes=1)
    assert client.post(f"{API}/answers", json=body | {"grade": 1}).json() == given
    assert events(db) == 1
    assert shown(client)["counts"] == {"new": 1, "learning": 1, "review": 0}

    undone = client.post(f"{API}/undo", json={"event": given["event"]})
    assert (undone.json()["card"], undone.json()["state"]["state"]) == ("a", "new")
    assert client.post(f"{API}/undo", json={"event": given["event"]}).json() == undone.json()
    assert given["undone"] is False
    assert client.post(f"{API}/answers", json=body).json() == given | {"undone": True}
    assert shown(client)["card"]["id"] == "a"
    assert shown(client)["counts"] == {"new": 2, "learning": 0, "review": 0}


def test_nothing_due(client: TestClient, db: Database) -> None:
    nothing = {
        "card": None,
        "showing": None,
        "revision": None,
        "counts": {"new": 0, "learning": 0, "review": 0},
        "next_due": None,
    }
    assert shown(client) == nothing
    add_cards(db, "a")
    graded(client, 3)
    waiting = shown(client)
    assert (waiting["card"], waiting["next_due"]) == (None, "2026-11-29T18:10:00Z")


def test_the_preview_is_the_result(client: TestClient, db: Database, clock: MovableClock) -> None:
    add_cards(db, *"abcdef")
    for grade in (1, 2, 3, 4, 3, 3):
        card, answer = revealed(client)
        body = {"ticket": answer["ticket"], "revision": card["revision"], "grade": grade, "ms": 1}
        given = client.post(f"{API}/answers", json=body).json()
        assert given["interval"] == answer["intervals"][grade - 1]["words"]
        clock.advance(days=grade)


def test_one_deck(client: TestClient, db: Database) -> None:
    add_cards(db, "a")
    add_cards(db, "b", deck="other/deck")
    assert client.get(f"{API}/next", params={"deck": "other/deck"}).json()["card"]["id"] == "b"
    missing = client.get(f"{API}/next", params={"deck": "no/deck"})
    assert (missing.status_code, missing.json()["detail"]) == (
        404,
        "There is no deck 'no/deck'. The Cards page lists all there are.",
    )


def test_a_grade_needs_a_reveal(client: TestClient, db: Database) -> None:
    add_cards(db, "a")
    card = shown(client)
    body = {"ticket": card["showing"], "revision": card["revision"], "grade": 3, "ms": 1}
    response = client.post(f"{API}/answers", json=body)
    assert response.status_code == 422
    assert "Reveal the card again" in response.json()["detail"]
    assert events(db) == 0


def test_answered_or_edited_elsewhere(client: TestClient, db: Database) -> None:
    add_cards(db, "a", "b")
    card, answer = revealed(client)
    graded(client)
    body = {"ticket": answer["ticket"], "revision": card["revision"], "grade": 3, "ms": 1}
    assert client.post(f"{API}/answers", json=body).status_code == 409
    assert client.post(f"{API}/reveal", json={"showing": card["showing"]}).status_code == 409
    card, answer = revealed(client)
    with db.write() as conn:
        conn.execute(update(t.note).where(t.note.c.key == "b").values(revision=2))
    body = {"ticket": answer["ticket"], "revision": card["revision"], "grade": 3, "ms": 1}
    response = client.post(f"{API}/answers", json=body)
    assert (response.status_code, response.json()["detail"]) == (409, service.STALE)
    fresh = shown(client)["revision"]
    assert client.post(f"{API}/answers", json=body | {"revision": fresh}).status_code == 409
    assert events(db) == 1


def test_a_ticket_of_somebody_else(
    client: TestClient, db: Database, app: FastAPI, clock: MovableClock
) -> None:
    add_cards(db, "a")
    other = Learner(LearnerId(2), "UTC", 4)
    with db.read() as conn:
        found = service.next_card(conn, other, clock())
    assert isinstance(found, service.Showing)
    note = tickets.show(found.card, other, clock())
    ticket = tickets.sign(app.state.parts.signer, "ticket", note)
    response = client.post(
        f"{API}/answers", json={"ticket": ticket, "revision": note.revision, "grade": 3, "ms": 1}
    )
    assert response.status_code == 422
    assert events(db) == 0


def test_a_spoken_cards_answer_can_be_undone_here(
    client: TestClient, db: Database, learner: Learner, clock: MovableClock
) -> None:
    add_cards(db, "pitch", queue="drill")
    with db.write() as conn:
        said = service.answer_spoken(
            conn, learner, clock(), card_id="pitch", grade=3, ms=9, idem="take:1", detail={}
        )
    response = client.post(f"{API}/undo", json={"event": said.event})
    assert (response.status_code, response.json()["state"]["state"]) == (200, "new")


def test_an_older_answer_is_refused(client: TestClient, db: Database, clock: MovableClock) -> None:
    add_cards(db, "a")
    first = graded(client, 1)
    clock.advance(minutes=2)
    graded(client, 1)
    response = client.post(f"{API}/undo", json={"event": first["event"]})
    assert response.status_code == 409
    assert "Undo that one first" in response.json()["detail"]


GOOD = {"ticket": "x", "revision": "0.1", "grade": 3, "ms": 1}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("reveal", {}, 422),
        ("reveal", {"showing": None}, 422),
        ("reveal", {"showing": ""}, 422),
        ("reveal", {"showing": "forged.text"}, 422),
        ("reveal", {"showing": "\ud800"}, 422),
        ("reveal", {"showing": "x" * 100_000}, 422),
        ("reveal", {"showing": "x", "more": 1}, 422),
        ("reveal", [], 422),
        ("reveal", None, 422),
        ("answers", {}, 422),
        ("answers", GOOD, 422),
        ("answers", GOOD | {"grade": 0}, 422),
        ("answers", GOOD | {"grade": 5}, 422),
        ("answers", GOOD | {"grade": True}, 422),
        ("answers", GOOD | {"grade": "3"}, 422),
        ("answers", GOOD | {"grade": None}, 422),
        ("answers", GOOD | {"ms": "soon"}, 422),
        ("answers", GOOD | {"ms": 10**40}, 422),
        ("answers", GOOD | {"revision": 7}, 422),
        ("undo", {}, 422),
        ("undo", {"event": 1}, 404),
        ("undo", {"event": 0}, 422),
        ("undo", {"event": -1}, 422),
        ("undo", {"event": 10**40}, 422),
        ("undo", {"event": "1"}, 422),
        ("undo", {"event": 1.5}, 422),
    ],
)
def test_wrong_input_gets_a_sentence(client: TestClient, path: str, body: object, status: int) -> None:
    import json

    response = client.post(
        f"{API}/{path}", content=json.dumps(body), headers={"Content-Type": "application/json"}
    )
    assert response.status_code == status, response.text
    detail = response.json()["detail"]
    assert isinstance(detail, str)
    assert detail.endswith(".")
    assert len(detail) < 300


def test_bodies_that_are_no_json(client: TestClient) -> None:
    for content in (b"", b"{", b"\xff\xfe", b"grade=3", b'{"event": ' + b"9" * 5000 + b"}"):
        for path in ("reveal", "answers", "undo"):
            response = client.post(
                f"{API}/{path}", content=content, headers={"Content-Type": "application/json"}
            )
            assert 400 <= response.status_code < 500, (path, content[:20], response.text)
            assert isinstance(response.json()["detail"], str)


@pytest.mark.parametrize(("ms", "kept"), [(-5, 0), (10**15, 60_000)])
def test_odd_times_are_capped(client: TestClient, db: Database, ms: int, kept: int) -> None:
    add_cards(db, "a")
    graded(client, ms=ms)
    with db.read() as conn:
        assert conn.scalar(select(t.event.c.ms)) == kept


def test_openapi_describes_the_room(client: TestClient) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    every_write = {"403", "411", "413", "415"}
    assert set(paths[f"{API}/answers"]["post"]["responses"]) == {"200", "404", "409", "422"} | every_write
    assert {f"{API}/{name}" for name in ("next", "reveal", "answers", "undo")} <= set(paths)


def test_marks_undo_and_redo(client: TestClient, db: Database) -> None:
    add_cards(db, "a", "b")
    marks = client.patch("/api/v1/study/cards/a/marks", json={"suspended": True, "note": "why?"})
    assert marks.json() == {
        "card": "a",
        "buried": False,
        "suspended": True,
        "flagged": False,
        "note": "why?",
        "leech": False,
        "lapses": 0,
    }
    assert client.get("/api/v1/study/cards/a/marks").json() == marks.json()
    assert client.get("/api/v1/study/next").json()["card"]["id"] == "b"
    for event in (2, 1):
        assert client.post("/api/v1/study/undo", json={"event": event}).json()["card"] == "a"
    assert client.get("/api/v1/study/next").json()["card"]["id"] == "a"
    assert client.post("/api/v1/study/redo", json={"event": 2}).status_code == 409
    for event in (1, 2):
        assert client.post("/api/v1/study/redo", json={"event": event}).status_code == 200
    assert client.get("/api/v1/study/cards/a/marks").json() == marks.json()


@pytest.mark.parametrize(
    ("card", "body", "status"),
    [
        ("nope", {"flagged": True}, 404),
        ("a", {"flagged": "yes"}, 422),
        ("a", {"note": "x" * 2001}, 422),
        ("a", {"starred": True}, 422),
    ],
)
def test_marks_that_do_not_fit(
    client: TestClient, db: Database, card: str, body: dict[str, object], status: int
) -> None:
    add_cards(db, "a")
    assert client.patch(f"/api/v1/study/cards/{card}/marks", json=body).status_code == status


def test_a_cram_by_api(client: TestClient, db: Database) -> None:
    add_cards(db, "a", "b")
    begun = client.get("/api/v1/study/cram", params={"deck": "test/deck"}).json()
    assert begun == {"cram": 0, "cards": 2}
    chosen = {"deck": "test/deck", "cram": begun["cram"]}
    seen = []
    for grade in (1, 3, 4):
        shown = client.get("/api/v1/study/next", params=chosen).json()
        seen.append(shown["card"]["id"])
        told = client.post("/api/v1/study/reveal", json={"showing": shown["showing"]}).json()
        body = {"ticket": told["ticket"], "revision": shown["revision"], "grade": grade, "ms": 5}
        given = client.post("/api/v1/study/answers", json=body).json()
        assert (given["state"]["state"], given["interval"]) == ("new", "")
    assert seen[0] == seen[2] != seen[1]
    assert client.get("/api/v1/study/next", params=chosen).json()["card"] is None
    assert client.get("/api/v1/study/next").json()["counts"]["new"] == 2

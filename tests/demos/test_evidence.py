"""What a prediction is held against: the learner's own run where there is one, else a record, else nothing."""

from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from app.accounts.learner import Learner
from app.accounts.store import FIRST
from app.db.engine import Database
from app.demos import evidence
from app.demos.records import Records
from app.library.sync import sync
from app.settings import ROOT, Settings

LINE = "decode-alignment n_q=3 n_kv=6"
LEARNER = Learner(FIRST, "Pacific/Auckland", 4)
SHIPPED = Records(ROOT / "content" / "recorded")
MASK = {
    "id": "mask-bottom-right",
    "type": "mask",
    "title": "",
    "look_for": "",
    "role": "",
    "alt": "",
    "data": {"n_q": 3, "n_kv": 6, "align": "cells", "cells": [[0] * 6, [0] * 6, [1] * 6], "tiles": None},
}
DECK = (
    f"---\ndeck: mine/mask\ntitle: Mine\n---\nQ: Which keys?\nkind: predict\nA: These.\ndemo: {LINE}\n"
    "expect: mask-bottom-right.cells[0][3] = 1\nid: mine-mask\n"
)


def test_a_record_is_named_as_one(db: Database) -> None:
    with db.read() as conn:
        found = evidence.of_line(conn, SHIPPED, LEARNER, LINE)
    assert found is not None
    assert found.words.startswith("the recorded run on ")
    assert any(block["id"] == "mask-bottom-right" for block in found.blocks)


@pytest.mark.parametrize("line", [None, "", "no-such-demo", "decode-alignment n_q=many", "attention n_q=77"])
def test_where_nothing_ran_there_is_none(db: Database, line: str | None) -> None:
    with db.read() as conn:
        assert evidence.of_line(conn, SHIPPED, LEARNER, line) is None


def test_ones_own_run_marks_the_prediction(
    client: TestClient, worker, run, settings: Settings, db: Database
) -> None:
    (settings.content / "decks" / "mask.md").write_text(DECK, encoding="utf-8")
    assert sync(settings, db, datetime(2026, 11, 29, tzinfo=UTC)).errors == ()
    shown = client.get("/api/v1/study/next").json()
    said = {"mask-bottom-right.cells": "0001"}
    body = {"showing": shown["showing"], "said": said}
    before = client.post("/api/v1/study/reveal", json=body).json()["mark"]
    assert (before["verdict"], before["against"][:15]) == ("right", "what the card c")
    run("decode-alignment", n_q="3", n_kv="6")
    worker.serve(blocks=[MASK])
    said["mask-bottom-right.cells"] = "000000/000000/111111"
    after = client.post("/api/v1/study/reveal", json=body).json()["mark"]
    assert after["verdict"] == "right", after
    assert after["against"].startswith("your run on CPU, ")

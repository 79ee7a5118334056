"""An interview by plain forms alone, as a browser without scripts sends them."""

import re
from html import unescape

from sqlalchemy import func, select
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from tests.conftest import MovableClock


def field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, f"no field {name}"
    return unescape(found[1])


def begin(client: TestClient, **form: object) -> str:
    """Start an interview; its address."""
    key = field(client.get("/mock").text, "key")
    sent = client.post("/mock", data={"key": key, "level": "IC4", "minutes": 20, "mode": "quiet", **form})
    assert sent.status_code == 303, sent.text
    return sent.headers["location"]


def send(client: TestClient, path: str, **form: object) -> str:
    """Send a form, follow its 303s, and give the page they lead to."""
    sent = client.post(path, data=form)
    while sent.status_code == 303:
        sent = client.get(sent.headers["location"])
    assert sent.status_code == 200, sent.text
    return sent.text


def step(page: str) -> str:
    """The address of the open question."""
    found = re.search(r'action="(/mock/\d+/\d+)/', page)
    assert found, page
    return found[1]


def answered(client: TestClient, clock: MovableClock, page: str, grade: int = 2, **form: object) -> str:
    """Answer the open question in half a minute and rate it; the page that follows."""
    at = step(page)
    if "data-elapsed-ms" not in page:
        send(client, f"{at}/start")
    clock.advance(seconds=45)
    send(client, f"{at}/finish", **({"text": form.pop("text")} if "text" in form else {}))
    return send(client, f"{at}/rate", grade=grade, **form)


def count(db: Database, table: str) -> int:
    with db.read() as conn:
        return int(conn.scalar(select(func.count()).select_from(t.metadata.tables[table])) or 0)

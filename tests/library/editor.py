"""The editor as a browser without scripts uses it."""

import html
import re

from httpx2 import Response
from starlette.testclient import TestClient

from app.settings import Settings

MINE = "Q: What is mine?\nA: This.\nid: own-card\n\n"


def field(page: Response, name: str) -> str:
    if name == "text":
        found = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page.text, re.DOTALL)
    else:
        found = re.search(rf'name="{name}" value="([^"]*)"', page.text)
    assert found, f"no field {name}"
    return html.unescape(found[1])


def save(room: TestClient, card: str, change: dict[str, str], path: str = "edit") -> Response:
    """Open the editor, change the text, save it."""
    page = room.get(f"/cards/{card}/{path}")
    text = field(page, "text")
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    form = {"text": text.replace("\n", "\r\n"), "seen": field(page, "seen"), "base": field(page, "base")}
    return room.post(f"/cards/{card}/edit", data=form)


def own(settings: Settings, name: str = "mine.md") -> str:
    return (settings.own_decks / name).read_text()


def question(room: TestClient, card: str) -> str:
    return str(room.get(f"/api/v1/cards/{card}").json()["question"])

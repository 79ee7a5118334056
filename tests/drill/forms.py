"""The drill's pages as a browser without scripts uses them: hidden fields, and forms whose answer leads on."""

import re
from html import unescape

from starlette.testclient import TestClient


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, f"no field {name}"
    return unescape(found[1])


def follow(client: TestClient, path: str, **form: object) -> str:
    """Send a form, follow its 303, and give the page it leads to."""
    sent = client.post(path, data=form)
    assert sent.status_code == 303, sent.text
    page = client.get(sent.headers["location"])
    assert page.status_code == 200, page.text
    return page.text

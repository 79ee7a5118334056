"""Below /aloud every link leads back below /aloud, whether the proxy strips the prefix or not."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings


@pytest.fixture
def below(settings: Settings, _schema: Path) -> Iterator[TestClient]:
    its = settings.model_copy(update={"root_path": "/aloud"})
    its.data.mkdir(parents=True, exist_ok=True)
    its.database.write_bytes(_schema.read_bytes())
    with TestClient(create_app(its), base_url="http://localhost", follow_redirects=False) as client:
        yield client


@pytest.mark.parametrize("prefix", ["/aloud", ""])
def test_pages_and_files_are_found_with_and_without_the_prefix(below: TestClient, prefix: str) -> None:
    page = below.get(f"{prefix}/cards")
    assert page.status_code == 200
    assert below.head(f"{prefix}/cards").status_code == 200
    links = re.findall(r'(?:href|src|action)="(/[^"]*)"', page.text)
    assert links
    assert [link for link in links if not link.startswith("/aloud/")] == []
    sheet = next(link for link in links if link.endswith(".css"))
    assert below.get(sheet.removeprefix("/aloud") if not prefix else sheet).status_code == 200


def test_a_redirect_stays_below_the_prefix(below: TestClient) -> None:
    assert below.post("/theme", data={"theme": "dark"}).headers["location"] == "/aloud/"


def test_a_path_that_only_begins_alike_is_not_ours(below: TestClient) -> None:
    assert below.get("/aloudly/cards").status_code == 404

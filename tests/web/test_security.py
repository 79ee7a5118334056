"""What every request must pass, whatever the page: the host's name, and where a writing request comes from."""

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from app.web.security import CSP, host_name


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST:1"])
def test_the_names_of_this_machine_are_served(client: TestClient, host: str) -> None:
    assert client.get("/api/v1/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "", "[::1"])
def test_a_name_that_was_rebound_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/api/v1/health", headers={"Host": host})
    assert answer.status_code == 400
    assert "ALOUD_ALLOWED_HOSTS" in answer.text


@pytest.mark.usefixtures("app")  # for its database
@pytest.mark.parametrize("host", ["127.0.0.2", "Box.lan", "[fe80::1]"])
def test_the_host_listened_on_and_the_allowed_ones_are_served(settings: Settings, host: str) -> None:
    for given in ({"host": host}, {"allowed_hosts": host}):
        its = Settings(data=settings.data, content=settings.content, **given)
        with TestClient(create_app(its), base_url="http://localhost") as client:
            answer = client.get("/api/v1/health", headers={"Host": f"{host}:8000"})
        assert answer.status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({"Sec-Fetch-Site": "none"}, 303),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://localhost"}, 303),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost:9"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://["}, 403),
        ({}, 303),  # a program, not a page
    ],
)
def test_writing_from_another_site_is_refused(
    client: TestClient, headers: dict[str, str], status: int
) -> None:
    assert client.post("/theme", data={"theme": "dark"}, headers=headers).status_code == status


def test_reading_from_another_site_is_a_plain_link(client: TestClient) -> None:
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_every_answer_bears_the_policy(client: TestClient) -> None:
    for path in ("/", "/nowhere", "/api/v1/health", "/api/v1/nowhere"):
        assert client.get(path).headers["content-security-policy"] == CSP
    assert "unsafe" not in CSP


def test_the_theme_leads_back_into_this_app_only(client: TestClient) -> None:
    def back(path: str) -> str:
        return client.post("/theme", data={"theme": "dark", "next": path}).headers["location"]

    assert back("/cards?q=mask") == "/cards?q=mask"
    for path in ("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "//[x"):
        assert back(path) == "/"


@pytest.mark.parametrize(
    ("host", "name"), [("[::1]:80", "::1"), ("A.b:1", "a.b"), ("[::1", ""), ("", ""), ("x", "x")]
)
def test_the_port_is_not_part_of_the_name(host: str, name: str) -> None:
    assert host_name(host) == name

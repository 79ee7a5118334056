"""Errors are sentences: as JSON below /api, as a page with the way out elsewhere."""

import re
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient


def test_an_unknown_page_says_so_with_the_navigation(client: TestClient) -> None:
    answer = client.get("/nowhere")
    assert answer.status_code == 404
    assert "There is nothing at this address" in answer.text
    assert 'href="/study"' in answer.text


def test_an_unknown_api_path_says_so_as_json(client: TestClient) -> None:
    answer = client.get("/api/v1/nowhere")
    assert answer.status_code == 404
    assert set(answer.json()) == {"detail"}


def test_a_fault_of_ours_is_told_without_its_insides(app: FastAPI) -> None:
    @app.get("/api/v1/broken")
    def broken() -> None:
        raise RuntimeError("secret detail")

    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        answer = client.get("/api/v1/broken")
    assert answer.status_code == 500
    assert "secret detail" not in answer.text
    assert "Nothing you had saved is lost" in answer.json()["detail"]


def test_a_body_that_is_no_json_is_told_in_a_sentence(client: TestClient) -> None:
    answer = client.post("/api/v1/study/reveal", content="{", headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("The request's body is not valid JSON")


def test_an_unknown_field_is_named(client: TestClient) -> None:
    answer = client.post("/api/v1/study/reveal", json={"showing": "x", "shwoing": "y"})
    assert answer.status_code == 422
    assert "shwoing" in answer.json()["detail"]


def test_a_body_past_the_limit_is_refused_in_a_sentence(client: TestClient) -> None:
    answer = client.post("/api/v1/study/reveal", json={"showing": "x" * 3_000_000})
    assert answer.status_code == 413
    assert answer.json()["detail"].startswith("The request is larger than 2 MB")
    assert client.post("/theme", data={"theme": "x" * 3_000_000}).status_code == 413
    untold = client.post("/api/v1/study/reveal", content=iter([b"{}"]))
    assert untold.status_code == 411
    assert "Content-Length" in untold.json()["detail"]


@pytest.mark.parametrize("path", ["/drill/pitch/sound/file", "/settings/speech/test", "/cards/exchange"])
@pytest.mark.parametrize(
    "sent",
    [
        {"data": {"take": "t", "file": "text"}},
        {"data": {"take": "t", "file": "text"}, "files": {"other": ("a", b"b")}},
        {"data": {"take": "t"}, "files": {"file": ("", b"", "application/octet-stream")}},
        {"data": {"take": "t"}},
    ],
    ids=["text", "text in parts", "nothing chosen", "nothing"],
)
def test_an_upload_without_a_file_is_told_as_one(client: TestClient, path: str, sent: dict[str, Any]) -> None:
    answer = client.post(path, **sent)
    assert answer.status_code == 422
    assert re.search("No file (came|was chosen); choose one, then (send|import) it.", answer.text)


def test_json_nested_past_all_sense_is_told_in_a_sentence(client: TestClient) -> None:
    nested = "[" * 100_000 + "]" * 100_000
    answer = client.post("/api/v1/study/reveal", content=nested, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert "body" in answer.json()["detail"]

"""The API as it is promised: every path is in OpenAPI, and no input whatever makes a 500."""

import itertools
import json

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.conftest import add_cards

PROMISED = {
    ("get", "/api/v1/health"),
    ("get", "/api/v1/decks"),
    ("get", "/api/v1/cards"),
    ("get", "/api/v1/cards/{card_id}"),
    ("get", "/api/v1/study/next"),
    ("post", "/api/v1/study/reveal"),
    ("post", "/api/v1/study/answers"),
    ("post", "/api/v1/study/undo"),
    ("get", "/api/v1/demos"),
    ("post", "/api/v1/runs"),
    ("get", "/api/v1/runs/{run_id}"),
    ("get", "/api/v1/runs/{run_id}/events"),
    ("delete", "/api/v1/runs/{run_id}"),
}
ODD = (None, True, -1, 0, 10**30, 1.5, "", "x" * 70_000, "\x00", "\ud800", "é", [], [1], {}, {"a": []})
ODD_QUERIES = (
    "",
    "x",
    "-1",
    "0",
    "true",
    "1e999",
    "9" * 400,
    "%00",
    "%FF",
    "%ED%A0%80",
    "%E2%82",
    "..%2F",
    "%C3%A9" * 5000,
)
IS_JSON = {"Content-Type": "application/json"}


def routes(client: TestClient) -> dict[str, dict[str, dict[str, object]]]:
    return dict(client.get("/api/v1/openapi.json").json()["paths"])


def test_every_promised_path_is_in_openapi_with_words(client: TestClient) -> None:
    found = routes(client)
    assert {(m, p) for p, methods in found.items() for m in methods} >= PROMISED
    for method, path in PROMISED:
        assert found[path][method].get("description"), f"{method} {path} has no description"


def test_no_answer_is_an_empty_schema(client: TestClient) -> None:
    for path, methods in routes(client).items():
        for method, route in methods.items():
            statuses = route["responses"]
            assert isinstance(statuses, dict)
            assert {s for s in statuses if s.startswith("2")}, f"{method} {path} names no success"


def test_what_refuses_any_write_is_named_at_every_write_and_what_may_pass_by_at_a_claim(
    client: TestClient,
) -> None:
    found = routes(client)
    for path, methods in found.items():
        for method, route in methods.items():
            told = {"403", "411", "413", "415"} & set(route["responses"])  # type: ignore[call-overload]
            assert len(told) == (0 if method == "get" else 4), f"{method} {path} names {told}"
    assert "503" in found["/api/v1/worker/claim"]["post"]["responses"]  # type: ignore[operator]
    large = client.post("/api/v1/runs", content=b"x" * (2**21 + 1), headers=IS_JSON)
    foreign = client.post("/api/v1/runs", json={"demo": "kv-cache"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert (large.status_code, foreign.status_code) == (413, 403)


@pytest.fixture
def patient(app: FastAPI) -> TestClient:
    """A client to which a fault of the app is an answer, as it is to a browser."""
    add_cards(app.state.parts.db, "a", "b")
    return TestClient(app, base_url="http://localhost", raise_server_exceptions=False)


def bodies(route: dict[str, object], schemas: dict[str, dict[str, object]]) -> list[object]:
    """Bodies that fit the route's fields in name, with odd values, and bodies that fit in nothing."""
    body = route.get("requestBody")
    if not isinstance(body, dict):
        return [None]
    name = str(body["content"]["application/json"]["schema"]["$ref"]).rpartition("/")[2]
    fields = schemas[name]["properties"]
    assert isinstance(fields, dict)
    return [dict.fromkeys(fields, value) for value in ODD] + [[], "text", 5, {"unknown": 1}]


def test_no_input_makes_a_500(patient: TestClient) -> None:
    whole = patient.get("/api/v1/openapi.json").json()
    schemas = whole["components"]["schemas"]
    with patient:
        for path, methods in whole["paths"].items():
            for method, route in methods.items():
                for body, name in itertools.product(bodies(route, schemas), ("x", "%00", "..%2f", "9" * 400)):
                    shown = path
                    for part in route.get("parameters", []):
                        if part["in"] == "path":
                            shown = shown.replace(f"{{{part['name']}}}", name)
                    answer = patient.request(method, shown, content=json.dumps(body), headers=IS_JSON)
                    assert answer.status_code < 500, (method, shown, body, answer.text)
                    if answer.status_code >= 400:
                        assert isinstance(answer.json()["detail"], str), (method, shown, body)


def test_no_query_of_the_api_makes_a_500(patient: TestClient) -> None:
    asked = 0
    for path, methods in routes(patient).items():
        names = [p["name"] for p in methods.get("get", {}).get("parameters", []) if p["in"] == "query"]
        for name, value in itertools.product(names, ODD_QUERIES):
            answer = patient.get(f"{path}?{name}={value}")
            assert answer.status_code in (200, 401, 404, 422), (path, name, value, answer.text)
            asked += 1
    assert asked >= 7 * len(ODD_QUERIES)

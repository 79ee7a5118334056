"""Text that is no Unicode never makes a 500: not in a form, an address, a header or a body, whatever its charset."""

import json

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.web.errors import Invalid

FORMS = ("/demos/flash/runs", "/theme", "/zone", "/study/undo", "/study/answer", "/drill/x/takes")
CHARSETS = (
    "unicode_escape",
    "punycode",
    "idna",
    "utf-7",
    "utf-16-le",
    "undefined",
    "rot13",
    "x" * 300,
    "a b",
    "",
)
VALUES = (rb"\ud800", rb"\x00", b"+2AA-", b"\xff\xfe\x00\xd8", b"-\x80", b"\xed\xa0\x80")
LONE = "\ud800"


@pytest.fixture
def patient(app: FastAPI) -> TestClient:
    """A client to which a fault of the app is an answer, as it is to a browser."""
    return TestClient(app, base_url="http://localhost", raise_server_exceptions=False, follow_redirects=False)


def part(name: bytes, value: bytes) -> bytes:
    return b'--b\r\nContent-Disposition: form-data; name="' + name + b'"\r\n\r\n' + value + b"\r\n--b--\r\n"


@pytest.mark.parametrize("charset", CHARSETS)
def test_a_form_in_another_charset_is_refused_in_a_sentence(patient: TestClient, charset: str) -> None:
    kind = f'multipart/form-data; boundary=b; charset="{charset}"'
    for value in VALUES:
        for body in (part(b"n_q", value), part(value, b"1")):
            answer = patient.post("/demos/flash/runs", content=body, headers={"Content-Type": kind})
            assert answer.status_code == 415, (value, answer.text)
            assert "UTF-8" in answer.text


@pytest.mark.parametrize("charset", ["", "; charset=utf-8", '; charset="UTF-8"', "; charset=utf8"])
def test_a_form_in_utf_8_is_read_whatever_its_bytes(patient: TestClient, charset: str) -> None:
    for path in FORMS:
        for value in VALUES:
            for kind, body in (
                ("multipart/form-data; boundary=b", part(b"n_q", value)),
                ("multipart/form-data; boundary=b", part(value, b"1")),
                ("application/x-www-form-urlencoded", b"n_q=" + value),
                ("application/x-www-form-urlencoded", value + b"=1"),
                ("application/x-www-form-urlencoded", b"n_q=%ED%A0%80&theme=%FF&zone=%ED%A0%80"),
            ):
                answer = patient.post(path, content=body, headers={"Content-Type": kind + charset})
                assert answer.status_code < 500, (path, value, kind, answer.text)


def test_a_lone_surrogate_in_json_is_refused_in_a_sentence(patient: TestClient) -> None:
    token = patient.app.state.parts.settings.worker_token()  # type: ignore[attr-defined]
    end = {"worker": "w", "attempt": 1, "outcome": "done"}
    for path, body in (
        ("/api/v1/runs", {"demo": LONE}),
        ("/api/v1/runs", {"demo": "flash", LONE: 1}),
        ("/api/v1/runs", {"demo": "flash", "params": {LONE: 1}}),
        ("/api/v1/runs", {"demo": "flash", "params": {"n_q": LONE}}),
        ("/api/v1/runs", {"demo": "flash", "params": {"dtype": [LONE]}}),
        ("/api/v1/study/reveal", {"showing": LONE}),
        ("/api/v1/worker/announce", {"worker": LONE, "state": "ready"}),
        ("/api/v1/worker/jobs/x/finish", {**end, "result": {"a": LONE}}),
        ("/api/v1/worker/jobs/x/finish", {**end, "result": {LONE: 1}}),
    ):
        answer = patient.post(
            path,
            content=json.dumps(body),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
        )
        assert answer.status_code in (404, 409, 422), (path, body, answer.text)
        assert isinstance(answer.json()["detail"], str)


@pytest.mark.parametrize(
    "path", ["/demos/flash?n_q=%ED%A0%80", "/demos/%ED%A0%80", "/cards?q=%ED%A0%80", "/%FF"]
)
def test_an_address_that_is_no_unicode_gets_a_page(patient: TestClient, path: str) -> None:
    assert patient.get(path).status_code in (200, 404, 422)


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("Origin", b"http://[", 403),
        ("Origin", b"http://[\xff]", 403),
        ("Content-Length", b"9" * 5000, 413),
        ("Content-Type", b"\xff\xfe", 422),
        ("Cookie", b"aloud-theme=\xed\xa0\x80", 303),
        ("Idempotency-Key", b"\xed\xa0\x80", 303),
    ],
)
def test_a_header_that_cannot_be_read_is_no_fault_of_ours(
    patient: TestClient, name: str, value: bytes, status: int
) -> None:
    kind = {} if name == "Content-Type" else {"Content-Type": "application/x-www-form-urlencoded"}
    headers = {**{k.encode(): v.encode() for k, v in kind.items()}, name.encode(): value}
    assert patient.post("/theme", content=b"theme=dark", headers=headers).status_code == status


def test_a_sentence_that_repeats_a_lone_surrogate_can_be_sent(app: FastAPI) -> None:
    def refuse() -> None:
        raise Invalid(f"There is no {LONE}.")

    app.get("/api/v1/refuse")(refuse)
    app.get("/refuse")(refuse)
    with TestClient(app, base_url="http://localhost") as client:
        assert client.get("/api/v1/refuse").json()["detail"] == "There is no \\ud800."
        assert "There is no \\ud800." in client.get("/refuse").text

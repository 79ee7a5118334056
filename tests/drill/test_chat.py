"""The judge's endpoint over real HTTP: whatever it answers, an answer or one sentence, within time and size."""

import asyncio
import time

import pytest

from app.drill.judge import chat
from app.drill.judge.chat import Judge, NoAnswer, ask
from tests.drill.judge_stand_in import StandIn, stand_in
from tests.house import free_port

BODY = {"model": "m", "messages": []}


def judge(server: StandIn, key: str = "") -> Judge:
    return Judge("box", server.url, "m", key)


def test_the_answer_comes_and_the_key_goes_as_a_bearer_token() -> None:
    with stand_in(lambda _: (200, b'{"choices": []}')) as server:
        assert asyncio.run(ask(judge(server, "k-1"), BODY)) == {"choices": []}
        assert asyncio.run(ask(judge(server), BODY)) == {"choices": []}
    first, second = server.headers
    assert (first["path"], first["Authorization"]) == ("/v1/chat/completions", "Bearer k-1")
    assert "Authorization" not in second
    assert server.asked == [BODY, BODY]


@pytest.mark.parametrize(
    ("status", "told", "said"),
    [
        (401, b"{}", "does not take this server's key (401): check it in ALOUD_ENDPOINT_KEYS."),
        (403, b"{}", "does not take this server's key (403)"),
        (404, b"not found", "knows no such address or model (404)"),
        (429, b"{}", "is asked too much just now (429)"),
        (302, b"", "sends on to another address (302), which is not followed"),
        (500, b"<html>", "an error of its own (500)"),
        (503, b"", "an error of its own (503)"),
        (200, b"<!doctype html><h1>Hello</h1>", "does not answer as a chat endpoint does"),
        (200, b'{"choices": [', "does not answer as a chat endpoint does"),
        (200, b"", "does not answer as a chat endpoint does"),
        (200, b"\xff\xfe", "does not answer as a chat endpoint does"),
        (200, b"[" * 100_000, "does not answer as a chat endpoint does"),
        (200, b" " * 5_000_000, "answers without end: more than 200 kB"),
    ],
)
def test_an_answer_that_is_none_is_a_sentence(status: int, told: bytes, said: str) -> None:
    with stand_in(lambda _: (status, told)) as server, pytest.raises(NoAnswer) as problem:
        asyncio.run(ask(judge(server), BODY))
    assert str(problem.value).startswith(f"The judge at 127.0.0.1:{server.port} ")
    assert said in str(problem.value)
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [400, 422])
def test_what_a_server_does_not_know_is_asked_for_more_plainly_once(status: int) -> None:
    plain = {"model": "m"}
    with stand_in(lambda body: (200, b"{}") if body == plain else (status, b"{}")) as server:
        assert asyncio.run(ask(judge(server), BODY, plain)) == {}
        with pytest.raises(NoAnswer, match=r"does not take the request .*: check the model 'm'"):
            asyncio.run(ask(judge(server), BODY, BODY))
    assert server.asked == [BODY, plain, BODY, BODY]


def test_a_slow_one_is_not_waited_for() -> None:
    with stand_in(lambda _: (200, b"{}")) as server:
        server.gate.clear()
        began = time.monotonic()
        with pytest.raises(NoAnswer, match=r"did not answer within 0\.3 seconds"):
            asyncio.run(ask(judge(server), BODY, limit_s=0.3))
        assert time.monotonic() - began < 5


def test_nobody_at_the_address_is_a_sentence() -> None:
    nobody = Judge("box", f"http://127.0.0.1:{free_port()}/v1", "m")
    with pytest.raises(NoAnswer, match="cannot be reached; see whether it runs there"):
        asyncio.run(ask(nobody, BODY))


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    with stand_in(lambda _: (200, b"{}")) as server:
        assert asyncio.run(ask(judge(server), BODY)) == {}


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.9/v1", True),
        ("http://[::1]:8000", True),
        ("http://gpu-box:8000/v1", False),
        ("https://api.example.org/v1", False),
    ],
)
def test_what_is_this_machine(url: str, here: bool) -> None:
    assert Judge("box", url, "m").on_loopback is here
    assert chat.LIMIT_S <= 60

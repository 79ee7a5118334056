"""Speech to text elsewhere, against a server within the test: what is sent to it, and whatever it may answer."""

import json
import re
import threading
import wave
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import numpy as np
import pytest

from app.worker.speech import endpoint
from app.worker.speech.endpoint import EndpointFailed, Remote
from app.worker.speech.words import Word
from tests.house import free_port

SOUND = np.sin(np.arange(2 * 16000) / 20).astype("float32")
WORDS = [{"word": " mask", "start": 0.5, "end": 0.9}, {"word": "first", "start": 1, "end": 1.4}]

Answer = Callable[[bytes], tuple[int, bytes]]


class Heard:
    """What the stand-in was sent."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.keys: list[str | None] = []
        self.bodies: list[bytes] = []

    def field(self, name: str, at: int = -1) -> str | None:
        found = re.search(rb'name="%s"\r\n\r\n([^\r]*)' % re.escape(name.encode()), self.bodies[at])
        return found and found[1].decode()


@contextmanager
def stand_in(answer: Answer, missing: int = 0) -> Iterator[tuple[Remote, Heard]]:
    """A server with an OpenAI-compatible API that answers as told; it promises `missing` bytes that never come."""
    heard = Heard()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.paths.append(self.path)
            heard.keys.append(self.headers.get("Authorization"))
            heard.bodies.append(body)
            status, said = answer(body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(said) + missing))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Remote("box", f"http://127.0.0.1:{server.server_port}/v1", "whisper-1", "sk-1"), heard
        finally:
            server.shutdown()
            thread.join()


def hear(answer: Answer) -> tuple[tuple[Word, ...], Heard]:
    with stand_in(answer) as (remote, heard):
        return endpoint.hear(remote, SOUND, "Um, softmax.", "en"), heard


def saying(**body: object) -> Answer:
    return lambda _: (200, json.dumps(body).encode())


def test_it_is_sent_a_wav_with_what_the_api_asks_for() -> None:
    words, heard = hear(saying(text="mask first", words=WORDS))
    assert words == (Word(500, 900, "mask"), Word(1000, 1400, "first"))
    assert (heard.paths, heard.keys) == (["/v1/audio/transcriptions"], ["Bearer sk-1"])
    fields = ("model", "language", "prompt", "response_format", "timestamp_granularities[]")
    assert [heard.field(name) for name in fields] == [
        "whisper-1",
        "en",
        "Um, softmax.",
        "verbose_json",
        "word",
    ]
    (sound,) = re.findall(rb"Content-Type: audio/wav\r\n\r\n(.*?)\r\n--", heard.bodies[0], re.DOTALL)
    with wave.open(BytesIO(sound)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getnframes()) == (16000, 1, len(SOUND))


def test_one_that_knows_no_word_times_is_asked_again_for_the_text_alone() -> None:
    def plain_only(body: bytes) -> tuple[int, bytes]:
        return (400, b"{}") if b"verbose_json" in body else (200, b'{"text": " mask first "}')

    words, heard = hear(plain_only)
    assert words == (Word(None, None, "mask first"),)
    assert [heard.field("response_format", at) for at in (0, 1)] == ["verbose_json", "json"]
    assert heard.field("timestamp_granularities[]") is None


@pytest.mark.parametrize(
    "odd",
    [
        None, [], "mask", [1], [{"word": "mask"}], [{"word": "mask", "start": 1, "end": 0.5}],
        [{"word": "mask", "start": -1, "end": 1}], [{"word": "mask", "start": 0, "end": 1e9}],
        [{"word": "mask", "start": 0, "end": float("nan")}], [*WORDS, {"word": 7, "start": 0, "end": 1}],
    ],
)  # fmt: skip
def test_where_its_times_make_no_sense_the_text_is_kept_without_them(odd: object) -> None:
    words, _ = hear(saying(text="mask first", words=odd))
    assert words == (Word(None, None, "mask first"),)


def test_text_that_is_no_unicode_is_kept_with_a_mark_in_place_of_what_is_none() -> None:
    odd = [{"word": "ma\ud800sk", "start": 0.5, "end": 0.9}]
    assert hear(saying(text="\ud800"))[0] == (Word(None, None, "\ufffd"),)
    assert hear(saying(text="mask", words=odd))[0] == (Word(500, 900, "ma\ufffdsk"),)


def test_nothing_heard_is_no_failure() -> None:
    assert hear(saying(text=""))[0] == ()


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, b"", "does not take the key that ALOUD_ENDPOINT_KEYS gives it"),
        (404, b"", "or no model whisper-1"),
        (413, b"", "finds the recording too large"),
        (429, b"", "asked too often"),
        (500, b"oops", "an error of its own \\(500\\)"),
        (302, b"", "sends on to another address \\(302\\)"),
        (400, b"never", "refuses the request \\(400\\): check the model whisper-1"),
        (200, b"<html>", "answers no transcript"),
        (200, b"[]", "answers no transcript"),
        (200, b'{"text": 7}', "answers no transcript"),
        (200, b"\xff\xfe", "answers no transcript"),
        (200, b"[" * 100_000, "answers no transcript"),
    ],
)
def test_a_refusal_or_a_broken_answer_ends_in_a_sentence(status: int, body: bytes, words: str) -> None:
    with pytest.raises(EndpointFailed, match=words) as failed:
        hear(lambda _: (status, body))
    assert str(failed.value).startswith("The endpoint box ")
    assert str(failed.value).endswith(".")


@pytest.mark.parametrize(
    "much",
    [
        {"text": "word " * 1_000_000},
        {"text": "", "words": [{"word": "w" * 1000, "start": 0, "end": 1}] * 1000},
        {"text": "", "words": [{"word": "w", "start": 0, "end": 1}] * 100_000},
    ],
    ids=["text", "long words", "many words"],
)
def test_more_than_anybody_says_is_told_as_such(much: dict[str, object]) -> None:
    with pytest.raises(EndpointFailed, match="more than can be read"):
        hear(saying(**much))


def test_an_answer_without_end_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "MOST_ANSWER", 1000)
    with pytest.raises(EndpointFailed, match="more than can be read"):
        hear(lambda _: (200, b"x" * 2000))


def test_one_that_is_not_there_or_says_nothing_ends_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EndpointFailed, match="cannot be reached"):
        endpoint.hear(Remote("box", f"http://127.0.0.1:{free_port()}/v1", "m"), SOUND, "", "en")
    monkeypatch.setattr(endpoint, "PATIENCE", 0.2)
    go = threading.Event()

    def late(_: bytes) -> tuple[int, bytes]:
        go.wait(30)
        return 200, b""

    with stand_in(late) as (remote, _):
        with pytest.raises(EndpointFailed, match="does not answer in time"):
            endpoint.hear(remote, SOUND, "", "en")
        go.set()


def test_an_answer_that_is_cut_off_is_not_told_as_one_that_never_came() -> None:
    """It was reached, and the sound is there; "cannot be reached" sent people to look at their network."""
    answer = saying(text="mask first")
    with stand_in(answer, missing=10) as (remote, _), pytest.raises(EndpointFailed, match="broke off"):
        endpoint.hear(remote, SOUND, "", "en")

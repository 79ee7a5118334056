"""Speech to text by a server with an OpenAI-compatible API: POST <base>/audio/transcriptions.

What it answers is another program's word, so it is read with care: no answer, a refusal, no JSON or odd times each end
in a sentence, never in a traceback.
"""

import io
import wave
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from urllib.parse import urlsplit

import httpx
import numpy as np

from app.settings import LOOPBACK
from app.worker.speech.decode import RATE, Samples
from app.worker.speech.words import Word

MOST_ANSWER = 8_000_000  # bytes
MOST_TEXT, MOST_WORDS = 200_000, 60_000  # characters, and words; app/drill/hearing/result.py keeps no more
PATIENCE = httpx.Timeout(10, read=600, write=120)  # the job's own deadline comes first
VERBOSE = {"response_format": "verbose_json", "timestamp_granularities[]": "word"}
PLAIN = {"response_format": "json"}
TOO_ODD = (400, 415, 422)  # what servers answer that do not know the verbose form


class EndpointFailed(Exception):
    """The endpoint gave no text; the message is a sentence for the learner."""


@dataclass(frozen=True)
class Remote:
    name: str
    url: str
    model: str
    key: str = ""


def hear(remote: Remote, sound: Samples, prompt: str, language: str) -> tuple[Word, ...]:
    """The words, with times where the endpoint gives them. Raises EndpointFailed."""
    asked = {"model": remote.model, "language": language, "prompt": prompt}
    take = wav(sound)
    answer = _post(remote, take, asked | VERBOSE)
    if answer.status_code in TOO_ODD:
        answer = _post(remote, take, asked | PLAIN)
    words = tuple(_words(_read(remote, answer), len(sound) / RATE))
    if len(words) > MOST_WORDS or sum(len(word.text) for word in words) > MOST_TEXT:
        raise EndpointFailed(f"{_who(remote)} answers more than can be read.")
    return words


def wav(sound: Samples) -> bytes:
    """16 kHz mono WAV, which every endpoint takes, whatever the browser recorded."""
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())
    return made.getvalue()


def _post(remote: Remote, take: bytes, fields: Mapping[str, str]) -> httpx.Response:
    near = (urlsplit(remote.url).hostname or "") in LOOPBACK  # no proxy stands between a machine and itself
    headers = {"Authorization": f"Bearer {remote.key}"} if remote.key else {}
    try:
        with (
            httpx.Client(timeout=PATIENCE, trust_env=not near) as client,
            client.stream(
                "POST",
                f"{remote.url}/audio/transcriptions",
                data=dict(fields),
                files={"file": ("take.wav", take, "audio/wav")},
                headers=headers,
            ) as answer,
        ):
            body = b""
            for piece in answer.iter_bytes():
                body += piece
                if len(body) > MOST_ANSWER:
                    raise EndpointFailed(f"{_who(remote)} answers more than can be read.")
            return httpx.Response(answer.status_code, content=body)
    except httpx.TimeoutException:
        raise EndpointFailed(f"{_who(remote)} does not answer in time.") from None
    except httpx.ConnectError as error:
        raise EndpointFailed(f"{_who(remote)} cannot be reached ({error or type(error).__name__}).") from None
    except httpx.HTTPError:
        raise EndpointFailed(f"{_who(remote)} broke off its answer; try again.") from None


def _read(remote: Remote, answer: httpx.Response) -> Mapping[str, object]:
    if not answer.is_success:
        raise EndpointFailed(_refusal(remote, answer.status_code))
    try:
        body = answer.json()
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict) or not isinstance(body.get("text"), str):
        raise EndpointFailed(
            f"{_who(remote)} answers no transcript: check its address in ALOUD_SPEECH_ENDPOINTS."
        )
    return body


def _refusal(remote: Remote, status: int) -> str:
    why = {
        401: "does not take the key that ALOUD_ENDPOINT_KEYS gives it",
        403: "does not take the key that ALOUD_ENDPOINT_KEYS gives it",
        404: f"has no {remote.url}/audio/transcriptions, or no model {remote.model}",
        413: "finds the recording too large",
        429: "is asked too often; try again later",
    }.get(status, f"answers with an error of its own ({status}); try again later")
    if status in TOO_ODD:
        why = f"refuses the request ({status}): check the model {remote.model} in ALOUD_SPEECH_ENDPOINTS"
    if 300 <= status < 400:
        why = f"sends on to another address ({status}), which is not followed: name that one instead"
    return f"{_who(remote)} {why}."


def _who(remote: Remote) -> str:
    return f"The endpoint {remote.name}"


def _words(body: Mapping[str, object], length_s: float) -> Iterator[Word]:
    """Words with times if all of them make sense, else the text as one."""
    told = body.get("words")
    found = [_word(one, length_s) for one in told] if isinstance(told, Sequence) and told else []
    if found and None not in found:
        yield from (word for word in found if word is not None)
        return
    text = _unicode(str(body["text"])).strip()
    if text:
        yield Word(None, None, text)


def _word(told: object, length_s: float) -> Word | None:
    match told:
        case {"word": str() as text, "start": int() | float() as start, "end": int() | float() as end} if (
            isfinite(start) and isfinite(end) and 0 <= start <= end <= length_s + 1
        ):
            return Word(round(start * 1000), round(end * 1000), _unicode(text).strip())
    return None


def _unicode(text: str) -> str:
    """The text with a mark in place of every lone surrogate, which JSON can hold and no UTF-8 can."""
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)

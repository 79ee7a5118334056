"""A chat endpoint, as OpenAI's API and its many likenesses have it, asked one question over HTTP.

The address comes from the server's settings alone. What it answers is another program's: it may be slow, huge or
broken, and each of these ends as `NoAnswer` with a sentence. No redirect is followed, or the address that the settings
allow would be no limit.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx

from app.settings import LOOPBACK

LIMIT_S = 60.0
MOST_BYTES = 200_000
NOT_TAKEN = (400, 422)  # what a server answers that does not know a field of the request


class NoAnswer(Exception):
    """The endpoint gave none that can be used; the message is one sentence for the learner."""


@dataclass(frozen=True, slots=True)
class Judge:
    """An endpoint that the server's settings allow. `url` is its base, e.g. http://gpu-box:8000/v1."""

    name: str
    url: str
    model: str
    key: str = ""

    @property
    def host(self) -> str:
        """Where it is, as pages name it: host and port."""
        return urlsplit(self.url).netloc

    @property
    def where(self) -> str:
        """Which model answers, and where, as pages name it."""
        return f"{self.model}, at {self.host}"

    @property
    def on_loopback(self) -> bool:
        """Whether it is this machine: then no proxy of the environment is asked, which could not reach it."""
        name = urlsplit(self.url).hostname or ""
        try:
            return name in LOOPBACK or ip_address(name).is_loopback
        except ValueError:
            return False


async def ask(judge: Judge, *bodies: Mapping[str, object], limit_s: float = LIMIT_S) -> object:
    """The JSON that the endpoint answers to the first of `bodies` that it takes, within `limit_s` seconds in all.

    Raises NoAnswer.
    """
    headers = {"Accept-Encoding": "identity"}  # so that what is counted is what comes
    if judge.key:
        headers["Authorization"] = f"Bearer {judge.key}"
    try:
        async with (
            asyncio.timeout(limit_s),
            httpx.AsyncClient(timeout=limit_s, trust_env=not judge.on_loopback, headers=headers) as client,
        ):
            return json.loads(await _answer(client, judge, bodies))
    except (TimeoutError, httpx.TimeoutException):
        raise NoAnswer(
            f"{_who(judge)} did not answer within {limit_s:g} seconds; ask it again later."
        ) from None
    except httpx.ConnectError:
        raise NoAnswer(f"{_who(judge)} cannot be reached; see whether it runs there.") from None
    except httpx.HTTPError:
        raise NoAnswer(f"{_who(judge)} broke off its answer; ask it again.") from None
    except (ValueError, RecursionError):
        raise NoAnswer(
            f"{_who(judge)} does not answer as a chat endpoint does: check its address in ALOUD_JUDGES."
        ) from None


async def _answer(client: httpx.AsyncClient, judge: Judge, bodies: Sequence[Mapping[str, object]]) -> bytes:
    url = f"{judge.url.rstrip('/')}/chat/completions"
    status = 0
    for body in bodies:
        async with client.stream("POST", url, json=body) as response:
            status = response.status_code
            if status == 200:
                return await _whole(response, judge)
        if status not in NOT_TAKEN:
            break
    raise NoAnswer(_refusal(judge, status))


async def _whole(response: httpx.Response, judge: Judge) -> bytes:
    """The body, as it comes: unpacked, a small one could be huge."""
    read = bytearray()
    async for chunk in response.aiter_raw():
        read += chunk
        if len(read) > MOST_BYTES:
            raise NoAnswer(f"{_who(judge)} answers without end: more than {MOST_BYTES // 1000} kB.")
    return bytes(read)


def _refusal(judge: Judge, status: int) -> str:
    """What an HTTP status other than 200 means to the learner."""
    who = _who(judge)
    if status in NOT_TAKEN:
        return f"{who} does not take the request ({status}): check the model {judge.model!r} in ALOUD_JUDGES."
    if status in (401, 403):
        return f"{who} does not take this server's key ({status}): check it in ALOUD_ENDPOINT_KEYS."
    if status == 404:
        return f"{who} knows no such address or model (404): check both in ALOUD_JUDGES."
    if status == 429:
        return f"{who} is asked too much just now (429); ask it again in a few minutes."
    if 300 <= status < 400:
        return f"{who} sends on to another address ({status}), which is not followed: name that one in ALOUD_JUDGES."
    return f"{who} answered with an error of its own ({status}); ask it again later."


def _who(judge: Judge) -> str:
    return f"The judge at {judge.host}"

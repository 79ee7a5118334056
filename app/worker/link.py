"""The worker's line to the web side: HTTP out, so that a worker behind a NAT works, too."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from app.jobs.standing import WorkerState
from app.settings import LOOPBACK
from app.worker.process import End

WAIT_S = 20.0  # how long a claim waits for a job
PATIENCE = httpx.Timeout(10.0, read=WAIT_S + 15)
LONGEST_PAUSE_S = 3.0
_JSON = {"Content-Type": "application/json"}


class Away(Exception):
    """The web side does not answer; it may be starting."""


class TurnedAway(Exception):
    """The web side refuses this worker; the message is its sentence."""


class LeaseLost(Exception):
    """The run is no longer this worker's."""


class NoSound(Exception):
    """The sound that was to be heard is gone; the message is the web side's sentence."""


@dataclass(frozen=True)
class Claim:
    """A job to do, and how many seconds without a sign would cost us its lease."""

    id: str
    attempt: int
    kind: str
    payload: Mapping[str, object]
    deadline_s: float
    lease_s: float


class Link:
    """What a worker says to the web side; `async with` closes its connections."""

    def __init__(self, server: str, token: str, worker: str) -> None:
        self._worker = worker
        self._client = httpx.AsyncClient(
            base_url=_base(server), headers=_bearing(token), timeout=PATIENCE, trust_env=not _near(server)
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def announce(self, state: WorkerState, **more: object) -> float:
        """Say how this worker is, in the fields of app.jobs.bodies.Announcement; seconds within which to say it again.

        Raises TurnedAway when that is no Aloud, or when the token is not valid there.
        """
        answer = await self._post("announce", state=state, **more)
        lease_s = answer.get("lease_s")
        if not isinstance(lease_s, int | float) or not 0 < lease_s < inf:
            raise TurnedAway(_stranger(self._client.base_url))
        return lease_s

    async def claim(self, lanes: Sequence[str]) -> Claim | None:
        """The next run, or None when there was none for a while."""
        answer = await self._post("claim", lanes=list(lanes), wait_s=WAIT_S)
        if not answer:
            return None
        return Claim(
            id=answer["id"],
            attempt=answer["attempt"],
            kind=answer["kind"],
            payload=answer["payload"],
            deadline_s=answer["deadline_s"],
            lease_s=answer["lease_s"],
        )

    async def heartbeat(self, claim: Claim, progress: float, words: str) -> bool:
        """Keep the lease and tell the progress; True when the learner has cancelled. Raises LeaseLost."""
        path = f"jobs/{claim.id}/heartbeat"
        answer = await self._post(path, attempt=claim.attempt, progress=progress, words=words[:500])
        return bool(answer["cancel"])

    async def finish(self, claim: Claim, end: End) -> None:
        """Hand in how the run ended. Raises LeaseLost."""
        await self._post(
            f"jobs/{claim.id}/finish",
            attempt=claim.attempt,
            outcome=end.outcome,
            message=end.message[:2000],
            result=end.result,
        )

    async def sound(self, claim: Claim, path: Path) -> None:
        """Fetch the sound that the job is about into the file. Raises NoSound, LeaseLost, Away."""
        who: dict[str, str | int] = {"worker": self._worker, "attempt": claim.attempt}
        try:
            async with self._client.stream("GET", f"jobs/{claim.id}/sound", params=who) as answer:
                if answer.is_success:
                    with path.open("wb") as file:
                        async for piece in answer.aiter_bytes():
                            file.write(piece)
                    return
                await answer.aread()
        except httpx.HTTPError as error:
            raise Away(str(error) or type(error).__name__) from None
        if answer.status_code == httpx.codes.CONFLICT:
            raise LeaseLost(_sentence(answer))
        if answer.status_code == httpx.codes.NOT_FOUND:
            raise NoSound(_sentence(answer))
        if answer.is_server_error:
            raise Away(f"it answers {answer.status_code}")
        raise TurnedAway(_sentence(answer))

    async def _post(self, path: str, **body: object) -> dict[str, Any]:
        try:
            answer = await self._client.post(
                path, content=_json({"worker": self._worker, **body}), headers=_JSON
            )
        except httpx.HTTPError as error:
            raise Away(str(error) or type(error).__name__) from None
        if answer.status_code == httpx.codes.CONFLICT:
            raise LeaseLost(_sentence(answer))
        if answer.is_server_error:
            raise Away(f"it answers {answer.status_code}")
        if not answer.is_success:
            raise TurnedAway(_sentence(answer))
        return _said(answer)


def known_as(server: str, token: str) -> str:
    """The name under which a web side knows the token, empty for its own.

    Raises httpx.HTTPError when it cannot be reached, TurnedAway when it refuses the token or is no Aloud.
    """
    answer = httpx.get(
        f"{_base(server)}token", headers=_bearing(token), timeout=5, trust_env=not _near(server)
    )
    if not answer.is_success:
        raise TurnedAway(_sentence(answer))
    name = _said(answer).get("token")
    if not isinstance(name, str):
        raise TurnedAway(_stranger(answer.url))
    return name


def _json(body: Mapping[str, object]) -> str:
    """As httpx would not write it: with NaN and lone surrogates, which the web side refuses with a sentence."""
    return json.dumps(body, separators=(",", ":"))


def _base(server: str) -> str:
    return f"{server.rstrip('/')}/api/v1/worker/"


def _bearing(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _near(server: str) -> bool:
    """No proxy stands between a machine and itself."""
    return (urlsplit(server).hostname or "") in LOOPBACK


def _said(answer: httpx.Response) -> dict[str, Any]:
    try:
        said = answer.json() if answer.content else {}
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise TurnedAway(_stranger(answer.url))
    return said


def _stranger(url: httpx.URL) -> str:
    return f"{url} does not answer as Aloud does; give the address of Aloud's web side as --server."


def _sentence(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return f"{answer.url} answers {answer.status_code}; give the address of Aloud's web side as --server."


def pauses() -> Iterator[float]:
    """Seconds to wait between tries: longer each time, up to LONGEST_PAUSE_S, and not in step with other workers."""
    pause = 0.2
    while True:
        yield pause * random.uniform(0.7, 1.3)  # noqa: S311
        pause = min(2 * pause, LONGEST_PAUSE_S)

"""The lane that hears recordings: each is fetched for the time of its hearing, and nothing of it is left here."""

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

from app.jobs.states import Outcome
from app.setting_rules import Endpoint
from app.settings import Settings
from app.worker.environment import child_environment
from app.worker.lane import Lane
from app.worker.link import Away, Claim, LeaseLost, Link, NoSound, pauses
from app.worker.process import Child, End

PROGRAM = (sys.executable, "-m", "app.worker.hearing_child")
LIBRARY = "faster_whisper"
ENDPOINT = "endpoint:"  # and its name: a provider
FOLDER = "aloud-sound-"  # and the worker's process: where a recording lies while it is heard


@dataclass(frozen=True)
class Ears:
    """What a worker hears with: the chosen model, the folder for fetched ones, endpoints with their keys."""

    model: str
    models: Path
    endpoints: tuple[Endpoint, ...] = ()
    keys: Mapping[str, str] | None = None

    def endpoint(self, name: str) -> dict[str, object] | None:
        found = next((one for one in self.endpoints if one.name == name), None)
        return None if found is None else {**asdict(found), "key": (self.keys or {}).get(name, "")}


def ears(settings: Settings) -> Ears | None:
    """What a worker with these settings hears with; None where speech to text is not installed."""
    if find_spec(LIBRARY) is None:
        return None
    folder = settings.data / "cache" / "models"
    return Ears(settings.speech_model, folder, settings.speech_endpoints, dict(settings.endpoint_keys))


class HearingLane(Lane):
    """A lane whose child is app/worker/hearing_child.py."""

    def __init__(self, link: Link, ears: Ears, caches: Path, changed: Callable[[], None]) -> None:
        command = (*PROGRAM, ears.model, str(ears.models))
        super().__init__(link, Child(child_environment(caches), command, "hears recordings"), changed)
        self._ears = ears
        _clear_up()

    async def run(self, claim: Claim) -> End:
        clock = asyncio.get_running_loop().time
        until = clock() + claim.deadline_s
        provider = str(claim.payload.get("provider", ""))
        endpoint = self._ears.endpoint(provider.removeprefix(ENDPOINT))
        if provider.startswith(ENDPOINT) and endpoint is None:
            name = provider.removeprefix(ENDPOINT)
            words = (
                f"The worker knows no endpoint {name}. Give it ALOUD_SPEECH_ENDPOINTS as the pages have it."
            )
            return End(Outcome.FAILED, words)
        with tempfile.TemporaryDirectory(prefix=f"{FOLDER}{os.getpid()}-") as folder:
            path = Path(folder) / "sound"
            try:
                async with asyncio.timeout_at(until):
                    await self._fetch(claim, path)
                    if not self._child.alive:
                        await self.warm()
            except TimeoutError:
                return _late(claim)
            except NoSound as gone:
                return End(Outcome.FAILED, str(gone))
            request = {
                "sound": str(path),
                "prompt": str(claim.payload.get("prompt", "")),
                "language": str(claim.payload.get("language", "en")),
                "endpoint": endpoint,
            }
            end = await self._ask(request, max(until - clock(), 0.1))
        return _late(claim) if end.outcome is Outcome.TIMED_OUT else end

    async def _fetch(self, claim: Claim, path: Path) -> None:
        """The recording, however often the web side is away meanwhile. Raises NoSound."""
        for pause in pauses():
            try:
                return await self._link.sound(claim, path)
            except Away:
                await asyncio.sleep(pause)
            except LeaseLost as lost:
                raise NoSound(str(lost)) from None
        return None


def _clear_up() -> None:
    """Delete the recordings that workers left here when they were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER}*-*"):
        process = folder.name.removeprefix(FOLDER).partition("-")[0]
        if process.isdecimal() and not _runs(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _late(claim: Claim) -> End:
    words = f"Hearing took longer than {claim.deadline_s:g} s, its limit (ALOUD_SPEECH_DEADLINE_S), and was stopped."
    return End(Outcome.TIMED_OUT, words)

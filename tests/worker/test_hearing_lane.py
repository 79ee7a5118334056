"""The lane that hears: a recording is fetched, heard by the real child, and gone from the worker afterwards."""

import asyncio
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from app.jobs.states import Outcome
from app.setting_rules import Endpoint
from app.settings import Settings
from app.worker import hearing
from app.worker.hearing import Ears, HearingLane, ears
from app.worker.link import Away, Claim, LeaseLost, NoSound
from app.worker.process import End
from tests.worker.speaking import say

PAYLOAD = {"recording": 1, "learner": 1, "provider": "embedded", "prompt": "", "language": "en"}
CLAIM = Claim("a", 1, "speech", PAYLOAD, deadline_s=60, lease_s=15)


class Web:
    """A web side that has this sound, after being away a few times; notes where it was put."""

    def __init__(self, sound: bytes | Exception, away: int = 0) -> None:
        self._sound = sound
        self.away = away
        self.paths: list[Path] = []

    async def sound(self, claim: Claim, path: Path) -> None:
        if self.away:
            self.away -= 1
            raise Away("it is starting")
        if isinstance(self._sound, Exception):
            raise self._sound
        self.paths.append(path)
        path.write_bytes(self._sound)


def run(web: Web, folder: Path, claim: Claim = CLAIM, **more: object) -> End:
    async def work() -> End:
        lane = HearingLane(web, Ears("", folder / "models", **more), folder, lambda: None)
        try:
            await lane.warm()
            return await lane.run(claim)
        finally:
            await lane.close()

    return asyncio.run(work())


def test_a_recording_is_heard_and_nothing_of_it_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    web = Web(say("The softmax comes after the mask.", tmp_path).read_bytes(), away=2)
    end = run(web, tmp_path)
    assert end.outcome is Outcome.DONE
    assert "mask" in end.result["text"]
    assert [path.is_relative_to(tmp_path / "temp") for path in web.paths] == [True]
    assert list((tmp_path / "temp").iterdir()) == []


def test_sound_that_a_killed_worker_left_is_gone_once_one_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, others = (
        f"aloud-sound-{ended.pid}-abc",
        (f"aloud-sound-{os.getpid()}-abc", "aloud-sound-x-y", "else"),
    )
    for name in (left, *others):
        (tmp_path / name).mkdir()
        (tmp_path / name / "sound").touch()
    HearingLane(Web(b""), Ears("", tmp_path / "models"), tmp_path, lambda: None)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)


@pytest.mark.parametrize("gone", [NoSound("The recording was deleted."), LeaseLost("It is no longer yours.")])
def test_a_recording_that_is_gone_ends_in_a_sentence(tmp_path: Path, gone: Exception) -> None:
    assert run(Web(gone), tmp_path) == End(Outcome.FAILED, str(gone))


def test_a_web_side_that_stays_away_ends_at_the_deadline(tmp_path: Path) -> None:
    end = run(Web(b"", away=99), tmp_path, replace(CLAIM, deadline_s=0.5))
    assert end.outcome is Outcome.TIMED_OUT
    assert "longer than 0.5 s, its limit (ALOUD_SPEECH_DEADLINE_S)" in end.message


def test_an_endpoint_that_this_worker_was_not_told_of_is_named(tmp_path: Path) -> None:
    claim = replace(CLAIM, payload={**PAYLOAD, "provider": "endpoint:box"})
    end = run(Web(b""), tmp_path, claim, endpoints=(Endpoint("other", "http://x/v1", "m"),))
    assert end == End(
        Outcome.FAILED,
        "The worker knows no endpoint box. Give it ALOUD_SPEECH_ENDPOINTS as the pages have it.",
    )


def test_what_it_hears_with_is_what_the_settings_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, speech_endpoints="box=http://x/v1|m", endpoint_keys="box=sk-1")
    found = ears(settings)
    assert found.endpoint("box") == {"name": "box", "url": "http://x/v1", "model": "m", "key": "sk-1"}
    assert found.endpoint("none") is None
    monkeypatch.setattr(hearing, "find_spec", lambda name: None)
    assert ears(settings) is None

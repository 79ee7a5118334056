"""What `make run` starts, with real processes: one signal ends all of it, whatever it is doing, and nothing stays."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.settings import ROOT
from tests.house import House, Process, plan, stranger
from tests.marks import linux

pytestmark = pytest.mark.crash

PATIENCE_S = 10.0  # so that a hang fails; how soon everything ends is measured by `make bench`
INSTALLING = "#!/bin/sh\ncase $* in *-q*) exit 1;; esac\nsleep 1000 & sleep 1000\n"
INSTALLED = "#!/bin/sh\nexit 0\n"
MENDED = "#!/bin/sh\ncase $* in *-q*) test -e mended;; *) exit 1;; esac\n"
NO_SPEECH = (
    "#!/bin/sh\ncase $* in *-q\\ worker*) exit 0;; *-q*) exit 1;; esac\necho no such package; exit 1\n"
)
BROKEN = "#!/bin/sh\ncase $* in *-q*) exit 1;; esac\necho no such package; exit 1\n"


class Run:
    """scripts/run.py with a data folder of its own and a `make` that does as told; `settings` as for the house."""

    def __init__(self, folder: Path, make: str, **settings: str) -> None:
        self.house: House = plan(folder / "data", **settings)
        self._mark = f"MARK={folder}".encode()
        bin_ = folder / "bin"
        bin_.mkdir()
        (bin_ / "make").write_text(make)
        (bin_ / "make").chmod(0o755)
        self.process = Process(
            subprocess.Popen(
                [sys.executable, str(ROOT / "scripts/run.py")],
                cwd=folder,
                env={
                    **os.environ,
                    **self.house.env,
                    "PATH": f"{bin_}:{os.environ['PATH']}",
                    "MARK": str(folder),
                },
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        )
        self.process.follow()

    def until_worker(self, state: str) -> None:
        """Until the page says of the worker that it is `state`: installing, failed, ready or absent."""
        self.process.wait_for("Aloud is at")
        self.house.until(lambda api: f'data-state="{state}"' in api.get("/").text, f"no page says {state}")

    def ends_by(self, number: signal.Signals) -> bool:
        """Whether the signal ends it, with code 0 and nothing left."""
        self.process.popen.send_signal(number)
        return self.process.popen.wait(PATIENCE_S) == 0 and self.left() == []

    def left(self) -> list[int]:
        """The processes that descend from this run, found by their environment."""
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if self._mark in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
        return found

    def clear(self) -> None:
        """End it, whatever it is doing, and what it may have left."""
        self.process.popen.terminate()
        try:
            self.process.popen.wait(PATIENCE_S)
        finally:
            for pid in self.left():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    runs: list[Run] = []

    def started(make: str, **settings: str) -> Run:
        runs.append(Run(tmp_path, make, **settings))
        return runs[-1]

    yield started
    for run in runs:
        run.clear()


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_of_the_install_ends_everything(
    start: Callable[..., Run], number: signal.Signals
) -> None:
    run = start(INSTALLING)
    run.process.wait_for("Installing the worker")
    run.process.wait_for(f"Aloud is at {run.house.url}\n")
    assert run.ends_by(number), run.process.lines


def test_the_pages_say_since_when_the_worker_is_being_installed(start: Callable[..., Run]) -> None:
    """Not since the last word of it: that comes every two seconds."""
    run = start(INSTALLING)
    run.until_worker("installing")
    run.house.until(lambda api: age(api.get("/worker/now").text) >= timedelta(seconds=4), "it begins anew")


def age(page: str) -> timedelta:
    """How long the only worker on the page is what it is."""
    (since,) = re.findall(r'since <time datetime="([^"]+)"', page)
    return datetime.now(UTC) - datetime.fromisoformat(since)


def test_the_pages_stay_and_say_so_when_the_install_fails(start: Callable[..., Run]) -> None:
    run = start(BROKEN)
    run.until_worker("failed")
    run.process.wait_for("Everything but running demos works")
    assert "no such package" in (run.house.data / "worker-install.log").read_text()
    assert run.process.popen.poll() is None


def test_a_worker_installed_by_hand_after_a_failure_joins(start: Callable[..., Run], tmp_path: Path) -> None:
    made = start(MENDED)
    made.until_worker("failed")
    (tmp_path / "mended").touch()
    made.until_worker("ready")
    with made.house.api() as api:
        assert "<h3>install</h3>" not in api.get("/worker").text


def test_speech_is_installed_when_asked_for_and_nothing_else_waits_for_ever(
    start: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPEECH", "1")
    run = start(NO_SPEECH)
    run.process.wait_for("Installing speech to text")
    run.process.wait_for("Speech to text could not be installed")
    assert "no such package" in (run.house.data / "speech-install.log").read_text()
    run.until_worker("ready")


@linux
def test_the_worker_joins_and_ends_with_the_rest(start: Callable[..., Run]) -> None:
    run = start(INSTALLED)
    run.until_worker("ready")
    assert run.ends_by(signal.SIGINT), run.process.lines


@linux
def test_when_it_is_killed_what_it_started_ends_too(start: Callable[..., Run]) -> None:
    run = start(INSTALLED)
    run.until_worker("ready")
    run.process.popen.kill()
    run.process.told()  # returns once nobody holds its output any more
    assert run.left() == []


def test_a_port_in_use_is_one_sentence_and_ends_all(start: Callable[..., Run], tmp_path: Path) -> None:
    run = start(INSTALLED)
    run.process.wait_for("Aloud is at")
    command = [
        sys.executable,
        "-m",
        "app.cli",
        "serve",
        "--port",
        str(run.house.port),
        "--data",
        str(tmp_path / "other"),
    ]
    second = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=6 * PATIENCE_S
    )
    assert second.returncode == 2
    assert second.stderr.count("\n") == 1
    assert f"127.0.0.1:{run.house.port}" in second.stderr


def test_another_program_on_the_port_is_told_nothing_and_the_refusal_is_one_sentence(
    start: Callable[..., Run],
) -> None:
    with stranger() as (port, asked):
        run = start(INSTALLED, port=str(port))
        assert run.process.popen.wait(PATIENCE_S) == 2
    assert asked == []
    (said,) = run.process.told()
    assert f"cannot listen on 127.0.0.1:{port}" in said
    assert run.left() == []


def test_the_worker_joins_at_any_host_listened_on(start: Callable[..., Run]) -> None:
    run = start(INSTALLED, host="127.0.0.2", root_path="/aloud")
    run.process.wait_for(f"Aloud is at http://127.0.0.2:{run.house.port}/aloud\n")
    run.until_worker("ready")
    assert not any("starts again" in line for line in run.process.lines)

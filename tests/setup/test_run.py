"""What `make run` starts, with real processes: one signal ends all of it, whatever it is doing, and nothing stays."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from app.settings import ROOT
from tests.house import free_port

pytestmark = pytest.mark.crash

PATIENCE_S = 30.0
AT_ONCE_S = 3.0  # about 0.4 s where nothing else runs
INSTALLING = "#!/bin/sh\ncase $* in *-q*) exit 1;; esac\nsleep 1000 & sleep 1000\n"
INSTALLED = "#!/bin/sh\nexit 0\n"
BROKEN = "#!/bin/sh\ncase $* in *-q*) exit 1;; esac\necho no such package; exit 1\n"


class Run:
    """scripts/run.py with a data folder of its own and a `make` that does as told."""

    def __init__(self, folder: Path, make: str) -> None:
        self.data, self.port, self.said = folder / "data", free_port(), folder / "said"
        bin_ = folder / "bin"
        bin_.mkdir()
        (bin_ / "make").write_text(make)
        (bin_ / "make").chmod(0o755)
        environment = os.environ | {
            "PATH": f"{bin_}:{os.environ['PATH']}",
            "ALOUD_DATA": str(self.data),
            "ALOUD_PORT": str(self.port),
            "MARK": str(folder),
        }
        with self.said.open("wb") as out:
            command = [sys.executable, str(ROOT / "scripts/run.py")]
            self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=out)
        self.mark = f"MARK={folder}".encode()

    def text(self) -> str:
        return self.said.read_text()

    def worker(self) -> str:
        """What the page says of the worker: installing, failed, ready or absent."""
        with contextlib.suppress(OSError), urlopen(f"http://127.0.0.1:{self.port}/", timeout=2) as got:
            return str(re.findall(r'data-state="(\w+)"', got.read().decode())[0])
        return ""

    def left(self) -> list[int]:
        """The processes that descend from this run, found by their environment."""
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if self.mark in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
        return found


def until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"waited {PATIENCE_S:.0f} s for {what}"
        time.sleep(0.05)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Run]]:
    runs: list[Run] = []

    def started(make: str) -> Run:
        runs.append(Run(tmp_path, make))
        return runs[-1]

    yield started
    for run in runs:
        for pid in run.left():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        run.process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_of_the_install_ends_everything_at_once(
    start: Callable[[str], Run], number: signal.Signals
) -> None:
    run = start(INSTALLING)
    until(lambda: "Installing the worker" in run.text(), "the install")
    assert f"Aloud is at http://127.0.0.1:{run.port}" in run.text()
    asked = time.monotonic()
    run.process.send_signal(number)
    assert run.process.wait(PATIENCE_S) == 0, run.text()
    assert time.monotonic() - asked < AT_ONCE_S
    assert run.left() == []


def test_the_pages_say_that_the_worker_is_being_installed(start: Callable[[str], Run]) -> None:
    run = start(INSTALLING)
    until(lambda: run.worker() == "installing", "the page to say so")


def test_the_pages_stay_and_say_so_when_the_install_fails(start: Callable[[str], Run]) -> None:
    run = start(BROKEN)
    until(lambda: run.worker() == "failed", "the page to say so")
    assert "no such package" in (run.data / "worker-install.log").read_text()
    assert "Everything but running demos works" in run.text()
    assert run.process.poll() is None


def test_the_worker_joins_and_ends_with_the_rest(start: Callable[[str], Run]) -> None:
    run = start(INSTALLED)
    until(lambda: run.worker() == "ready", "the worker to join")
    asked = time.monotonic()
    run.process.send_signal(signal.SIGINT)
    assert run.process.wait(PATIENCE_S) == 0, run.text()
    assert time.monotonic() - asked < AT_ONCE_S
    assert run.left() == []


def test_a_port_in_use_is_one_sentence_and_ends_all(start: Callable[[str], Run], tmp_path: Path) -> None:
    run = start(INSTALLED)
    until(lambda: "Aloud is at" in run.text(), "the first one to serve")
    command = [
        sys.executable,
        "-m",
        "app.cli",
        "serve",
        "--port",
        str(run.port),
        "--data",
        str(tmp_path / "other"),
    ]
    second = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert second.returncode == 2
    assert second.stderr.count("\n") == 1
    assert f"127.0.0.1:{run.port}" in second.stderr

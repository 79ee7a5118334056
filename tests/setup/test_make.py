"""The Makefile's installs, interrupted: the next `make` takes nothing that is half done for done."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.settings import ROOT

pytestmark = pytest.mark.crash

PATIENCE_S = 60
PIP = "lib/python*/site-packages/pip"


@pytest.fixture
def make(tmp_path: Path) -> list[str]:
    """`make web` in a folder of its own; what pip would fetch stays away."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return [
        "make",
        "-C",
        str(tmp_path),
        "web",
        f"PYTHON={sys.executable}",
        "PIP=.venv/bin/python -m pip list",
    ]


@pytest.mark.parametrize("made", ["bin/python*", PIP, f"{PIP}/_vendor"], ids=["python", "pip", "half-of-pip"])
def test_an_interrupted_first_start_is_mended_by_the_next(make: list[str], tmp_path: Path, made: str) -> None:
    first = subprocess.Popen(make, start_new_session=True, stdout=subprocess.DEVNULL)
    end = time.monotonic() + PATIENCE_S
    while not list((tmp_path / ".venv").glob(made)):
        assert first.poll() is None, "it ended before it could be interrupted"
        assert time.monotonic() < end, f"waited {PATIENCE_S} s for {made}"
        time.sleep(0.005)
    os.killpg(first.pid, signal.SIGINT)
    assert first.wait(PATIENCE_S) != 0
    assert not (tmp_path / ".venv/web").exists()
    again = subprocess.run(make, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert again.returncode == 0, again.stdout + again.stderr
    whole = "from importlib.metadata import files as f; print(all(p.locate().exists() for p in f('pip')))"
    assert subprocess.check_output([tmp_path / ".venv/bin/python", "-c", whole], text=True) == "True\n"


def test_a_finished_venv_is_kept_as_it_is(make: list[str], tmp_path: Path) -> None:
    subprocess.run(make, check=True, capture_output=True, timeout=PATIENCE_S)
    was = (tmp_path / ".venv/pyvenv.cfg").stat().st_mtime_ns
    (tmp_path / "pyproject.toml").touch()
    subprocess.run(make, check=True, capture_output=True, timeout=PATIENCE_S)
    assert (tmp_path / ".venv/pyvenv.cfg").stat().st_mtime_ns == was

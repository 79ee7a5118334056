"""Speech for tests, by a synthetic voice. Where there is none they skip and name the package; in CI they fail."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def say(text: str, to: Path, voice: str = "slt") -> Path:
    """A WAV file (16 kHz, one channel) in which `text` is said."""
    if shutil.which("flite") is None:
        missing = "There is no synthetic voice: install Debian's package `flite` to run these tests."
        if os.environ.get("CI"):
            pytest.fail(missing, pytrace=False)
        pytest.skip(missing)
    subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(to)], check=True)
    return to

"""Speech made in the test by a synthetic voice, in the containers that browsers record.

Where there is no voice the tests skip and name the package; in CI that is a failure.
"""

import os
import shutil
import subprocess
from pathlib import Path

import av
import pytest

VOICES = ("slt", "rms")
FORMATS = {"webm": "libopus", "ogg": "libopus", "mp4": "aac"}


def say(words: str, folder: Path, voice: str = "slt") -> Path:
    """A WAV file in which a synthetic voice says the words."""
    if shutil.which("flite") is None:
        missing = "There is no synthetic voice: install Debian's package `flite` to run these tests."
        if os.environ.get("CI"):
            pytest.fail(missing, pytrace=False)
        pytest.skip(missing)
    path = folder / f"{voice}.wav"
    subprocess.run(["flite", "-voice", voice, "-t", words, "-o", str(path)], check=True)
    return path


def recorded(wav: Path, kind: str) -> Path:
    """The sound of a WAV file as a browser would have recorded it."""
    path = wav.with_suffix(f".{kind}")
    with av.open(str(wav)) as source, av.open(str(path), "w", format=kind) as made:
        stream = made.add_stream(FORMATS[kind], rate=48000)
        stream.layout = "mono"
        resampler = av.AudioResampler(format=stream.format.name, layout="mono", rate=48000)
        for frame in (*source.decode(audio=0), None):
            for piece in resampler.resample(frame):
                made.mux(stream.encode(piece))
        made.mux(stream.encode(None))
    return path

"""A file of sound as 16 kHz mono samples, by PyAV, which brings FFmpeg's libraries along.

A recording that was cut off decodes as far as it goes. The format is told from the first bytes, and FFmpeg is held to
it: left to guess, it would also read playlists, which name other files.
"""

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

RATE = 16_000
LONGEST_S = 2 * 3600
AT_ONCE = 30 * RATE  # samples that are resampled together

Samples = NDArray[np.float32]


class Undecodable(Exception):
    """The sound cannot be heard; the message is a sentence for the learner."""


def decode(path: Path) -> Samples:
    """The sound of a file, between -1 and 1. Raises Undecodable when there is none, or more than two hours of it."""
    try:
        with av.open(str(path), format=_format(path), metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise Undecodable("The file holds no sound.")
            parts = list(_within(LONGEST_S * RATE, _samples(container)))
    except (av.FFmpegError, ValueError) as error:
        raise Undecodable(f"The sound cannot be decoded ({_why(error)}). Record it again.") from None
    if not parts:
        raise Undecodable("The file holds no sound.")
    return np.concatenate(parts).astype(np.float32) / np.float32(32768)


def _samples(container: "av.container.InputContainer") -> Iterator[NDArray[np.int16]]:
    """The sound piece by piece; where the file breaks off or is damaged, what came before is kept."""
    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
    fifo = av.AudioFifo()
    for frame in _frames(container):
        frame.pts = (
            None  # a browser's first moments may carry odd times; the samples follow each other all the same
        )
        fifo.write(frame)
        if fifo.samples >= AT_ONCE:
            yield from _resampled(resampler, fifo.read())
    if fifo.samples:
        yield from _resampled(resampler, fifo.read())
    yield from _resampled(resampler, None)


def _frames(container: "av.container.InputContainer") -> Iterator[av.AudioFrame]:
    frames = container.decode(audio=0)
    while True:
        try:
            frame = next(frames)
        except (StopIteration, av.EOFError):
            return
        except av.InvalidDataError:
            continue
        yield frame


def _resampled(resampler: av.AudioResampler, frame: av.AudioFrame | None) -> Iterator[NDArray[np.int16]]:
    for made in resampler.resample(frame):
        yield made.to_ndarray().reshape(-1).astype(np.int16, copy=False)


def _within(most: int, pieces: Iterator[NDArray[np.int16]]) -> Iterator[NDArray[np.int16]]:
    heard = 0
    for piece in pieces:
        heard += len(piece)
        if heard > most:
            raise Undecodable("The recording is longer than two hours, the most that is heard.")
        yield piece


def _format(path: Path) -> str:
    """FFmpeg's name of the format. Raises Undecodable for what no browser records."""
    with path.open("rb") as file:
        head = file.read(12)
    if head.startswith(b"\x1aE\xdf\xa3"):
        return "matroska"
    if head[4:8] == b"ftyp":
        return "mov"
    if head.startswith(b"OggS"):
        return "ogg"
    if head.startswith(b"RIFF") and head[8:] == b"WAVE":
        return "wav"
    raise Undecodable("The file is no recording in WebM, MP4, Ogg or WAV." if head else "The file is empty.")


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__

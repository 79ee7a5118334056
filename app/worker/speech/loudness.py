"""Where somebody speaks, by the Silero model that faster-whisper ships, and how loud it is, for a waveform.

Pauses are read from here, never from the times of words: those shrink and invent gaps.
"""

import numpy as np
from faster_whisper.vad import VadOptions, get_speech_timestamps

from app.worker.speech.decode import RATE, Samples

POINTS = 600  # of a waveform
QUIETEST = 0.05  # the peak below which a take is not drawn as if it filled the picture

# A pause shorter than that is a breath within a sentence; speech shorter than that is a click of the mouth.
VOICE = VadOptions(min_silence_duration_ms=250, min_speech_duration_ms=150, speech_pad_ms=30)

FRAME = RATE // 5  # samples over which it is quiet or not
WINDOW = (22, 29)  # seconds between which a window ends; Whisper hears 30 at a time

Stretches = list[tuple[int, int]]


def milliseconds(samples: int) -> int:
    return round(samples * 1000 / RATE)


def speech(sound: Samples) -> Stretches:
    """The stretches in which somebody speaks, in milliseconds."""
    found = get_speech_timestamps(sound, VOICE)
    return [(milliseconds(one["start"]), milliseconds(one["end"])) for one in found]


def windows(sound: Samples) -> list[tuple[int, int]]:
    """Cuts of at most half a minute, in samples, each made at the quietest moment of the last seconds before that."""
    frames = len(sound) // FRAME
    loud = np.sqrt(np.square(sound[: frames * FRAME].reshape(frames, FRAME)).mean(axis=1))
    made, start = [], 0
    while len(sound) - start > WINDOW[1] * RATE:
        first, last = ((start + seconds * RATE) // FRAME for seconds in WINDOW)
        end = (first + int(loud[first:last].argmin())) * FRAME + FRAME // 2
        made.append((start, end))
        start = end
    return [*made, (start, len(sound))]


def peaks(sound: Samples) -> list[int]:
    """The loudest moment of each of up to POINTS equal parts, 100 being the loudest of all."""
    if not len(sound):
        return []
    edges = np.linspace(0, len(sound), min(POINTS, len(sound)) + 1).astype(int)
    loudest = np.maximum.reduceat(np.abs(sound), edges[:-1])
    return [round(100 * float(one)) for one in loudest / max(float(loudest.max()), QUIETEST)]

"""The drill's clock: what its face shows after so many milliseconds of speech. Pure.

static/js/clock.js holds the same rules for the browser; a test compares the two at every second.

>>> face_at(75_000, 90)
Face(stage='yellow', clock='1:15', word='wrap up', hand=83.33333333333333)
"""

from dataclasses import dataclass
from typing import Literal

Stage = Literal["start", "green", "yellow", "red"]

WORDS: dict[Stage, str] = {
    "start": "time in hand",
    "green": "two thirds used",
    "yellow": "wrap up",
    "red": "time is up",
}


@dataclass(frozen=True, slots=True)
class Face:
    """What the clock shows: a stage (its colour and shape), the time spoken, the stage in words, and the ring.

    `hand` is the part of the ring that is drawn, in percent; it is full from the end on.
    """

    stage: Stage
    clock: str
    word: str
    hand: float


def stage_at(elapsed_ms: int, planned_s: int) -> Stage:
    """The stage after `elapsed_ms` of `planned_s` seconds: green from 2/3, yellow from 5/6, red from the end.

    These are the three lights of a Toastmasters timer.
    """
    used, planned = elapsed_ms * 6, planned_s * 1000
    if used >= planned * 6:
        return "red"
    if used >= planned * 5:
        return "yellow"
    return "green" if used >= planned * 4 else "start"


def face_at(elapsed_ms: int, planned_s: int) -> Face:
    """The whole face. Overtime counts on, and from its first full second the words say how much it is."""
    stage = stage_at(elapsed_ms, planned_s)
    over_ms = elapsed_ms - planned_s * 1000
    word = f"over by {clock_text(over_ms)}" if over_ms >= 1000 else WORDS[stage]
    return Face(stage, clock_text(elapsed_ms), word, min(100.0, elapsed_ms / (planned_s * 10)))


def clock_text(ms: int) -> str:
    """Minutes and whole seconds that have passed: 59,999 ms is "0:59"; an hour and a minute is "61:00"."""
    seconds = max(0, ms) // 1000
    return f"{seconds // 60}:{seconds % 60:02d}"


def planned_words(planned_s: int) -> str:
    """A planned time as it is said: "90 seconds", "10 minutes"."""
    if planned_s >= 120 and planned_s % 60 == 0:
        return f"{planned_s // 60} minutes"
    return f"{planned_s} seconds"

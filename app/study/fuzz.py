"""Fuzz: spreads cards that were learned together, within bounds that Anki's users know.

The draw is a function of the card and its number of answers, so that what a button says is what happens.
"""

import math
from hashlib import blake2b

# (from day, to day, share of the days in between); a half-width starts at 1 day.
BANDS = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.10), (20.0, math.inf, 0.05))
FIRST_FUZZED = 2.5


def bounds(interval: float, least: int = 1, most: int = 36500) -> tuple[int, int]:
    """The shortest and the longest interval, in days, that `interval` may become; both within least..most.

    >>> bounds(37)
    (33, 41)
    """
    least = min(least, most)
    interval = min(max(interval, least), most)
    half = _half_width(interval)
    low, high = _round(interval - half), _round(interval + half)
    if half:
        low = max(2, low)
    return min(max(low, least), most), min(max(high, least), most)


def fuzzed(
    interval: float, fraction: float, least: int = 1, most: int = 36500, last: int | None = None
) -> int:
    """`interval` moved within its bounds by `fraction` (0 <= fraction < 1), not below `last` if they allow it."""
    low, high = bounds(interval, least, most)
    if last is not None:
        low = max(low, min(last, high))
    return low + math.floor((high - low + 1) * fraction)


def fraction(card_id: str, reps: int) -> float:
    """A number in [0, 1), the same for the same card and number of answers."""
    digest = blake2b(f"{card_id}\n{reps}".encode(), digest_size=6).digest()
    return int.from_bytes(digest) / 2**48


def _half_width(interval: float) -> float:
    if interval < FIRST_FUZZED:
        return 0.0
    return 1.0 + sum(share * max(0.0, min(interval, end) - start) for start, end, share in BANDS)


def _round(days: float) -> int:
    """To the nearest day, halves up (Python's round would take 2.5 down)."""
    return math.floor(days + 0.5)

"""The sheet for the eve: what fits into half an hour, and nothing new. Pure.

First three pitches, since a voice needs warming; then what keeps slipping, the key points that the last takes left
out, and numbers; each part gets what time is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from app.drill.pitch import Listed, Point
from app.rounds.cards import RoundCard

Item = TypeVar("Item")
MINUTES = 30
PITCHES, SLIPPING, POINTS, NUMBERS = 3, 8, 12, 12  # at most
LAPSES = 2  # from so many on a card is said to slip
CARD_S, POINT_S, NUMBER_S, PITCH_S = 75, 20, 30, 60  # to read one; a pitch takes its own time beyond that


@dataclass(frozen=True)
class Held:
    """A card that was seen, and how often it was forgotten since."""

    card: RoundCard
    lapses: int


@dataclass(frozen=True)
class Missed:
    """Key points that the last take of a pitch left out."""

    pitch: Listed
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Sheet:
    """What to read on the eve; `seconds` is what it takes."""

    pitches: tuple[Listed, ...]
    slipping: tuple[Held, ...]
    missed: tuple[Missed, ...]
    numbers: tuple[RoundCard, ...]
    seconds: int


def sheet(held: Sequence[Held], pitches: Sequence[Listed]) -> Sheet:
    """Choose from what was seen of a round, and from its pitches with their last takes."""
    left = MINUTES * 60
    said = sorted((p for p in pitches if p.last is not None), key=_covered)
    spoken, left = _within(said[:PITCHES], [p.planned_s + PITCH_S for p in said], left)
    slips = sorted(
        (one for one in held if one.lapses >= LAPSES and not one.card.spoken),
        key=lambda one: (-one.lapses, one.card.value),
    )
    slipping, left = _within(slips[:SLIPPING], [CARD_S] * len(slips), left)
    missed, left = _missed(said, left)
    shown = {one.card.id for one in slipping}
    figures = sorted(
        (one.card for one in held if one.card.kind in ("number", "estimate") and one.card.id not in shown),
        key=lambda card: (not card.core, card.memory.stability if card.memory else 0.0, card.place),
    )
    numbers, left = _within(figures[:NUMBERS], [NUMBER_S] * len(figures), left)
    return Sheet(tuple(spoken), tuple(slipping), missed, tuple(numbers), MINUTES * 60 - left)


def missing(pitch: Listed) -> tuple[Point, ...]:
    """The key points that its last take left out."""
    last = pitch.last
    return tuple(p for p in last.points if p.id not in last.ticks) if last else ()


def _missed(said: Sequence[Listed], left: int) -> tuple[tuple[Missed, ...], int]:
    found, room = [], min(POINTS, left // POINT_S)
    for pitch in said:
        points = missing(pitch)[:room]
        if points:
            found.append(Missed(pitch, points))
            room -= len(points)
            left -= len(points) * POINT_S
    return tuple(found), left


def _covered(pitch: Listed) -> float:
    """The share of the key points that the last take made: the least comes first."""
    last = pitch.last
    return 1 - len(missing(pitch)) / len(last.points) if last and last.points else 1.0


def _within(items: Sequence[Item], costs: Sequence[int], left: int) -> tuple[list[Item], int]:
    """The first items that the seconds left allow, and what remains of these."""
    kept = []
    for item, seconds in zip(items, costs, strict=False):
        if seconds > left:
            break
        kept.append(item)
        left -= seconds
    return kept, left

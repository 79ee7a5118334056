"""The map of shared heads as a drawing: query heads above, the key/value heads that they read below. Pure."""

from dataclasses import dataclass
from itertools import groupby
from typing import Final

from app.demos.drawing.numbers import runs

WIDTH: Final = 640.0
HEIGHT: Final = 104.0
SIDE: Final = 26.0  # of a head's square, smaller where there are many
NAMED_UP_TO: Final = 16  # squares in a row that have room for their number
MOST: Final = 512  # query heads, more than any model has


@dataclass(frozen=True)
class Square:
    x: float
    text: str
    shade: int  # 0 or 1: groups take turns


@dataclass(frozen=True)
class Wire:
    path: str
    shade: int


@dataclass(frozen=True)
class HeadMap:
    queries: tuple[Square, ...]
    keys: tuple[Square, ...]
    wires: tuple[Wire, ...]
    q_side: float
    k_side: float
    width: float
    height: float = HEIGHT


@dataclass(frozen=True)
class HeadGroup:
    kv: int
    queries: str


def groups(head_map: tuple[int, ...]) -> tuple[HeadGroup, ...]:
    """Which query heads read each key/value head, in the order of the latter."""
    order = sorted(range(len(head_map)), key=lambda q: (head_map[q], q))
    by_kv = groupby(order, key=lambda q: head_map[q])
    return tuple(HeadGroup(kv, runs(tuple(qs))) for kv, qs in by_kv)


def draw(head_map: tuple[int, ...]) -> HeadMap | None:
    """None where there is nothing to see: one head, or more than can be drawn."""
    if not 1 < len(head_map) <= MOST:
        return None
    kvs = sorted(set(head_map))
    shades = {kv: i % 2 for i, kv in enumerate(kvs)}
    width = min(WIDTH, len(head_map) * SIDE * 1.5)
    queries, q_side = _row(len(head_map), width)
    keys, k_side = _row(len(kvs), width)
    below = dict(zip(kvs, keys, strict=True))
    named = len(head_map) <= NAMED_UP_TO
    return HeadMap(
        tuple(
            Square(x, str(q) if named else "", shades[kv])
            for q, (x, kv) in enumerate(zip(queries, head_map, strict=True))
        ),
        tuple(Square(x, str(kv) if len(kvs) <= NAMED_UP_TO else "", shades[kv]) for kv, x in below.items()),
        tuple(
            Wire(_wire(x + q_side / 2, q_side, below[kv] + k_side / 2, HEIGHT - k_side), shades[kv])
            for x, kv in zip(queries, head_map, strict=True)
        ),
        q_side,
        k_side,
        width,
    )


def _row(n: int, width: float) -> tuple[list[float], float]:
    """The left edges of n squares that stand evenly over the width, and their side."""
    step = width / n
    side = round(min(SIDE, step * 0.8), 2)
    return [round(i * step + (step - side) / 2, 2) for i in range(n)], side


def _wire(x0: float, y0: float, x1: float, y1: float) -> str:
    middle = round((y0 + y1) / 2, 2)
    return f"M{x0:.2f} {y0:.2f}C{x0:.2f} {middle:.2f} {x1:.2f} {middle:.2f} {x1:.2f} {y1:.2f}"

"""Random parameters of a demo, and parameters that no demo takes."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from kernels.catalog import BadParams, Demo, Param, parse, refusals
from kernels.params import Value

TRIES = 2000


def valid(entry: Demo, rng: random.Random, *, interpreter: bool = True, **fixed: Value) -> dict[str, Value]:
    """Parameters that the demo takes and that a machine without a GPU runs: each is often at an end of its limits.

    What does not fit together is drawn anew, with more and more parameters left at their default.
    """
    for attempt in range(TRIES):
        boldness = 1 - attempt / TRIES
        raw = {p.name: some(p, rng) for p in entry.params if rng.random() < boldness} | fixed
        try:
            params = parse(entry, raw)
        except BadParams:
            continue
        if not refusals(entry, params, interpreter=interpreter):
            return params
    raise AssertionError(f"No parameters of {entry.name} with {fixed} were found in {TRIES} tries.")


def some(param: Param, rng: random.Random) -> Value:
    """A value within the limits: an end of them every third time, else small ones as often as large ones."""
    if param.kind == "bool":
        return rng.random() < 0.5
    if param.kind == "choice":
        return rng.choice(param.choices)
    low, high = ends(param)
    if rng.random() < 1 / 3:
        return rng.choice((low, high))
    if param.kind == "float":
        return rng.uniform(low, high)
    shift = 1 - low  # so that a logarithm exists
    return round(math.exp(rng.uniform(0, math.log(high + shift)))) - round(shift)


def ends(param: Param) -> tuple[int, int] | tuple[float, float]:
    """The lowest and the highest value of a number."""
    assert param.low is not None
    assert param.high is not None
    return (round(param.low), round(param.high)) if param.kind == "int" else (param.low, param.high)


def invalid(param: Param) -> Iterator[object]:
    """Values that the parameter does not take: just outside, far outside, of the wrong kind."""
    yield from ([], {}, "nan", "\x00", "a" * 500, math.nan, [1])
    if param.kind in ("int", "float"):
        low, high = ends(param)
        yield from (low - 1, high + 1, str(high + 1), 10**30, "-inf", "many", True)
        if param.kind == "int":
            yield from (low + 0.5, "1e3")
    elif param.kind == "bool":
        yield from ("perhaps", 2, 0.5)
    else:
        yield from ("none of these", 7, -0.5)

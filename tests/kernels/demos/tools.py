"""What the tests of the demos share: runs of random parameters, what the copied PyTorch computes, sentences read back.

A sentence beside a block is read back by a pattern and held against the figures of the run. contradictions() finds
those that are untrue, and those that no reading knows, so that none is added without one.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from kernels.catalog import BadParams, demo, parse, parse_line
from kernels.params import Value
from kernels.result import Check, Result
from kernels.run import run
from tests.kernels import sampling

Reading: TypeAlias = Callable[[re.Match[str], Result], bool]
Readings: TypeAlias = Mapping[str, Mapping[str, Reading]]
"""By block id and pattern: whether what a sentence says is so in that run."""


def ran(line: str, seed: int = 0) -> Result:
    """What a line gives; as JSON it is the same."""
    entry, params = parse_line(line)
    result = run(entry.name, {**params, "seed": seed})
    again = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert Result.from_json(again).to_json() == again
    return result


def sampled(name: str, times: int, **fixed: Value) -> Iterator[Result]:
    """Runs with random valid parameters, the same ones at each call."""
    rng = random.Random(name)
    for _ in range(times):
        yield run(name, sampling.valid(demo(name), rng, **fixed))


def data(result: Result, block_id: str) -> Any:
    return result.block(block_id).data


def broken(result: Result) -> list[str]:
    """The ids of the checks that do not hold."""
    return [block.id for block in result.blocks if isinstance(block.data, Check) and not block.data.holds]


def copied(result: Result, block_id: str = "code") -> dict[str, Any]:
    """The names that the code of a block has defined once it has run in a namespace of its own."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(data(result, block_id).text, result.demo, "exec"), names)
    return names


def contradictions(r: Result, readings: Readings) -> list[str]:
    """The sentences of a run, each with its block's id, that no reading of the block knows or that are not so."""
    found = []
    for block in r.blocks:
        note = block.data.text if block.type == "note" else ""  # type: ignore[union-attr]
        for sentence in filter(None, (block.look_for, block.alt, note)):
            fits = [
                (match, reading)
                for pattern, reading in readings.get(block.id, {}).items()
                if (match := re.fullmatch(pattern, sentence))
            ]
            if len(fits) != 1 or not fits[0][1](fits[0][0], r):
                found.append(f"{block.id}: {sentence}")
    return found


def chosen(name: str, seed: int, count: int, **ranges: tuple[Value, ...]) -> Iterator[dict[str, Value]]:
    """Parameters out of these values that the demo takes."""
    chance, entry = random.Random(seed), demo(name)
    while count:
        params = {key: chance.choice(values) for key, values in ranges.items()}
        try:
            parse(entry, params)
        except BadParams:
            continue
        count -= 1
        yield params

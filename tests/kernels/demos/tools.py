"""What the tests of the demos share: runs of random parameters, and what the copied PyTorch computes."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Iterator
from typing import Any

from kernels.catalog import demo
from kernels.params import Value
from kernels.result import Check, Result
from kernels.run import run
from tests.kernels import sampling


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

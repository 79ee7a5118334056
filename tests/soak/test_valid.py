"""Whatever a demo takes, it runs: random valid parameters, ends of limits included, through the real child process.

Each case says how to see it again: `aloud demo run <line>`.
"""

import json
import math
import os
import random
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from app.demos import drawing
from app.worker.oneshot import Bench, RunFailed
from kernels.catalog import DEMOS, canonical
from kernels.params import Demo, Params
from kernels.result import MOST_BYTES, Check, Result
from tests.kernels.sampling import valid

COUNT = int(os.environ.get("SOAK", "30"))
SEED = int(os.environ.get("SOAK_SEED", "1"))


QUICK = 30  # with this many sets at most, runs are kept short: `make test` has little time
LONG_S = 100  # a demo with a longer deadline compiles or measures for minutes, so only a long soak takes it
DRAWS = 4
EXEMPT = {"attention": lambda p: p["fill"] != "-inf" or p["mask_at"] == "after"}
"""Variants that a learner picks to see them break: their checks may fail, and say so."""


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """One child for all, as a worker has it: what one run leaves behind must not harm the next."""
    with Bench() as made:
        yield made


def drawn(case: int) -> tuple[Demo, Params]:
    """The demo and the parameters of a case: all demos in turn, in an order that the seed shuffles."""
    quick = COUNT <= QUICK
    names = [name for name, entry in DEMOS.items() if not quick or entry.deadline_s <= LONG_S]
    random.Random(SEED).shuffle(names)
    entry, rng = DEMOS[names[case % len(names)]], random.Random(f"{SEED} {case}")
    draws = [valid(entry, rng) for _ in range(DRAWS if quick else 1)]
    return entry, min(draws, key=lambda params: size(entry, params))


def size(entry: Demo, params: Params) -> float:
    """How large a run is, about: the product of its numbers."""
    return math.prod(
        max(1.0, float(params[p.name])) for p in entry.params if p.kind == "int" and p.name != "seed"
    )


@pytest.mark.parametrize("case", range(COUNT))
def test_a_valid_set_of_parameters_gives_a_result_that_holds(case: int, bench: Bench) -> None:
    entry, params = drawn(case)
    if missing := [library for library in entry.needs if find_spec(library) is None]:
        pytest.skip(f"This demo needs {missing[0]}, which is not installed here.")
    line = f"{entry.name} {canonical(entry, params)}".strip()
    shown = f"SOAK_SEED={SEED}, case {case}: aloud demo run {line}"
    try:
        body = bench.run(line)
    except RunFailed as failed:
        pytest.fail(f"{shown}\n{failed}")
    assert len(json.dumps(body, allow_nan=False)) < MOST_BYTES, shown
    result = Result.from_json(body)
    drawing.check(result)
    broken = [b.id for b in result.blocks if isinstance(b.data, Check) and not b.data.holds]
    if not EXEMPT.get(entry.name, lambda p: False)(params):
        assert broken == [], shown

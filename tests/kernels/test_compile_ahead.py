"""The kernels compile for chips that are not here: no spills at the settings offered, shared memory within the limit.

Every setting that is offered is built under the marker `ahead` (some minutes: pytest -m ahead); otherwise the
corners are, where nothing is timed.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels.tuning import Chip, Config, Problem, candidates, least_shared
from tests.kernels.cubin import SHARED

Build = dict[str, Any]
MOST_A_PROCESS = 12
SPILLED = 16
"""Bytes of stack that decode takes on sm_120 where 64 rows of 128 numbers are packed: see decode.config()."""


def builds_of(wanted: Sequence[Build], folder: Path) -> list[Build]:
    """What the script tells of them, compiled by as many processes at once as there are processors."""
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    environment |= {"TRITON_CACHE_DIR": str(folder), "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, str(Path(__file__).with_name("compile_ahead.py"))]

    def told(share: Sequence[Build]) -> list[Build]:
        lines = "".join(json.dumps(build) + "\n" for build in share)
        done = subprocess.run(
            command, input=lines, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return [json.loads(line) for line in done.stdout.splitlines()]

    at_once = os.cpu_count() or 1
    processes = max(at_once, -(-len(wanted) // MOST_A_PROCESS))
    shares = [wanted[i::processes] for i in range(min(processes, len(wanted)))]
    with ThreadPoolExecutor(at_once) as pool:
        return list(itertools.chain.from_iterable(pool.map(told, shares)))


WINDOWED: list[Build] = [
    {"kernel": "flash", "chip": chip, "d": d, "causal": True, "window": 100}
    for chip, d in ((80, 128), (90, 64), (90, 128), (100, 64), (100, 128))
]
CORNERS: list[Build] = [
    *({"kernel": "flash", "chip": chip, "d": d, "causal": True}
      for chip, d in itertools.product((80, 90, 100), (64, 128, 256))),
    {"kernel": "flash", "chip": 90, "d": 128, "causal": False},
    {"kernel": "flash", "chip": 86, "d": 128, "causal": True},
    {"kernel": "flash", "chip": 90, "d": 128, "causal": True, "window": 100},
    {"kernel": "flash", "chip": 90, "d": 128, "causal": False, "dtype": "float32"},
    {"kernel": "flash", "chip": 90, "d": 128, "causal": True, "setting": [128, 128, 8, 2, True]},
    {"kernel": "naive", "chip": 90, "d": 128, "causal": True},
    {"kernel": "decode", "chip": 80, "d": 128, "rows": 64, "window": 1},
    {"kernel": "decode", "chip": 90, "d": 128, "rows": 8},
]  # fmt: skip
KERNELS = {"flash": ["forward"], "naive": ["scores", "softmax", "mix"], "decode": ["attend", "combine"]}


def offered() -> Iterator[Build]:
    """Every candidate for every chip and head size, causal or not (of sm_120, whose memory is small, up to 128), and
    every setting of decode."""
    yield from WINDOWED
    for chip, d, causal, dtype in itertools.product(
        (80, 90, 100, 120), (64, 128, 256), (True, False), ("bfloat16", "float32")
    ):
        problem = Problem(d, getattr(torch, dtype), causal, windowed=False, describable=True)
        build = {"kernel": "flash", "chip": chip, "d": d, "dtype": dtype, "causal": causal}
        if (chip, d) != (120, 256):
            for setting in candidates(problem, Chip(chip, SHARED[chip])):
                yield build | {"setting": list(setting)}
    for chip, d, rows, window in itertools.product(SHARED, (64, 128, 256), (8, 32, 64), (None, 1)):
        yield {"kernel": "decode", "chip": chip, "d": d, "rows": rows, "window": window}


@pytest.fixture(scope="module")
def corners(tmp_path_factory: pytest.TempPathFactory) -> list[Build]:
    return builds_of(CORNERS, tmp_path_factory.mktemp("triton"))


def test_the_corners_compile_and_fit_without_spilling(corners: list[Build]) -> None:
    names = [build["name"] for build in corners]
    assert sorted(names) == sorted(name for build in CORNERS for name in KERNELS[build["kernel"]])
    for build in corners:
        assert_fits(build)


def test_each_generation_runs_on_its_own_matrix_units(corners: list[Build]) -> None:
    for build in corners:
        if build["kernel"] != "flash" or build.get("dtype") == "float32":
            continue
        expected = {90: {"wgmma"}, 100: {"tcgen05"}}.get(build["chip"], set())
        by_tma = {"cp.async.bulk.tensor"} if build["setting"][4] else set()
        assert set(build["units"]) == expected | by_tma, build


@pytest.mark.ahead
def test_so_does_all_that_is_offered(tmp_path: Path) -> None:
    wanted = list(offered())
    builds = builds_of(wanted, tmp_path)
    assert len(builds) == sum(len(KERNELS[build["kernel"]]) for build in wanted)
    for build in builds:
        spills = (build["chip"], build["d"], build.get("rows")) == (120, 128, 64)
        assert_fits(build, stack=SPILLED if spills else 0)


def assert_fits(build: Build, stack: int = 0) -> None:
    assert build["stack"] <= stack, build
    assert 0 < build["reg"] <= 255, build
    assert build["shared"] <= SHARED[build["chip"]], build
    if build["kernel"] == "flash":
        dtype = getattr(torch, build.get("dtype", "bfloat16"))
        assert build["shared"] >= least_shared(Config(*build["setting"]), build["d"], dtype), build

"""The kernels compile for chips that are not here: no spills at the settings offered, shared memory within the limit.

Every setting that the tuner may try is built under the marker `ahead` (some minutes: pytest -m ahead); otherwise the
corners are, where nothing is timed.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels.tuning import Chip, Config, Problem, candidates, least_shared

SHARED = {80: 166_912, 86: 101_376, 90: 232_448, 100: 232_448, 120: 101_376}
"""Bytes of shared memory that one block may use (CUDA C++ Programming Guide, compute capabilities)."""

Build = dict[str, Any]


def builds_of(wanted: Sequence[Build], folder: Path) -> list[Build]:
    """What the script tells of them, compiled by as many processes as there are processors."""
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    environment |= {"TRITON_CACHE_DIR": str(folder), "PYTHONPATH": str(Path(__file__).parents[2])}
    script = Path(__file__).with_name("compile_ahead.py")
    shares = [wanted[i :: os.cpu_count() or 1] for i in range(os.cpu_count() or 1)]
    running = [
        subprocess.Popen(
            [sys.executable, script, *map(json.dumps, share)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for share in shares
        if share
    ]
    told = []
    for process in running:
        out, err = process.communicate(timeout=1200)
        assert process.returncode == 0, err[-2000:]
        told += [json.loads(line) for line in out.splitlines()]
    return told


CORNERS: list[Build] = [
    *({"chip": chip, "d": d, "causal": causal}
      for chip, d, causal in itertools.product((80, 90, 100), (64, 128, 256), (True, False))),
    {"chip": 86, "d": 128, "causal": True},
    {"chip": 120, "d": 64, "causal": True},
    *({"chip": chip, "d": d, "causal": True, "window": 100}
      for chip, d in ((80, 128), (90, 64), (90, 128), (100, 64), (100, 128))),
    *({"chip": 90, "d": d, "causal": False, "dtype": "float32"} for d in (64, 128, 256)),
    {"chip": 90, "d": 128, "causal": True, "setting": [128, 128, 8, 2, True]},
    {"chip": 100, "d": 256, "causal": False, "setting": [128, 64, 8, 2, True]},
    {"chip": 90, "d": 128, "causal": True, "kernel": "naive"},
]  # fmt: skip


def offered() -> list[Build]:
    """Every candidate for every chip and head size, causal or not; of sm_120, whose memory is small, up to 128."""
    found = []
    for chip, d, causal, dtype in itertools.product(
        (80, 90, 100, 120), (64, 128, 256), (True, False), ("bfloat16", "float32")
    ):
        problem = Problem(d, getattr(torch, dtype), causal, windowed=False, describable=True)
        if (chip, d) != (120, 256):
            found += [
                {"chip": chip, "d": d, "dtype": dtype, "causal": causal, "setting": list(setting)}
                for setting in candidates(problem, Chip(chip, SHARED[chip]))
            ]
    return found


@pytest.fixture(scope="module")
def corners(tmp_path_factory: pytest.TempPathFactory) -> list[Build]:
    return builds_of(CORNERS, tmp_path_factory.mktemp("triton"))


def test_the_corners_compile_and_fit_without_spilling(corners: list[Build]) -> None:
    assert len(corners) == len(CORNERS) + 2  # naive is three kernels
    for build in corners:
        assert_fits(build)


def test_each_generation_runs_on_its_own_matrix_units(corners: list[Build]) -> None:
    for build in corners:
        if build.get("kernel") == "naive" or build.get("dtype") == "float32":
            continue
        expected = {90: {"wgmma"}, 100: {"tcgen05"}}.get(build["chip"], set())
        by_tma = {"cp.async.bulk.tensor"} if build["setting"][4] else set()
        assert set(build["units"]) == expected | by_tma, build


@pytest.mark.ahead
def test_so_does_all_that_the_tuner_may_try(tmp_path: Path) -> None:
    builds = builds_of(offered(), tmp_path)
    assert len(builds) == len(offered())
    for build in builds:
        assert_fits(build)


def assert_fits(build: Build) -> None:
    assert build["stack"] == 0, build
    assert 0 < build["reg"] <= 255, build
    assert build["shared"] <= SHARED[build["chip"]], build
    if build["setting"]:
        dtype = getattr(torch, build.get("dtype", "bfloat16"))
        assert build["shared"] >= least_shared(Config(*build["setting"]), build["d"], dtype), build

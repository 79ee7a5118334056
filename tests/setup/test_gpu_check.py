"""make gpu-check: what it lacks it tells in a sentence, and its steps keep to their time. No GPU is needed here."""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import gpu_check
import pytest
from gpu_check import Budget

from app.settings import ROOT
from kernels.device import settle
from tests import marks

HAS_GPU = settle().kind == "cuda"  # decided before Triton is imported
gpu_bench = pytest.importorskip("gpu_bench", reason=marks.TRITON_MISSING)
Row, Shape = gpu_bench.Row, gpu_bench.Shape


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def bare(tmp_path: Path) -> Path:
    """A Python that has nothing but its standard library."""
    path = tmp_path / "python3"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    path.chmod(0o755)
    return path


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "ARGS"}
    return subprocess.run(
        ["make", "-C", str(ROOT), "--no-print-directory", "gpu-check", *arguments],
        capture_output=True, text=True, check=False, env=environment, timeout=60,
    )  # fmt: skip


def test_a_python_without_the_libraries_is_told_in_one_sentence(tmp_path: Path) -> None:
    done = make(f"PYTHON={bare(tmp_path)}")
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(said) == 1
    assert "lacks torch and triton and pytest, and gpu-check installs nothing" in said[0]
    assert done.stdout == ""


def test_a_python_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = make(f"PYTHON={tmp_path}/none")
    assert done.returncode != 0
    assert "There is no" in done.stdout + done.stderr


def test_what_alone_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = gpu_check.importlib.util.find_spec
    monkeypatch.setattr(
        gpu_check.importlib.util, "find_spec", lambda name: None if name == "pytest" else real(name)
    )
    assert "lacks pytest, and gpu-check installs nothing" in gpu_check.lacking()
    monkeypatch.setattr(gpu_check.sys, "version_info", (3, 10, 4))
    assert "name 3.11 or newer" in gpu_check.lacking()


@pytest.mark.skipif(HAS_GPU, reason="There is a CUDA device here.")
def test_without_a_gpu_it_says_so_and_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu_check.main([]) == 2
    assert (
        capsys.readouterr().err
        == "There is no CUDA device here; on a CPU, --rehearse runs the logic alone.\n"
    )


@pytest.mark.skipif(HAS_GPU, reason="A rehearsal takes the interpreter.")
def test_a_rehearsal_runs_all_of_it_and_shows_no_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_check, "TESTS", ("-c", "pass"))
    assert gpu_check.main(["--rehearse", "--json", str(tmp_path / "made.json")]) == 0
    made = json.loads((tmp_path / "made.json").read_text())
    assert made["rehearsal"] is True
    assert [(step["name"], step["state"]) for step in made["steps"]] == [
        ("tests", "collected"),
        ("forward", "passed"),
        ("decode", "passed"),
        ("records", "skipped"),
    ]
    ran = {(row["kernel"], row["way"]) for row in made["rows"] if not row["why"]}
    assert {(kernel, way) for kernel in ("forward", "decode") for way in ("ours", "SDPA math")} <= ran
    assert all("ms" not in row and "tflops" not in row for row in made["rows"])
    assert made["steps"][0]["words"] == "A GPU would run them."
    assert made["words"].startswith(f"{made['name']}, torch {made['torch']}")
    told = capsys.readouterr().out
    assert "driver" not in told.splitlines()[0]
    assert "SDPA cuDNN       not offered for this shape here" in told
    assert "wide" not in told


BARE = """
import os, sys
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # what is not there brings no plugin
for name in ("app", "alembic", "fastapi", "httpx", "hypothesis", "jinja2", "playwright", "pydantic", "sqlalchemy"):
    sys.modules[name] = None
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


def test_the_tests_that_it_runs_are_found_where_nothing_else_is_installed() -> None:
    """A box with a GPU has what NEEDS names, and no more: its tests know nothing of the web side."""
    assert gpu_check.TESTS[:2] == ("-m", "pytest")
    command = [sys.executable, "-c", BARE, *gpu_check.TESTS[2:], "--collect-only"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout
    assert "test_flash.py::" in done.stdout
    assert "test_decode.py::" in done.stdout


def test_a_program_that_takes_too_long_is_ended() -> None:
    endless = [sys.executable, "-c", "import time; time.sleep(60)"]
    assert gpu_check.program("tests", endless, Budget(60), 0.2, least=0.1).state == "stopped"


def test_a_program_is_not_started_without_time_and_its_exit_is_told() -> None:
    assert gpu_check.program("records", ["none"], Budget(1), 60.0).state == "skipped"
    ended = gpu_check.program("tests", [sys.executable, "-c", "exit(3)"], Budget(60), 60.0)
    assert (ended.state, ended.words) == ("failed", "It ended with 3.")


def test_time_that_is_up_ends_the_shapes_and_names_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()

    def rows(shape: Shape, device: str) -> list[Row]:
        clock.now += 8
        return [Row(*shape, "ours", ms=1.0, tflops=1.0)]

    monkeypatch.setattr(gpu_bench, "rows", rows)
    shapes = gpu_bench.forward_shapes(False)[:4]
    monkeypatch.setattr(gpu_bench, "forward_shapes", lambda _: shapes)
    step, timed = gpu_check.times("forward", Budget(100, clock), 15, "cpu", False)
    assert (step.state, len(timed)) == ("stopped", 2)
    assert step.words == (
        "No time was left for b=4 h=16:16 n=4096x4096 d=128 full; b=2 h=16:16 n=8192x8192 d=128 full."
    )
    assert gpu_check.times("forward", Budget(0, clock), 15, "cpu", False)[0].state == "skipped"


def test_a_fault_of_our_kernel_fails_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_bench, "rows", lambda shape, _: [Row(*shape, "ours", why="out of memory")])
    step, _ = gpu_check.times("decode", Budget(100), 50, "cpu", True)
    assert (step.state, step.words) == ("failed", "Our kernel, 1 times, first: out of memory.")

    def broken(shape: Shape, device: str) -> list[Row]:
        raise RuntimeError("CUDA error: an illegal memory access was encountered\nmore")

    monkeypatch.setattr(gpu_bench, "rows", broken)
    step, timed = gpu_check.times("decode", Budget(100), 50, "cpu", True)
    assert (step.state, timed) == ("failed", [])
    assert step.words == "RuntimeError: CUDA error: an illegal memory access was encountered"


def test_a_wrong_kernel_is_never_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        gpu_bench, "_offered", lambda s, q, k, v: iter([("a", lambda: q), ("b", lambda: q + 1)])
    )
    a, b = gpu_bench.rows(gpu_bench.forward_shapes(True)[0], "cpu")
    assert a.ms is not None
    assert (b.way, b.ms, b.why) == ("b", None, "it differs from the first way by up to 1")


def test_the_work_is_the_papers() -> None:
    shapes = gpu_bench.forward_shapes(False)
    assert {shape.batch * shape.n_q for shape in shapes} == {16384}
    assert {shape.h_q * shape.d for shape in shapes} == {2048}
    full = next(s for s in shapes if s.n_q == 4096 and s.d == 128 and not s.causal)
    assert full.flop == 4 * 4 * 16 * 4096**2 * 128
    causal = full._replace(causal=True)
    assert causal.flop == full.flop * (4096 + 1) / (2 * 4096)
    assert max(s.cache for s in gpu_bench.decode_shapes(False)) == 2 * 2 * 64 * 8 * 4096 * 128


def row(d: int, ratio: float, **changes: object) -> Row:
    shape = Shape("forward", 1, 16, 16, 8192, 8192, d, True)
    return replace(Row(*shape, "ours", ms=2.0, tflops=400.4, ratio=ratio), **changes)  # type: ignore[arg-type]


def test_the_bar_is_held_or_missed_by_the_slowest_of_the_long_ones() -> None:
    short = row(64, 0.1, n_q=1024)
    lines = gpu_check.verdict([row(128, 0.66), row(128, 0.9), row(64, 0.79), short])
    assert lines[1].endswith("0.66 to 0.90 of the fastest SDPA backend; the bar of 0.65 is held.")
    assert lines[2].endswith("0.79 to 0.79 of the fastest SDPA backend; the bar of 0.80 is missed.")


def test_a_row_of_the_table_marks_a_wide_spread() -> None:
    told = gpu_check.line(row(128, 0.66, wide=True), rehearse=False)
    assert " ".join(told.split()) == "forward b=1 h=16:16 n=8192x8192 d=128 causal ours 2.000 400 0.66 ~"


def test_arguments_have_places_for_the_figures_and_the_records() -> None:
    given: argparse.Namespace = gpu_check._parser().parse_args([])
    assert (given.json, given.into, given.minutes < 8) == (
        Path("gpu-check.json"),
        Path("content/recorded"),
        True,
    )

"""make gpu-check PYTHON=python3: tests, times and records on a machine with a GPU, in under eight minutes.

It installs nothing. It needs Python 3.11 or newer with torch, triton and pytest, and a CUDA device. Each step has a
part of the time; what is left over is skipped and named. Figures go to the terminal and, as JSON, into one file.

    make gpu-check PYTHON=python3
    make gpu-check PYTHON=python3 ARGS="--json h200.json --minutes 5"
    python3 scripts/gpu_check.py --rehearse        # its logic on a CPU, with tiny sizes and no figures
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from gpu_bench import Row, Shape

ROOT = Path(__file__).parent.parent
NEEDS = ("torch", "triton", "pytest")
OLDEST = (3, 11)
LEAST_S = 5.0  # what a program needs to be worth starting
BAR = {128: 0.65, 64: 0.80}  # of the fastest SDPA backend, by head size, from BAR_FROM tokens on
BAR_FROM = 4096
TESTS = (
    "-m", "pytest", "-c", os.devnull, "--rootdir", ".", "--confcutdir=tests/kernels", "--import-mode=importlib",
    "-p", "no:cacheprovider", "-o", "markers=gpu: needs a CUDA device", "-q", "-m", "gpu", "tests/kernels",
)  # fmt: skip


class Budget:
    """Seconds that are left of the whole; each step may take a share of what is left."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    @property
    def left(self) -> float:
        return self._end - self._clock()

    def until(self, seconds: float) -> Callable[[], bool]:
        """A question: have these seconds, or all that is left, been used up?"""
        end = min(self._clock() + seconds, self._end)
        return lambda: self._clock() >= end


class Step(NamedTuple):
    """What became of one step: passed, failed, stopped when its time was up, or skipped; and a sentence.

    In a rehearsal the tests are collected, which is not passed.
    """

    name: str
    state: str
    words: str


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    if sentence := lacking():
        print(sentence, file=sys.stderr)
        return 2
    sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
    from kernels.device import settle

    machine = settle()
    if machine.kind != "cuda" and not given.rehearse:
        print("There is no CUDA device here; on a CPU, --rehearse runs the logic alone.", file=sys.stderr)
        return 2
    if machine.interpreter and not given.rehearse:
        print(
            "TRITON_INTERPRET is set, and an interpreter's time is no kernel's speed; unset it.",
            file=sys.stderr,
        )
        return 2
    return check(given, machine.kind)


def check(given: argparse.Namespace, device: Literal["cpu", "cuda"]) -> int:
    """All steps, one after the other, and the file. 0 where none failed."""
    budget = Budget(60 * given.minutes)
    about = describe(device, given.rehearse)
    say(about["words"])
    steps = [tests(budget, given.rehearse)]
    rows: list[Row] = []
    for name, share in (("forward", 150.0), ("decode", 60.0)):
        step, timed = times(name, budget, share, device, given.rehearse)
        steps.append(step)
        rows += timed
    if rows and not given.rehearse:
        say("\n".join(verdict(rows)))
    steps.append(records(budget, given.into, given.rehearse))
    report = {
        **about,
        "steps": [step._asdict() for step in steps],
        "rows": [row.to_json(not given.rehearse) for row in rows],
    }
    given.json.write_text(json.dumps(report, indent=1) + "\n")
    say("", *(f"{step.name}: {step.state}. {step.words}" for step in steps), f"Written to {given.json}.")
    return int(any(step.state == "failed" for step in steps))


def lacking() -> str:
    """What this Python lacks, in a sentence that says what to do; empty where it lacks nothing."""
    name = sys.executable or "This Python"
    if sys.version_info < OLDEST:
        return f"{name} is Python {platform.python_version()}; name 3.11 or newer: make gpu-check PYTHON=python3.12"
    absent = [library for library in NEEDS if importlib.util.find_spec(library) is None]
    if not absent:
        return ""
    return (
        f"{name} lacks {' and '.join(absent)}, and gpu-check installs nothing; "
        "name a Python that has them: make gpu-check PYTHON=<path>"
    )


def describe(device: Literal["cpu", "cuda"], rehearse: bool) -> dict[str, object]:
    """The machine, exactly: device, driver, versions, and on a GPU what it does at most, measured."""
    from kernels import device as machine

    here = machine.describe(device)
    about: dict[str, object] = {**here, "python": platform.python_version(), "rehearsal": rehearse}
    versions = (f"{name} {here[name]}" for name in ("driver", "torch", "triton") if here[name])
    words = ", ".join((here["name"], *versions))
    if device == "cuda":
        from kernels.here import measured

        roof = measured(device, budget_s=2.0)
        about |= {"bandwidth": roof.bandwidth, "peak": roof.peak}
        words += (
            f"\nMeasured: {roof.peak / 1e12:,.0f} TFLOP/s in bf16, {roof.bandwidth / 1e12:.2f} TB/s of a copy, "
            f"ridge {roof.ridge:,.0f} FLOP/B"
        )
    return about | {"words": words}


def tests(budget: Budget, rehearse: bool) -> Step:
    """The kernel tests that are marked gpu; in a rehearsal they are only collected."""
    command = [sys.executable, *TESTS, *(["--collect-only"] if rehearse else [])]
    step = program("tests", command, budget, 180.0, quiet=rehearse)
    if rehearse and step.state == "passed":
        return step._replace(state="collected", words="A GPU would run them.")
    return step


def records(budget: Budget, into: Path, rehearse: bool) -> Step:
    """Results of the demos on this GPU, for those who have none."""
    command = [sys.executable, "-m", "kernels.record", "--into", str(into), "--device", "cuda"]
    if rehearse:
        return Step(
            "records", "skipped", f"A rehearsal records nothing; a GPU would run {' '.join(command[1:])}."
        )
    return program("records", command, budget, 120.0)


def times(name: str, budget: Budget, seconds: float, device: str, rehearse: bool) -> tuple[Step, list[Row]]:
    """All shapes of `forward` or `decode`, shape after shape until the time is up."""
    import gpu_bench

    shapes: list[Shape] = getattr(gpu_bench, f"{name}_shapes")(rehearse)
    over, rows = budget.until(seconds), []
    for i, shape in enumerate(shapes):
        if over():
            left = "; ".join(map(words, shapes[i:]))
            return Step(name, "stopped" if i else "skipped", f"No time was left for {left}."), rows
        try:
            timed = gpu_bench.rows(shape, device)
        except Exception as error:  # a fault of the device: nothing that follows could be trusted
            return Step(name, "failed", f"{type(error).__name__}: {error}".splitlines()[0]), rows
        if i == 0:
            say("", heading(name))
        say(*(line(row, rehearse) for row in timed))
        rows += timed
    if faults := [row for row in rows if row.way == gpu_bench.OURS and row.why]:
        return Step(name, "failed", f"Our kernel, {len(faults)} times, first: {faults[0].why}."), rows
    wide = 0 if rehearse else sum(row.wide for row in rows)
    spread = f" {wide} of {len(rows)} rows have a wide spread (~): trust their ratios less." if wide else ""
    return Step(name, "passed", f"Shapes: {len(shapes)}.{spread}"), rows


def heading(name: str) -> str:
    what = "TFLOP/s" if name == "forward" else "GB/s"
    return f"{name:8} {'shape':34} {'way':16} {'ms':>9} {what:>9} {'of SDPA':>8}"


def line(row: Row, rehearse: bool) -> str:
    """One row of the table; a rehearsal shows no time, since an interpreter has no speed."""
    head = f"{row.kernel:8} {words(row):34} {row.way:16}"
    if row.ms is None:
        return f"{head} {row.why}"
    if rehearse:
        return f"{head} ran"
    speed = row.tflops if row.kernel == "forward" else row.gbs
    ratio = f"{row.ratio:8.2f}" if row.ratio is not None else f"{'-':>8}"
    return f"{head} {row.ms:9.3f} {speed:9,.0f} {ratio}{' ~' if row.wide else ''}"


def words(shape: Shape | Row) -> str:
    """A shape, as it stands in a row of the table."""
    mask = "causal" if shape.causal else "full"
    return f"b={shape.batch} h={shape.h_q}:{shape.h_kv} n={shape.n_q}x{shape.n_kv} d={shape.d} {mask}"


def verdict(rows: Sequence[Row]) -> list[str]:
    """Our kernels against the fastest SDPA backend: where the bar is held, and where it is missed."""
    judged = [
        row
        for row in rows
        if row.way == "ours" and row.kernel == "forward" and row.n_q >= BAR_FROM and row.ratio is not None
    ]
    lines = [""]
    for d, bar in BAR.items():
        ratios = [row.ratio for row in judged if row.d == d]
        if ratios:
            held = "held" if min(ratios) >= bar else "missed"
            lines.append(
                f"d={d}, from {BAR_FROM:,} tokens: {min(ratios):.2f} to {max(ratios):.2f} of the fastest SDPA backend; "
                f"the bar of {bar:.2f} is {held}."
            )
    steps = [
        row.ratio for row in rows if row.way == "ours" and row.kernel == "decode" and row.ratio is not None
    ]
    if steps:
        lines.append(f"decode: {min(steps):.2f} to {max(steps):.2f} of the fastest SDPA backend.")
    return lines


def program(
    name: str,
    command: Sequence[str],
    budget: Budget,
    seconds: float,
    *,
    least: float = LEAST_S,
    quiet: bool = False,
) -> Step:
    """Runs a program in a group of its own, which is killed when its time is up; not with less than `least` seconds."""
    patience = min(seconds, budget.left)
    if patience < least:
        return Step(name, "skipped", "No time was left.")
    say("", f"{name}, at most {patience:.0f} s")
    out = subprocess.DEVNULL if quiet else None
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, start_new_session=True)
    try:
        code = process.wait(patience)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return Step(name, "stopped", f"Stopped after {patience:.0f} s; what it did before counts.")
    return Step(name, "failed" if code else "passed", f"It ended with {code}." if code else "All of it.")


def say(*lines: object) -> None:
    for text in lines:
        print(text, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make gpu-check", description="Check the kernels on a GPU.")
    parser.add_argument("--json", type=Path, default=Path("gpu-check.json"), help="file of the figures")
    parser.add_argument("--into", type=Path, default=Path("content/recorded"), help="folder of the records")
    parser.add_argument("--minutes", type=float, default=7.5, help="time for all steps together")
    parser.add_argument("--rehearse", action="store_true", help="tiny sizes on a CPU, no figures")
    return parser


if __name__ == "__main__":
    sys.exit(main())

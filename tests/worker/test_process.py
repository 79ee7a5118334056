"""A child that goes wrong in every way there is: its parent always gets an end, and the next run is served."""

import asyncio
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.jobs.states import Outcome
from app.settings import ROOT
from app.worker.process import Child, ChildLost, End
from tests.marks import linux

FAULTY = (sys.executable, str(Path(__file__).with_name("faulty.py")))
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


class Bench:
    """A child, and a way to run one demo after the other on it; notes the progress."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self.child = Child(ENVIRONMENT, FAULTY)
        self.progress: list[tuple[float, str]] = []
        self._runner = runner

    def __call__(self, name: str, deadline_s: float = 30) -> End:
        async def work() -> End:
            if not self.child.alive:
                await self.child.start()
            return await self.child.run(
                {"demo": name, "params": {}},
                deadline_s=deadline_s,
                progress=lambda *told: self.progress.append(told),
            )

        return self._runner.run(work())


@pytest.fixture
def bench():
    with asyncio.Runner() as runner:
        made = Bench(runner)
        yield made
        runner.run(made.child.kill())


def pid(end: End) -> int:
    return end.result["params"]["pid"]


def ended(process: int) -> bool:
    """Whether the process ends within five seconds."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 5)[0])
    finally:
        os.close(descriptor)


def test_a_child_stays_warm_from_run_to_run(bench):
    assert pid(bench("fine")) == pid(bench("fine"))


def test_progress_arrives_before_the_result(bench):
    assert bench("progress").outcome is Outcome.DONE
    assert bench.progress == [(0.5, "halfway")]


@linux
@pytest.mark.parametrize("name", ["sleeps", "stuck"])
def test_past_its_deadline_a_run_is_killed_wherever_it_is_stuck(bench, name):
    first = pid(bench("fine"))
    end = bench(name, deadline_s=0.3)
    assert end == End(Outcome.TIMED_OUT, "The run was stopped after 0.3 s, its limit.")
    assert ended(first)
    assert pid(bench("fine")) != first


@linux
def test_a_kill_takes_what_the_demo_started(bench):
    bench("starts another", deadline_s=0.5)
    other = int(bench.progress[0][1])
    assert ended(other)


def test_a_death_without_a_word_is_told_as_such(bench):
    end = bench("dies")
    assert (end.outcome, end.message) == (
        Outcome.DIED,
        "The process that runs demos ended with the status 3.",
    )
    assert bench("fine").outcome is Outcome.DONE


@pytest.mark.parametrize("name", ["is killed", "dies within a line"])
def test_a_kill_from_outside_hints_at_memory(bench, name):
    end = bench(name)
    assert end.outcome is Outcome.DIED
    assert "memory may have run out" in end.message
    assert bench("fine").outcome is Outcome.DONE


@pytest.mark.parametrize(
    ("name", "words", "replaced"),
    [
        ("cuda", "The GPU reported an error (RuntimeError: CUDA error: an illegal memory access", True),
        ("refused", "bf16 needs a GPU.", False),
        ("bug", "The demo failed (ZeroDivisionError: division by zero). The worker's log says more.", False),
        ("huge", "The result is larger than 1 MB", False),
    ],
)
def test_a_failure_has_a_sentence_and_only_a_cuda_error_costs_the_child(bench, name, words, replaced):
    first = pid(bench("fine"))
    end = bench(name)
    assert end.outcome is Outcome.FAILED
    assert end.message.startswith(words)
    assert (pid(bench("fine")) != first) is replaced


def test_what_a_library_prints_does_not_mix_with_the_results(bench):
    assert bench("prints").outcome is Outcome.DONE


def test_a_child_that_cannot_start_is_told_as_such(bench):
    bench.child = Child(ENVIRONMENT, (sys.executable, "-c", "raise SystemExit(7)"))
    with pytest.raises(ChildLost, match="status 7"):
        bench("fine")


@linux
@pytest.mark.parametrize("closed", [("stdin", "stdout"), ("stdout",)])
def test_a_child_whose_parent_died_before_it_was_warm_ends_without_a_traceback(closed):
    """Whoever started the worker that was killed has the same terminal, and should not read of a broken pipe there."""
    with subprocess.Popen(
        FAULTY, env=ENVIRONMENT, start_new_session=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as child:  # fmt: skip
        for end in closed:
            getattr(child, end).close()
        assert child.stderr.read() == b""
        assert child.wait(30) == -signal.SIGKILL


@linux
def test_a_child_ends_with_its_parent(bench):
    child = pid(bench("fine"))
    process = bench.child._process
    process.stdin.close()  # what a dead parent leaves behind
    bench._runner.run(process.wait())
    assert ended(child)

"""Demos run without the web: for `aloud demo run`, `aloud check --prove` and `aloud doctor`.

with Bench() as bench:                         # one warm child for all
    result = bench.run("attention example=book")
"""

import asyncio
from types import TracebackType
from typing import Self

from app.jobs.states import Outcome
from app.worker.environment import child_environment
from app.worker.process import Child, ChildLost
from kernels.catalog import parse_line


class RunFailed(Exception):
    """The demo gave no result; the message is a sentence for the reader."""


class Bench:
    """A child process that is kept warm from run to run, and replaced when one killed it."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._child = Child(child_environment())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.run(self._child.kill())
        self._runner.close()

    def devices(self) -> list[dict[str, object]]:
        """What the child can run on, as kernels.device.capabilities tells it. Raises RunFailed."""
        try:
            return self._runner.run(self._child.start())
        except ChildLost as lost:
            raise RunFailed(str(lost)) from None

    def run(self, line: str, deadline_s: float | None = None) -> dict[str, object]:
        """The result's JSON of a demo line such as "flash n_q=113 causal=true".

        The deadline is the demo's own unless another is given. Raises ValueError for a line that the catalogue does
        not take, RunFailed when the run ends without a result.
        """
        demo, params = parse_line(line)
        if not self._child.alive:
            self.devices()
        end = self._runner.run(
            self._child.run(
                {"demo": demo.name, "params": params},
                deadline_s=demo.deadline_s if deadline_s is None else deadline_s,
                progress=lambda done, words: None,
            )
        )
        if end.outcome is not Outcome.DONE or end.result is None:
            raise RunFailed(end.message)
        return dict(end.result)


def run_once(line: str, deadline_s: float | None = None) -> dict[str, object]:
    """The result's JSON of one demo line, run in a process of its own. Raises as Bench.run does."""
    with Bench() as bench:
        return bench.run(line, deadline_s)

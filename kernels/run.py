"""Runs a demo: the one entry that the worker's child, the command line and the check of the cards share."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib import import_module

from kernels import catalog, device, out_of_memory
from kernels.job import Job, Progress, silent
from kernels.result import Block, Device, Mode, Refused, Result


def run(name: str, params: Mapping[str, object], *, progress: Progress | None = None) -> Result:
    """Runs the demo `name` here and now.

    params are read as the catalogue reads them; progress is called with a fraction from 0 to 1 and a few words.
    Where memory runs out the result is a note that says so, and what to change.
    Raises UnknownDemo, BadParams, or Refused where this machine cannot run what is asked, each with a sentence
    for the learner.
    """
    entry = catalog.demo(name)
    values = catalog.parse(entry, params)
    device.require(entry.needs)
    at, started = datetime.now(UTC), time.perf_counter()
    machine = device.settle()
    if refusals := catalog.refusals(entry, values, interpreter=machine.interpreter):
        raise Refused(" ".join(refusals))
    report = progress or silent
    report(0.0, "Starting")
    where = machine.kind if entry.uses_device(values) else "cpu"
    blocks = _blocks(entry, Job(values, where, machine.interpreter, report))
    report(1.0, "Done")
    return Result(
        demo=name,
        params=values,
        seed=catalog.seed(values),
        origin="live",
        mode=_mode(entry, values, machine),
        device=Device(**device.describe(where)),  # type: ignore[arg-type]
        code=catalog.code_hash(name),
        at=at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        wall_ms=round((time.perf_counter() - started) * 1000),
        blocks=blocks,
    )


def _blocks(entry: catalog.Demo, job: Job) -> tuple[Block, ...]:
    try:
        return _body(entry.name)(job)
    except Exception as error:
        if not out_of_memory.caused(error):
            raise
        wanted = out_of_memory.asked(error)
    # Only here is the error gone, and with it the tensors that its frames held.
    return (out_of_memory.block(entry, job, wanted),)


def _body(name: str) -> Callable[[Job], tuple[Block, ...]]:
    """The demo's code, imported only now: it may import torch and Triton."""
    module = import_module(f"kernels.demos.{name.replace('-', '_')}")
    body: Callable[[Job], tuple[Block, ...]] = module.run
    return body


def _mode(entry: catalog.Demo, params: catalog.Params, machine: device.Machine) -> Mode:
    if "interpreter" in entry.modes:
        return "interpreter" if machine.interpreter else "compiled"
    return "calculated" if entry.calculates(params) else "eager"

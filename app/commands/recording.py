"""aloud demo record, aloud demo records: the results that ship with Aloud, made and looked over."""

from collections.abc import Sequence
from pathlib import Path

from app.commands import Refused, text
from app.demos.records import Record, Records, State
from app.worker.oneshot import Bench, RunFailed
from kernels import recorded
from kernels.catalog import canonical, demo
from kernels.result import BadResult, Result


def record(words: Sequence[str], into: Path) -> int:
    """Run the lines that `words` make up (all that are wanted, if none) in a child, and keep each result."""
    try:
        lines = recorded.lines_of(words)
    except ValueError as error:
        raise Refused(str(error)) from None
    with Bench() as bench:
        try:
            recorded.open_folder(into)
            device = bench.devices()[0]
            kind = recorded.CUDA if device["kind"] == recorded.CUDA else recorded.CPU
            whole = recorded.record(
                lines or recorded.wanted(recorded.listed(into), kind),
                into,
                lambda line: _made(bench, line),
                interpreter=bool(device["interpreter"]) or kind == recorded.CPU,
                say=lambda said: print(said, flush=True),
            )
        except (ValueError, RunFailed, recorded.CannotKeep) as error:
            raise Refused(str(error)) from None
    return 0 if whole else 1


def _made(bench: Bench, line: str) -> Result:
    try:
        return Result.from_json(bench.run(line))
    except (RunFailed, BadResult) as error:
        raise recorded.NotMade(str(error)) from None


def listing(folder: Path) -> int:
    """Print every record with its state, and what is missing; 1 unless all are made by the code that is here."""
    found = Records(folder, warn=lambda path, why: None)  # each is told below
    rows = [_row(one) for one in found.all]
    if rows:
        print("\n".join(text.table(("record", "state", "made", "on"), rows)))
    for one in found.all:
        if one.why:
            print(f"{one.demo}/{one.path.name}: {one.why}")
    try:
        missing = found.missing()
    except ValueError as error:
        raise Refused(f"{folder / recorded.LIST}: {error}") from None
    for line in missing:
        print(f"missing: {line}")
    print(summary(found, missing))
    return 1 if found.stale or missing else 0


def _row(one: Record) -> tuple[str, str, str, str]:
    head = one.head
    line = f"{one.demo}/{one.path.name}"
    if head is not None and one.params is not None:
        line = f"{one.demo} {canonical(demo(one.demo), one.params)}".strip()
    return line, one.state, f"{one.at:%Y-%m-%d}" if head else "", head.device.name if head else ""


def summary(found: Records, missing: Sequence[str]) -> str:
    """The counts in one line, and what to type where not all is well."""
    states = [
        (sum(one.state is state for one in found.all), state) for state in State if state is not State.CURRENT
    ]
    told = [f"{count} {state}" for count, state in (*states, (len(missing), "missing")) if count]
    advice = "; `aloud demo record` makes them anew" if told else ""
    return f"Recorded results: {', '.join((str(len(found.all)), *told))}{advice}."

"""aloud demo list | run | record | records: the demos without the web, and the results that ship with them."""

import json
import math
import textwrap
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.commands import Refused, recording
from app.commands.text import lines
from app.worker.oneshot import RunFailed, run_once
from kernels import recorded
from kernels.catalog import DEMOS, Demo, Param
from kernels.result import Result


def main(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    if given.do == "list":
        for demo in DEMOS.values():
            print("\n".join(_entry(demo)), end="\n\n")
        print("Run one: aloud demo run kv-cache model=llama-3-70b")
        return 0
    if given.do == "record":
        return recording.record(given.lines, given.into)
    if given.do == "records":
        return recording.listing(given.folder)
    deadline_s = None if given.deadline is None else _seconds(given.deadline)
    return run(" ".join((given.name, *given.params)), deadline_s=deadline_s, as_json=given.json)


def run(line: str, *, deadline_s: float | None, as_json: bool) -> int:
    """Run one demo in a child process and print what it returns. Raises Refused."""
    try:
        result = run_once(line, deadline_s)
    except (ValueError, RunFailed) as error:
        raise Refused(str(error)) from None
    print(json.dumps(result) if as_json else "\n".join(lines(Result.from_json(result))))
    return 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="aloud demo", description="List the demos, run one without the web, or record results."
    )
    does = parser.add_subparsers(dest="do", required=True)
    does.add_parser("list", help="the demos with their parameters and limits")
    one = does.add_parser("run", help="run one, e.g. aloud demo run flash n_q=113 n_kv=203 d=80")
    one.add_argument("name", metavar="NAME")
    one.add_argument("params", metavar="key=value", nargs="*")
    one.add_argument("--json", action="store_true", help="print the result as JSON")
    one.add_argument("--deadline", metavar="S", help="seconds to run at most; default: the demo's own")
    many = does.add_parser("record", help="run demos and keep the results that are shipped")
    many.add_argument(
        "lines",
        metavar="NAME [key=value ...]",
        nargs="*",
        help="demos to record; default: all that are wanted",
    )
    many.add_argument(
        "--into", metavar="DIR", type=Path, default=recorded.FOLDER, help="folder of the records"
    )
    every = does.add_parser(
        "records", help="the results that are shipped, and which of them are from older code"
    )
    every.add_argument("folder", metavar="DIR", type=Path, nargs="?", default=recorded.FOLDER)
    return parser


def _seconds(given: str) -> float:
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0
    if not 0 < seconds < math.inf:
        raise Refused(f"--deadline must be a number of seconds above 0, e.g. 30; you gave {given!r}.")
    return seconds


def _entry(demo: Demo) -> Iterator[str]:
    yield f"{demo.name}: {demo.title}"
    yield from textwrap.wrap(demo.summary, 96, initial_indent="  ", subsequent_indent="  ")
    width = max((len(param.name) for param in demo.params), default=0)
    for param in demo.params:
        yield f"    {param.name:<{width}}  {_limits(param)}"


def _limits(param: Param) -> str:
    default = str(param.default).lower() if isinstance(param.default, bool) else param.default
    unit = f" {param.unit}" if param.unit else ""
    return f"{param.label}: {param.expects}{unit}; default {default}"

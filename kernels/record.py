"""Records results of demos on this machine, without the web side: for a box with a GPU and little else.

    python -m kernels.record --into content/recorded --device cuda
    python -m kernels.record flash flash n_q=4096 n_kv=4096 d=128 dtype=bf16

Without lines it takes every demo's defaults and the lines that the folder lists (`kernels.recorded.wanted`).
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from kernels import device, recorded
from kernels.catalog import parse_line
from kernels.result import Refused, Result
from kernels.run import run


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    if given.device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # before torch is imported
    machine = device.settle()
    if given.device not in (None, machine.kind):
        print(f"There is no {given.device} device here, only {machine.kind}.", file=sys.stderr)
        return 2
    try:
        recorded.open_folder(given.into)
        told = recorded.lines_of(given.lines)
        lines = told or recorded.wanted(recorded.listed(given.into), machine.kind)
    except (ValueError, recorded.CannotKeep) as error:
        print(error, file=sys.stderr)
        return 2
    whole = recorded.record(lines, given.into, _made, interpreter=machine.interpreter, say=_say)
    return 0 if whole else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m kernels.record", description="Record results of demos on this machine."
    )
    parser.add_argument("lines", metavar="LINE", nargs="*", help="a demo, or a line such as: flash n_q=113")
    parser.add_argument(
        "--into", metavar="DIR", type=Path, default=recorded.FOLDER, help="folder of the records"
    )
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), help="where to run; default: a GPU if there is one"
    )
    return parser


def _made(line: str) -> Result:
    entry, params = parse_line(line)
    try:
        return run(entry.name, params)
    except Refused as refused:
        raise recorded.NotMade(str(refused)) from None
    except Exception as error:  # the other lines are still worth recording
        traceback.print_exc()
        raise recorded.NotMade(f"{type(error).__name__}: {error}") from None


def _say(words: str) -> None:
    print(words, flush=True)


if __name__ == "__main__":
    sys.exit(main())

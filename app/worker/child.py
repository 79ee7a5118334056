"""The process that runs demos: the only part of app/ that imports kernels' code, and torch with it.

It is started anew for each device, and again after each kill. It reads one JSON object a line from its standard input,
{"demo", "params"}, and writes one a line to its standard output: {"ready": [devices]} once torch is imported,
then for each run any number of {"progress", "words"} and at last {"result"} or {"failed": sentence, "cuda": bool}.
"""

import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from typing import TextIO


def main() -> int:
    out = _own_output()
    requests = _requests(sys.stdin)
    from kernels import device  # noqa: PLC0415  (torch takes a second; by now the parent can already kill us)

    _say(out, ready=device.capabilities())
    for request in requests:
        _serve(out, request)
    return 0


def _serve(out: TextIO, request: Mapping[str, object]) -> None:
    from kernels.catalog import BadParams, UnknownDemo  # noqa: PLC0415
    from kernels.result import MOST_BYTES, TOO_LARGE, Refused  # noqa: PLC0415
    from kernels.run import run  # noqa: PLC0415

    name, params = request["demo"], request["params"]
    assert isinstance(name, str) and isinstance(params, Mapping)  # noqa: PT018
    try:
        result = run(name, params, progress=lambda done, words: _say(out, progress=done, words=words))
        text = json.dumps({"result": result.to_json()}, separators=(",", ":"))
        if len(text) > MOST_BYTES:
            _say(out, failed=TOO_LARGE)
        else:
            _write(out, text)
    except (UnknownDemo, BadParams, Refused) as error:
        _say(out, failed=str(error))
    except Exception as error:  # whatever a kernel raises is told, and ends this run only
        traceback.print_exc()
        _say(out, failed=sentence(error), cuda=is_cuda_error(error))


def sentence(error: Exception) -> str:
    """What the learner reads of an exception that no demo foresaw."""
    first = (str(error).strip().splitlines() or ["no message"])[0][:300].rstrip(".")
    kind = "The GPU reported an error" if is_cuda_error(error) else "The demo failed"
    return f"{kind} ({type(error).__name__}: {first}). The worker's log says more."


def is_cuda_error(error: Exception) -> bool:
    """Whether the CUDA context may be poisoned, so that every later run here would fail, too."""
    return type(error).__name__ == "AcceleratorError" or "CUDA error" in str(error)


def _own_output() -> TextIO:
    """Our end of the pipe. What libraries print goes to standard error instead, so that it cannot mix in."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return out


def _requests(source: TextIO) -> Iterator[Mapping[str, object]]:
    """Requests as they come. When the parent is gone, however it ended, this process and its own children end."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in source:
            waiting.put(line)
        _end()

    threading.Thread(target=read, daemon=True).start()
    return map(json.loads, iter(waiting.get, None))


def _say(out: TextIO, **message: object) -> None:
    _write(out, json.dumps(message, separators=(",", ":")))


def _write(out: TextIO, line: str) -> None:
    try:
        print(line, file=out, flush=True)
    except BrokenPipeError:
        _end()


def _end() -> None:
    """The parent is gone: end this process and all that it started, without a word to a terminal that others use."""
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())

"""A child's end of the pipe to its parent: one JSON object a line, requests in, answers out."""

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import TextIO


def own_output() -> TextIO:
    """Our end of the pipe. What libraries print goes to standard error instead, so that it cannot mix in."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return out


def requests(source: TextIO) -> Iterator[Mapping[str, object]]:
    """Requests as they come. When the parent is gone, however it ended, this process and its own children end."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in source:
            waiting.put(line)
        end()

    threading.Thread(target=read, daemon=True).start()
    return map(json.loads, iter(waiting.get, None))


def say(out: TextIO, **message: object) -> None:
    write(out, json.dumps(message, separators=(",", ":")))


def write(out: TextIO, line: str) -> None:
    try:
        print(line, file=out, flush=True)
    except BrokenPipeError:
        end()


def end() -> None:
    """The parent is gone: end this process and all that it started, without a word to a terminal that others use."""
    os.killpg(os.getpgrp(), signal.SIGKILL)

"""What `make run` starts: the web server at once and, beside it, the worker (after its install, the first time).

With SPEECH=1, or where speech to text was installed before, that is brought up to date with the worker.

Every child leads a process group of its own, so that one Ctrl-C, or one SIGTERM, ends all of them and all that
they started, also in the middle of the install. When the web server ends, everything ends with its code.
"""

import contextlib
import ctypes
import http.client
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn
from urllib.request import ProxyHandler, Request, build_opener

ROOT = Path(__file__).resolve().parent.parent
ALOUD = Path(sys.executable).parent / "aloud"
DATA = Path(os.environ.get("ALOUD_DATA", "data"))
LOG = DATA / "worker-install.log"
SPEECH_LOG = DATA / "speech-install.log"
SERVING = re.compile(rb"^Aloud is at (\S+)\n", re.MULTILINE)  # what `aloud serve` prints once it answers

PATIENCE_S = 1.6  # between asking a child to end and killing it
ANNOUNCE_S = 2.0
RESTART_S = 5.0

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
LOCAL = build_opener(ProxyHandler({}))  # a proxy of the environment has no business here

Child = subprocess.Popen[bytes]
children: list[Child] = []


def start(*command: str | Path, log: Path | None = None, heard: bool = False) -> Child:
    """Start `command` in a group of its own; what it prints goes to the terminal, or to the file `log`.

    What is `heard` has a pipe for its standard output, which `hear` passes on.

    A signal that comes meanwhile waits until the child is known, or else the child would stay behind.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    with log.open("wb") if log else contextlib.nullcontext() as out:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if heard else out,
            stderr=out,
            start_new_session=True,
            preexec_fn=begin,  # noqa: PLW1509  (there are no threads here)
        )
    children.append(child)
    unblock()
    return child


def begin() -> None:
    """In a child, before it becomes another program: hear signals, and on Linux one when this program is killed."""
    unblock()
    if LIBC:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def unblock() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def end(*those: Child) -> None:
    """Ask each group to end, and kill what has not ended in time."""
    _signal(those, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE_S
    for child in those:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(max(0, deadline - time.monotonic()))
    _signal(those, signal.SIGKILL)
    for child in those:
        children.remove(child)


def _signal(those: tuple[Child, ...], number: signal.Signals) -> None:
    for child in those:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)


def hear(web: Child, seconds: float | None = None) -> bytes:
    """What the web server prints next, passed on, or nothing after `seconds`; when it ends, end with its code."""
    assert web.stdout
    if not select.select([web.stdout], [], [], seconds)[0]:
        return b""
    said = os.read(web.stdout.fileno(), 2**16)
    if not said:
        sys.exit(web.wait())
    os.write(sys.stdout.fileno(), said)
    return said


def watch(web: Child, seconds: float) -> None:
    """Let `seconds` pass, with an ear to the web server."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        hear(web, left)


def address(web: Child) -> str:
    """Where the web server says that it serves. Until it says so, what answers there may be another program."""
    said = b""
    while not (found := SERVING.search(said)):
        said += hear(web)
    return found[1].decode()


def announce(server: str, state: str, words: str, since: float) -> None:
    """Tell the web server how the install goes, and since when, so that its pages say so; a lost word does no harm."""
    told = {"state": state, "words": words, "up_s": time.monotonic() - since}
    with contextlib.suppress(OSError, http.client.HTTPException):
        token = os.environ.get("ALOUD_TOKEN") or (DATA / "worker-token").read_text().strip()
        body = json.dumps({"worker": "install", **told}).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        LOCAL.open(Request(f"{server}/api/v1/worker/announce", body, headers), timeout=1).close()


MAKE = ("make", "-C", ROOT)


def installed(what: str = "worker") -> bool:
    return subprocess.run([*MAKE, "-q", what], check=False, capture_output=True).returncode == 0


def install(web: Child, server: str) -> None:
    """Install the worker unless it is; returns when it is, whoever installed it."""
    if installed():
        return
    print(
        "Installing the worker beside it, some minutes the first time. The pages work meanwhile, and runs that are "
        f"asked for start by themselves then. The log is {LOG}.",
        flush=True,
    )
    since, pip = time.monotonic(), start(*MAKE, "worker", log=LOG)
    coming = f"The worker is being installed and joins by itself; the log is {LOG}."
    while pip.poll() is None:
        announce(server, "installing", coming, since)
        watch(web, ANNOUNCE_S)
    end(pip)
    if pip.returncode:
        print(
            f"The worker could not be installed: see {LOG}. Everything but running demos works.", flush=True
        )
    since, failed = time.monotonic(), f"The worker could not be installed: see {LOG}, then type: make worker."
    while not installed():
        announce(server, "failed", failed, since)
        watch(web, ANNOUNCE_S)
    announce(server, "absent", "", since)


def install_speech(web: Child, server: str) -> None:
    """Install speech to text where it is wanted and missing; without it everything else works."""
    wanted = os.environ.get("SPEECH") or (Path(sys.prefix) / "speech").exists()
    if not wanted or installed("speech"):
        return
    print(f"Installing speech to text, a minute or some. The log is {SPEECH_LOG}.", flush=True)
    since, pip = time.monotonic(), start(*MAKE, "speech", log=SPEECH_LOG)
    while pip.poll() is None:
        words = (
            f"Speech to text is being installed, and the worker joins after that; the log is {SPEECH_LOG}."
        )
        announce(server, "installing", words, since)
        watch(web, ANNOUNCE_S)
    end(pip)
    if pip.returncode:
        print(
            f"Speech to text could not be installed: see {SPEECH_LOG}, then type: make speech. "
            "Everything else works.",
            flush=True,
        )
    announce(server, "absent", "", since)


def run() -> NoReturn:
    web = start(ALOUD, "serve", heard=True)
    server = address(web)
    install(web, server)
    install_speech(web, server)
    while True:
        worker = start(ALOUD, "worker")
        while worker.poll() is None:
            watch(web, 0.5)
        end(worker)
        print(
            f"The worker ended with code {worker.returncode}; it starts again in {RESTART_S:.0f} s.",
            flush=True,
        )
        watch(web, RESTART_S)


def stop(*_: object) -> NoReturn:
    ignore()  # at once: a second signal must not cut the ending short
    sys.exit(0)


def ignore() -> None:
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def main() -> NoReturn:
    for number in SIGNALS:
        signal.signal(number, stop)
    try:
        run()
    finally:
        ignore()
        end(*children)


if __name__ == "__main__":
    main()

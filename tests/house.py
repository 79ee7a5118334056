"""The real thing, for tests that need it: `aloud serve` and `aloud worker` as processes, and a free port."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def stranger() -> Iterator[tuple[int, list[str]]]:
    """Another program's server, which answers {} to everything: its port, and the requests that it got."""
    asked: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def answer(self) -> None:
            asked.append(self.requestline)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_GET = do_POST = answer

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port, asked
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Process:
    """A running `aloud` command, whose output is read as it comes."""

    popen: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    _news: threading.Condition = field(default_factory=threading.Condition)
    _silent: bool = False

    def follow(self) -> None:
        def read() -> None:
            assert self.popen.stdout
            with self.popen.stdout as output:
                for line in output:
                    with self._news:
                        self.lines.append(line)
                        self._news.notify_all()
            with self._news:
                self._silent = True
                self._news.notify_all()

        threading.Thread(target=read, daemon=True).start()

    def wait_for(self, words: str) -> None:
        """Until a line with these words was printed; fails with the output when the process ends before."""
        with self._news:
            told = self._news.wait_for(
                lambda: any(words in line for line in self.lines) or self._silent, PATIENCE_S
            )
        assert told, f"waited {PATIENCE_S} s for {words!r}"
        assert any(words in line for line in self.lines), f"no {words!r} in:\n" + "".join(self.lines)

    def told(self) -> list[str]:
        """All that it printed, once it and all it started have ended."""
        with self._news:
            assert self._news.wait_for(lambda: self._silent, PATIENCE_S), (
                f"it still runs after {PATIENCE_S} s"
            )
        return self.lines

    def kill(self) -> None:
        """kill -9, of it and of what it started."""
        os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()

    def stop(self, patience_s: float = 10) -> int:
        """Ctrl-C; the exit status."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGINT)
        try:
            return self.popen.wait(patience_s)
        finally:
            if self.popen.poll() is None:
                self.kill()


@dataclass(frozen=True)
class House:
    """A data folder, an address, and the settings that its processes get."""

    data: Path
    port: int
    env: Mapping[str, str]

    @property
    def url(self) -> str:
        return f"http://{self.env.get('ALOUD_HOST', '127.0.0.1')}:{self.port}"

    def start(self, *command: str) -> Process:
        return self.python("-m", "app.cli", *command)

    def python(self, *arguments: str, **env: str) -> Process:
        process = Process(
            subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env={**os.environ, **self.env, **env},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        )
        process.follow()
        return process

    def serve(self) -> Process:
        process = self.start("serve")
        process.wait_for(self.url)
        return process

    def work(self) -> Process:
        """A worker that has announced itself ready."""
        return self.ready(self.start("worker"))

    def faulty(self, gpus: int = 0) -> Process:
        """A worker whose children go wrong as tests/worker/faulty.py says, with so many GPUs that are not there."""
        program = str(ROOT / "tests" / "worker" / "faulty_worker.py")
        return self.ready(self.python(program, PYTHONPATH=str(ROOT), ALOUD_TEST_GPUS=str(gpus)))

    def ready(self, worker: Process) -> Process:
        """The worker, once it has announced itself ready."""
        self.until(lambda api: 'data-state="ready"' in api.get("/").text, "the worker is not ready")
        return worker

    def api(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=PATIENCE_S)

    def until(self, holds: Callable[[httpx.Client], bool], otherwise: str) -> None:
        """Ask again and again, at most PATIENCE_S long."""
        pause = threading.Event()
        with self.api() as api:
            for _ in range(PATIENCE_S * 10):
                if holds(api):
                    return
                pause.wait(0.1)
        raise AssertionError(otherwise)


def plan(data: Path, **settings: str) -> House:
    """A house with its own data folder and port, of which nothing runs yet."""
    port = free_port()
    env = {"ALOUD_DATA": str(data), "ALOUD_PORT": str(port), "ALOUD_ZONE": "UTC", "PYTHONUNBUFFERED": "1"}
    env |= {f"ALOUD_{name.upper()}": value for name, value in settings.items()}
    return House(data, port, env)


@contextmanager
def house(data: Path, *, worker: bool = False, **settings: str) -> Iterator[House]:
    """A served house with its own data folder; both processes end with the block."""
    made = plan(data, **settings)
    web = made.serve()
    working = made.work() if worker else None
    try:
        yield made
    finally:
        if working:
            working.stop()
        web.stop()

"""make bench: what a learner waits for, measured with the real processes on a data folder of its own.

Seconds to the first card; an answer against a POST that does nothing; pages over the wire, cold; one small run from
the asking to its result; Ctrl-C to the end, while a page follows a run; and answers on a library of 100,000 cards.
"""

import os
import platform
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import learners
import scale

ALOUD = Path(sys.executable).parent / "aloud"
PAGES = ("/", "/study", "/drill", "/demos", "/demos/attention", "/cards")
LARGE = (
    "/",
    "/study",
    "/study/some",
    "/progress",
    "/progress/topics",
    "/cards?q=heap-777",
    "/cards?q=softmax",
)
ANSWERS = 200
VIEWS = 20
RUNS = 30
PATIENCE_S = 60.0


def main() -> None:
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        os.environ |= {"ALOUD_DATA": folder, "ALOUD_PORT": str(port)}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S) as client:
            began = time.perf_counter()
            with running("serve"):
                until(lambda: answers(client), "the server")
                client.get("/study").raise_for_status()
                print(f"from nothing to the first card: {time.perf_counter() - began:.2f} s")
                answering(client)
                weights(client)
                with running("worker"):
                    runs(client)
            began = time.perf_counter()
            with running("serve") as web:
                until(lambda: answers(client), "the server")
                print(f"second start: {time.perf_counter() - began:.2f} s")
                print(f"Ctrl-C with an open stream, to the end: {stopping(client, web):.2f} s")
            large(client, Path(folder) / "aloud.db")
    learners.main()


def large(client: httpx.Client, path: Path) -> None:
    """The same answers, on a library of 100,000 cards with a log of 200,000 events."""
    scale.fill(path)
    print(f"with {scale.CARDS:,} cards and {scale.EVENTS:,} events:")
    began = time.perf_counter()
    with running("serve"):
        until(lambda: answers(client), "the server")
        print(f"start: {time.perf_counter() - began:.2f} s")
        answering(client)
        slow_pages(client)
        scale.report(path)


def slow_pages(client: httpx.Client) -> None:
    """What the pages take that sum up, or search, all there is; from the asking to the last byte."""
    card = client.get("/api/v1/study/next").json()["card"]["id"]
    for page in (*LARGE, f"/cards/{card}"):
        took = []
        for _ in range(VIEWS):
            began = time.perf_counter()
            client.get(page).raise_for_status()
            took.append(time.perf_counter() - began)
        print(f"  {page}: {spread(took)}, n = {VIEWS}")


def stopping(client: httpx.Client, web: subprocess.Popen[bytes]) -> float:
    """Seconds from Ctrl-C to the end of the server, while the events of a run that waits are followed."""
    _, run = timed(client, "POST", "/api/v1/runs", {"demo": "kv-cache"})
    with client.stream("GET", f"/api/v1/runs/{run['id']}/events") as stream:
        heard = stream.iter_lines()
        next(heard)
        began = time.perf_counter()
        web.send_signal(signal.SIGINT)
        web.wait()
        return time.perf_counter() - began


def answering(client: httpx.Client) -> None:
    """An answer through the API, committed to disk, each taken back; beside a POST that touches no database."""
    nothing, given, undone = [], [], []
    for _ in range(ANSWERS):
        began = time.perf_counter()
        client.post("/theme", data={"theme": "auto"})
        nothing.append(time.perf_counter() - began)
        _, shown = timed(client, "GET", "/api/v1/study/next")
        _, revealed = timed(client, "POST", "/api/v1/study/reveal", {"showing": shown["showing"]})
        body = {"ticket": revealed["ticket"], "revision": shown["revision"], "grade": 3, "ms": 4000}
        seconds, answer = timed(client, "POST", "/api/v1/study/answers", body)
        given.append(seconds)
        undone.append(timed(client, "POST", "/api/v1/study/undo", {"event": answer["event"]})[0])
    base = statistics.median(nothing)
    for name, measured in (("a no-op POST", nothing), ("an answer", given), ("an undo", undone)):
        ratio = statistics.median(measured) / base
        print(f"{name}: {ratio:.1f} x no-op; {spread(measured)}, n = {ANSWERS}")


def weights(client: httpx.Client) -> None:
    """Bytes over the wire of each page with all that it loads, nothing cached."""
    for page in PAGES:
        html = client.get(page)
        assets = sorted({*re.findall(r'(?:href|src)="(/static/[^"]+)"', html.text)})
        total = wire(html) + sum(wire(client.get(asset)) for asset in assets)
        print(f"{page}: {wire(html) / 1000:.1f} kB of HTML, {total / 1000:.0f} kB with {len(assets)} files")


def runs(client: httpx.Client) -> None:
    """From POST runs to the end of its events, by the smallest demo there is, over the real worker."""
    until(lambda: 'data-state="ready"' in client.get("/demos").text, "the worker")
    measured = []
    for number in range(RUNS):
        began = time.perf_counter()
        _, run = timed(
            client, "POST", "/api/v1/runs", {"demo": "kv-cache", "params": {"tokens": 1000 + number}}
        )
        client.get(f"/api/v1/runs/{run['id']}/events").raise_for_status()
        measured.append(time.perf_counter() - began)
    print(f"a kv-cache run, page to worker to page: {spread(measured)}, n = {RUNS}")


def timed(
    client: httpx.Client, method: str, path: str, body: object = None
) -> tuple[float, dict[str, object]]:
    """Seconds that the request took, and the answer's JSON."""
    began = time.perf_counter()
    answer = client.request(method, path, json=body)
    seconds = time.perf_counter() - began
    return seconds, dict(answer.raise_for_status().json())


def spread(seconds: list[float]) -> str:
    cuts = statistics.quantiles(seconds, n=100)
    named = ((50, 49), (90, 89), (95, 94), (99, 98))
    return ", ".join(f"p{name} {cuts[at] * 1e3:.1f} ms" for name, at in named)


def wire(answer: httpx.Response) -> int:
    """Bytes of the body as they came, compressed or not."""
    return answer.raise_for_status().num_bytes_downloaded


def answers(client: httpx.Client) -> bool:
    try:
        return client.get("/api/v1/health").is_success
    except httpx.TransportError:
        return False


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.perf_counter() + PATIENCE_S
    while not condition():
        if time.perf_counter() > end:
            sys.exit(f"Waited {PATIENCE_S:.0f} s for {what}.")
        time.sleep(0.02)


@contextmanager
def running(command: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([ALOUD, command], stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()

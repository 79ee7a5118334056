"""A chat endpoint on this machine, over real HTTP, that answers as a test tells it; it keeps what it was asked."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Told = tuple[int, bytes]


@dataclass
class StandIn:
    """`answer` gets the request's JSON and gives status and body; `asked` are the requests, `headers` theirs.

    While `gate` is cleared, an answer waits for it.
    """

    port: int
    answer: Callable[[dict[str, Any]], Told]
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


def chat(text: str) -> Told:
    """A chat endpoint's answer with this text."""
    message = {"role": "assistant", "content": text}
    return 200, json.dumps(
        {"object": "chat.completion", "choices": [{"index": 0, "message": message}]}
    ).encode()


def comments(body: dict[str, Any]) -> Told:
    """What a good judge answers: a remark on each key point that it was sent."""
    points = json.loads(body["messages"][1]["content"])["key_points"]
    remarks = [{"id": p["id"], "seems": "partly", "comment": f"Of {p['text']}: no cause."} for p in points]
    return chat(json.dumps({"points": remarks, "overall": "Name the cause next time."}))


@contextmanager
def stand_in(answer: Callable[[dict[str, Any]], Told] = comments) -> Iterator[StandIn]:
    """The server, for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made.asked.append(body)
            made.headers.append(dict(self.headers.items()) | {"path": self.path})
            status, told = made.answer(body)
            made.gate.wait(30)
            try:
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", f"http://127.0.0.1:{made.port}/elsewhere")
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)
            except OSError:
                """The asker went away."""

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made = StandIn(server.server_port, answer)
        made.gate.set()
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield made
        finally:
            made.gate.set()
            server.shutdown()
            thread.join()

"""A small server that draws every part and block within the real frame, under the real security headers."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import uvicorn
from jinja2 import ChoiceLoader, FileSystemLoader
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route

from app.demos import drawing
from app.web.assets import Assets, ImmutableFiles
from app.web.security import Guard
from app.web.templating import Pages

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
GRADES = [SimpleNamespace(grade=g, word=w, interval=i) for g, w, i in
          [(1, "Again", "1 min"), (2, "Hard", "6 min"), (3, "Good", "10 min"), (4, "Easy", "8 days")]]  # fmt: skip
PARAMS = [
    SimpleNamespace(name="n_q", label="Queries", kind="int", value="x", help="1 to 4096", unit="tokens",
                    choices=(), error="n_q is “x”, which is no whole number; give 1 to 4096."),
    SimpleNamespace(name="causal", label="Causal", kind="bool", value=True, help="", unit="", choices=(), error=""),
    SimpleNamespace(name="dtype", label="Data type", kind="choice", value="fp16", help="", unit="",
                    choices=(("fp32", "fp32"), ("fp16", "fp16")), error=""),
]  # fmt: skip


def build() -> Starlette:
    """GET /<name> draws tests/fixtures/gallery/<name>.html; POST /answers counts and sends to the next card."""
    assets = Assets(ROOT / "static")
    pages = Pages(ROOT / "templates", assets)
    pages.env.loader = ChoiceLoader(
        [FileSystemLoader(FIXTURES / "gallery"), FileSystemLoader(ROOT / "templates")]
    )
    answers: list[str] = []

    def page(request: Request) -> Response:
        view = drawing.result(json.loads((FIXTURES / "results" / "every-block.json").read_text()))
        name = request.path_params["name"]
        return pages.render(
            request, f"{name}.html", view=view, choices=GRADES, params=PARAMS, answers=answers
        )

    async def answer(request: Request) -> Response:
        body = (await request.body()).decode()
        answers.append(body)
        return RedirectResponse(f"/next?n={len(answers)}", 303)

    def nothing(request: Request) -> Response:
        return Response(status_code=204)

    def broken(request: Request) -> Response:
        return Response("no page", media_type="text/plain")

    def reveal(request: Request) -> Response:
        return pages.render(request, "next.html", answers=["shown"] * 7)

    def corner(request: Request) -> Response:
        return pages.render(request, "worker/_corner.html")

    app = Starlette(
        routes=[
            Mount("/static", ImmutableFiles(assets)),
            Route("/answers", answer, methods=["POST"]),
            Route("/reveal", reveal, methods=["POST"]),
            Route("/broken", broken, methods=["POST"]),
            Route("/favicon.ico", nothing),
            Route("/zone", nothing, methods=["POST"]),
            Route("/worker/corner", corner),
            Route("/{name}", page),
        ],
        middleware=[Middleware(Guard, allowed_hosts=())],
    )
    app.state.worker_view = lambda: SimpleNamespace(state="ready", words="worker: AMD EPYC, CPU")
    app.state.asks_zone = False
    app.state.answers = answers
    return app


@contextmanager
def served(port: int = 0) -> Iterator[tuple[str, Starlette]]:
    """The gallery on a free port; yields its address and the app."""
    app = build()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning", lifespan="off"))
    ready = threading.Event()
    real = server.startup

    async def startup(sockets: list[object] | None = None) -> None:
        await real(sockets)  # type: ignore[arg-type]
        ready.set()

    server.startup = startup  # type: ignore[method-assign, assignment]
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert ready.wait(10)
    address = server.servers[0].sockets[0].getsockname()
    try:
        yield f"http://127.0.0.1:{address[1]}", app
    finally:
        server.should_exit = True
        thread.join(5)


if __name__ == "__main__":
    uvicorn.run(build(), port=8120, log_level="warning")

"""HEAD on a page: answered like GET, as HTTP wants it; FastAPI gives its routes none.

Handlers see a GET, and uvicorn leaves the body out. The API keeps to the methods that its OpenAPI names: the answer to
GET on a run's events may take minutes.
"""

from starlette.types import ASGIApp, Receive, Scope, Send


class Head:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            inner = scope["path"].removeprefix(scope.get("root_path", ""))
            if not inner.startswith("/api/"):
                scope = {**scope, "method": "GET"}
        await self.app(scope, receive, send)

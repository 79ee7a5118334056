"""Serving below a path such as /aloud, whether or not the proxy in front strips it.

uvicorn's own --root-path breaks when the proxy passes the path on whole; this shim accepts both.
"""

from starlette.types import ASGIApp, Receive, Scope, Send


class Prefix:
    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self.app = app
        self.root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and self.root_path:
            path = scope["path"]
            inner = path.removeprefix(self.root_path) if _below(path, self.root_path) else path
            # Starlette takes the path as the client sent it and root_path as the part of it that is ours.
            scope = {**scope, "root_path": self.root_path, "path": self.root_path + (inner or "/")}
        await self.app(scope, receive, send)


def _below(path: str, root: str) -> bool:
    return path == root or path.startswith(root + "/")

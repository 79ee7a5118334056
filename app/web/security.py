"""What every request must pass, before any handler sees it, and the headers every answer bears.

1. Host: only names we serve. A page of another site can point its own name at 127.0.0.1 (DNS rebinding), and
   then passes every check of Origin, so the host comes first, on loopback, too.
2. Writing requests must come from our own pages: browsers say so in Sec-Fetch-Site, or, on plain http, in Origin.
   A program such as curl or the worker sends neither and carries no cookie of a victim, so it may pass.
   (The method of Go's net/http CrossOriginProtection, after Filippo Valsorda, "CSRF", 2025.)
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
SAFE = ("GET", "HEAD", "OPTIONS")

CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "media-src 'self' blob:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "manifest-src 'self'",
        "worker-src 'self'",
    )
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def host_name(host: str) -> str:
    """The name in a Host header, without its port: "[::1]:8000" gives "[::1]"."""
    if host.startswith("["):
        return host[: host.find("]") + 1].lower()
    return host.split(":", 1)[0].lower()


def refusal(method: str, headers: Headers, allowed: frozenset[str]) -> tuple[int, str] | None:
    """Status and sentence for a request that must not pass, or None."""
    host = headers.get("host", "")
    if host_name(host) not in allowed:
        return 400, (
            f"This server does not answer to the name {host_name(host) or '(none)'!r}. "
            "Open it as localhost, or add the name to ALOUD_ALLOWED_HOSTS."
        )
    if method in SAFE:
        return None
    site = headers.get("sec-fetch-site")
    if site is not None:
        return None if site in ("same-origin", "none") else (403, CROSS)
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != host:
        return 403, CROSS
    return None


CROSS = "This request came from another site, so nothing was changed. Open Aloud itself and try again."


class Guard:
    def __init__(self, app: ASGIApp, allowed_hosts: tuple[str, ...]) -> None:
        self.app = app
        self.allowed = frozenset((*LOOPBACK, *(name.lower() for name in allowed_hosts)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = refusal(scope["method"], Headers(scope=scope), self.allowed)
        if refused is not None:
            status, sentence = refused
            await PlainTextResponse(sentence, status)(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)

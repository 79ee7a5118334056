"""What every request must pass, before any handler sees it, and the headers every answer bears.

1. Host: only names we serve. A page of another site can point its own name at 127.0.0.1 (DNS rebinding), and
   then passes every check of Origin, so the host comes first, on loopback, too.
2. Writing requests must come from our own pages: browsers say so in Sec-Fetch-Site, or, on plain http, in Origin.
   A program such as curl or the worker sends neither and carries no cookie of a victim, so it may pass.
   (The method of Go's net/http CrossOriginProtection, after Filippo Valsorda, "CSRF", 2025.)
3. A body says its length, is no larger than anything here needs, and is text in UTF-8.
"""

from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.settings import LOOPBACK

SAFE = ("GET", "HEAD", "OPTIONS")
MAX_BODY = 2**21  # bytes; a worker's result, the largest thing that is sent, is at most 1 MB

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
    """The name in a Host header, without its port: "a.b:80" gives "a.b", "[::1]:8000" gives "::1"."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower() if "]" in host else ""
    return host.split(":", 1)[0].lower()


def refusal(
    method: str, headers: Headers, allowed: frozenset[str], most: int = MAX_BODY
) -> tuple[int, str] | None:
    """Status and sentence for a request that must not pass, or None. `most` is how many bytes it may send."""
    host = headers.get("host", "")
    if host_name(host) not in allowed:
        return 400, (
            f"This server does not answer to the name {host_name(host) or '(none)'!r}. "
            "Open it as localhost, or add the name to ALOUD_ALLOWED_HOSTS."
        )
    if method in SAFE:
        return None
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        foreign = site not in ("same-origin", "none")
    else:
        parts = split(origin) if origin is not None else None
        foreign = origin is not None and (parts is None or parts.netloc != host)
    return (403, CROSS) if foreign else oversize(headers, most) or undecodable(headers)


def split(url: str) -> SplitResult | None:
    """The parts of a URL that somebody sent; None for what is no URL."""
    try:
        return urlsplit(url)
    except ValueError:
        return None


def oversize(headers: Headers, most: int = MAX_BODY) -> tuple[int, str] | None:
    """Status and sentence for a body that is too large or does not say how large it is, or None."""
    if "transfer-encoding" in headers:
        return 411, "The request does not say how long it is; send it with a Content-Length."
    length = headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > len(str(most)) or int(length) > most:
        return (
            413,
            f"The request is larger than {most // 2**20} MB, more than anything here needs; send less.",
        )
    return None


def undecodable(headers: Headers) -> tuple[int, str] | None:
    """Status and sentence for a body in another charset than UTF-8, or None.

    A form is decoded in whichever of Python's codecs its charset names, and some of those (unicode_escape, UTF-7) give
    text that is no Unicode and can be neither stored nor shown. The header is read as the form's parser reads it.
    """
    charset = parse_options_header(headers.get("content-type"))[1].get(b"charset", b"utf-8")
    if charset.lower() not in (b"utf-8", b"utf8"):
        return 415, "The request's text is in another charset than UTF-8; send it as UTF-8."
    return None


CROSS = "This request came from another site, so nothing was changed. Open Aloud itself and try again."


class Guard:
    """`larger` names the paths below the app's root that take more than MAX_BODY, and how many bytes.

    A `*` in such a path stands for one of its parts.
    """

    def __init__(
        self, app: ASGIApp, allowed_hosts: tuple[str, ...], larger: Mapping[str, int] | None = None
    ) -> None:
        self.app = app
        self.larger = tuple((path.split("/"), most) for path, most in (larger or {}).items())
        self.allowed = frozenset((*LOOPBACK, *map(str.lower, allowed_hosts)))

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

        path = scope["path"].removeprefix(scope.get("root_path", ""))
        refused = refusal(scope["method"], Headers(scope=scope), self.allowed, self._most(path))
        if refused is not None:
            await _told(scope, *refused)(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)

    def _most(self, path: str) -> int:
        parts = path.split("/")
        for named, most in self.larger:
            if len(named) == len(parts) and all(n in ("*", p) for n, p in zip(named, parts, strict=True)):
                return most
        return MAX_BODY


def _told(scope: Scope, status: int, sentence: str) -> Response:
    """The refusal, without a page's links and scripts: the asker may not be one of ours."""
    path = scope["path"].removeprefix(scope.get("root_path", ""))
    if path.startswith("/api/"):
        return JSONResponse({"detail": sentence}, status)
    return PlainTextResponse(sentence, status)

"""Errors that are read by a person: each is one sentence that says what to change, as JSON or as a page."""

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response

from app.web.parts import parts

log = logging.getLogger("aloud")


class Problem(Exception):
    """Something the person can mend. `status` is the HTTP status, the text is the sentence shown.

    `ways` are addresses within the app that lead on from a page that says it, with their words.
    """

    status = 400
    headers: dict[str, str] = {}  # noqa: RUF012  (overridden whole, never changed in place)
    ways: tuple[tuple[str, str], ...] = ()


class Invalid(Problem):
    """The input does not fit."""

    status = 422


class NotFound(Problem):
    """No such thing."""

    status = 404

    def __init__(self, sentence: str, ways: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(sentence)
        self.ways = ways


class Conflict(Problem):
    """The thing has changed meanwhile; nothing was done."""

    status = 409


class Busy(Problem):
    """Too much is waiting already; try again in `retry_after` seconds."""

    status = 429

    def __init__(self, sentence: str, retry_after: int) -> None:
        super().__init__(sentence)
        self.headers = {"Retry-After": str(retry_after)}


TITLES = {
    400: "That cannot be read",
    403: "Not from there",
    404: "Not here",
    405: "Not this way",
    409: "Changed meanwhile",
    413: "Too large",
    415: "Another charset",
    422: "Something to change",
    429: "One moment",
    500: "Our mistake",
    507: "No room left",
}


def answer(
    request: Request,
    status: int,
    sentence: str,
    headers: dict[str, str] | None = None,
    ways: tuple[tuple[str, str], ...] = (),
) -> Response:
    """The error as JSON for the API and for scripts that ask for it, as a page for people."""
    sentence = sentence.encode(errors="backslashreplace").decode()  # it may repeat what cannot be sent back
    root = request.scope.get("root_path", "")
    asks_json = request.headers.get("accept", "").startswith("application/json")
    if asks_json or request.url.path.removeprefix(root).startswith("/api/"):
        return JSONResponse({"detail": sentence}, status, headers)
    return parts(request).pages.render(
        request,
        "error.html",
        status=status,
        headers=headers,
        title=TITLES.get(status, "That did not work"),
        sentence=sentence,
        ways=ways,
    )


def sentence_of(error: RequestValidationError) -> str:
    """One sentence from pydantic's list: the first field that is wrong, and what it should be."""
    first = error.errors()[0]
    place = ".".join(str(p) for p in first["loc"] if p not in ("body", "query", "path", "header"))
    said = str(first["msg"]).removeprefix("Value error, ")
    said = said[:1].lower() + said[1:]
    if place == "file":  # what every form calls its upload: none was chosen, or text came under its name
        return "No file came; choose one, then send it."
    if first["type"] == "json_invalid":
        return "The request's body is not valid JSON; check its quotes and commas."
    return f"{place or 'The request'}: {said}."


def install(app: FastAPI) -> None:
    @app.exception_handler(Problem)
    def _problem(request: Request, exc: Problem) -> Response:
        return answer(request, exc.status, str(exc), exc.headers, exc.ways)

    @app.exception_handler(RequestValidationError)
    def _validation(request: Request, exc: RequestValidationError) -> Response:
        return answer(request, 422, sentence_of(exc))

    @app.exception_handler(HTTPException)
    def _http(request: Request, exc: HTTPException) -> Response:
        status = 422 if exc.status_code == 400 else exc.status_code
        sentence = {
            422: "The request's body cannot be read; send plain JSON or a form's fields, as the page does.",
            404: "There is nothing at this address. The navigation leads to everything there is.",
            405: "This address does not take that method.",
        }.get(status, str(exc.detail))
        return answer(request, status, sentence, dict(exc.headers or {}))

    @app.exception_handler(UnicodeEncodeError)
    def _no_unicode(request: Request, exc: UnicodeEncodeError) -> Response:
        """JSON can spell half of a surrogate pair, which no database keeps and no answer can repeat."""
        if exc.reason != "surrogates not allowed":
            raise exc
        return answer(
            request, 422, "The request holds text that is no Unicode (a lone surrogate); leave it out."
        )

    @app.exception_handler(Exception)
    def _unforeseen(request: Request, exc: Exception) -> Response:
        log.exception("Unforeseen error at %s %s", request.method, request.url.path, exc_info=exc)
        return answer(
            request,
            500,
            "Something went wrong on our side. Nothing you had saved is lost; the log says more.",
        )

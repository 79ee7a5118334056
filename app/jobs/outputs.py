"""What a worker hands in is checked before it is kept, so that every stored result can be drawn."""

import json
from collections.abc import Mapping

from app.demos import drawing
from app.jobs.port import Output
from kernels.result import MOST_BYTES, TOO_LARGE, BadResult, Result

OTHER_CODE = "The worker's code does not match this server's; update both."


class BadOutput(ValueError):
    """The result cannot be kept; the message is one sentence for the learner."""


def read(result: Mapping[str, object]) -> Output:
    """The result of a demo as text to keep. Raises BadOutput."""
    body = _text(result)
    if len(body) > MOST_BYTES:
        raise BadOutput(TOO_LARGE)
    try:
        parsed = Result.from_json(result)
        drawing.check(parsed)
    except (BadResult, drawing.Undrawable) as error:
        raise BadOutput(f"{OTHER_CODE} {error}") from None
    if parsed.origin != "live":
        raise BadOutput(f"{OTHER_CODE} Its result is not of this run: it says it is {parsed.origin}.")
    asked = {"demo": parsed.demo, "params": dict(parsed.params)}
    return Output(body.decode(), parsed.device.name, parsed.code, asked)


def _text(result: Mapping[str, object]) -> bytes:
    try:
        return json.dumps(result, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except UnicodeEncodeError:
        raise BadOutput(
            f"{OTHER_CODE} Its result holds text that is no Unicode (a lone surrogate)."
        ) from None
    except (ValueError, RecursionError):
        raise BadOutput(
            f"{OTHER_CODE} Its result is no plain JSON: it holds NaN or an infinity, or is nested too deep."
        ) from None

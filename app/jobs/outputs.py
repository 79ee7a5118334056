"""What a worker hands in is checked before it is kept, so that every stored result can be drawn."""

import json
from collections.abc import Mapping

from app.jobs.port import Output
from kernels.result import MOST_BYTES, TOO_LARGE, BadResult, Result


class BadOutput(ValueError):
    """The result cannot be kept; the message is one sentence for the learner."""


def read(result: Mapping[str, object]) -> Output:
    """The result of a demo as text to keep. Raises BadOutput."""
    body = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    if len(body.encode()) > MOST_BYTES:
        raise BadOutput(TOO_LARGE)
    try:
        parsed = Result.from_json(result)
    except BadResult as error:
        raise BadOutput(f"The worker's code does not match this server's; update both. {error}") from None
    return Output(body, parsed.device.name, parsed.code)

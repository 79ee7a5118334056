"""What a worker hands in of a demo is checked before it is kept, so that every stored result can be drawn."""

from collections.abc import Mapping

from app.demos import drawing, store
from app.jobs.kinds import OTHER_CODE, BadOutput, Kind, text
from app.jobs.port import Output
from kernels.result import TOO_LARGE, BadResult, Result


def read(result: Mapping[str, object]) -> Output:
    """The result of a demo as text to keep. Raises BadOutput."""
    body = text(result, TOO_LARGE)
    try:
        parsed = Result.from_json(result)
        drawing.check(parsed)
    except (BadResult, drawing.Undrawable) as error:
        raise BadOutput(f"{OTHER_CODE} {error}") from None
    if parsed.origin != "live":
        raise BadOutput(f"{OTHER_CODE} Its result is not of this run: it says it is {parsed.origin}.")
    asked = {"demo": parsed.demo, "params": dict(parsed.params)}
    return Output(body, parsed.device.name, parsed.code, asked)


RUN = Kind(store.KIND, read, store.keep)

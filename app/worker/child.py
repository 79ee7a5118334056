"""The process that runs demos: the only part of app/ that imports kernels' code, and torch with it.

It is started anew for each device, and again after each kill. It reads one JSON object a line from its standard input,
{"demo", "params"}, and writes one a line to its standard output: {"ready": [devices]} once torch is imported,
then for each run any number of {"progress", "words"} and at last {"result"} or {"failed": sentence, "cuda": bool}.
"""

import json
import sys
import traceback
from collections.abc import Mapping
from typing import TextIO

from app.worker import pipe
from app.worker.pipe import requests, say, write


def main() -> int:
    out = pipe.own_output()
    asked = requests(sys.stdin)
    from kernels import device  # noqa: PLC0415  (torch takes a second; by now the parent can already kill us)

    say(out, ready=device.capabilities())
    for request in asked:
        _serve(out, request)
    return 0


def _serve(out: TextIO, request: Mapping[str, object]) -> None:
    from kernels.catalog import BadParams, UnknownDemo  # noqa: PLC0415
    from kernels.result import MOST_BYTES, TOO_LARGE, Refused  # noqa: PLC0415
    from kernels.run import run  # noqa: PLC0415

    name, params = request["demo"], request["params"]
    assert isinstance(name, str) and isinstance(params, Mapping)  # noqa: PT018
    try:
        result = run(name, params, progress=lambda done, words: say(out, progress=done, words=words))
        text = json.dumps({"result": result.to_json()}, separators=(",", ":"))
        if len(text) > MOST_BYTES:
            say(out, failed=TOO_LARGE)
        else:
            write(out, text)
    except (UnknownDemo, BadParams, Refused) as error:
        say(out, failed=str(error))
    except Exception as error:  # whatever a kernel raises is told, and ends this run only
        traceback.print_exc()
        say(out, failed=sentence(error), cuda=is_cuda_error(error))


def sentence(error: Exception) -> str:
    """What the learner reads of an exception that no demo foresaw."""
    first = (str(error).strip().splitlines() or ["no message"])[0][:300].rstrip(".")
    kind = "The GPU reported an error" if is_cuda_error(error) else "The demo failed"
    return f"{kind} ({type(error).__name__}: {first}). The worker's log says more."


def is_cuda_error(error: Exception) -> bool:
    """Whether the CUDA context may be poisoned, so that every later run here would fail, too."""
    return type(error).__name__ == "AcceleratorError" or "CUDA error" in str(error)


if __name__ == "__main__":
    sys.exit(main())

"""The process that hears: the only part of app/ that loads speech models.

It is started with the chosen model and the folder for models that are fetched. It reads one JSON object a line from
its standard input, {"sound", "prompt", "language", "endpoint": {...} | null}, and answers as app/worker/child.py does.
Libraries and the model are loaded for the first recording and stay warm. An endpoint's key comes through this pipe, so
it is in no environment and no list of processes.
"""

import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from app.worker.pipe import own_output, requests, say
from app.worker.speech import model
from app.worker.speech.words import Word, spoken, text

if TYPE_CHECKING:
    from app.worker.speech.decode import Samples
    from app.worker.speech.embedded import Embedded
    from app.worker.speech.loudness import Stretches

MEGABYTE = 2**20 if sys.platform == "darwin" else 2**10  # getrusage counts bytes there, kilobytes elsewhere

Progress = Callable[[float, str], None]


def main(chosen: str, models: str) -> int:
    out = own_output()
    hearer = Hearer(chosen, Path(models))
    say(out, ready=[{"kind": "speech", "name": model.called(chosen)}])
    for request in requests(sys.stdin):
        serve(out, hearer, request)
    return 0


def serve(out: TextIO, hearer: "Hearer", request: Mapping[str, object]) -> None:
    from app.worker.speech.decode import Undecodable  # noqa: PLC0415  (what it needs is not loaded before)
    from app.worker.speech.endpoint import EndpointFailed  # noqa: PLC0415

    try:
        say(out, result=hearer.hear(request, lambda done, words: say(out, progress=done, words=words)))
    except (Undecodable, EndpointFailed, model.NoModel) as error:
        say(out, failed=str(error))
    except Exception as error:  # whatever a library raises ends this hearing only
        traceback.print_exc()
        say(out, failed=f"Hearing failed ({type(error).__name__}). The worker's log says more.")


class Hearer:
    """Hears one recording after the other, and keeps the model that it loaded for the first."""

    def __init__(self, chosen: str, models: Path) -> None:
        self._chosen = chosen
        self._models = models
        self._embedded: Embedded | None = None

    def hear(self, request: Mapping[str, object], progress: Progress) -> dict[str, object]:
        """What is heard in a file, as the web side keeps it. Raises Undecodable, EndpointFailed, NoModel."""
        from app.worker.speech import loudness  # noqa: PLC0415
        from app.worker.speech.decode import decode  # noqa: PLC0415

        began = time.monotonic()
        progress(0.0, "Decoding the sound.")
        sound = decode(Path(str(request["sound"])))
        speech = loudness.speech(sound)
        words = spoken(self._words(sound, speech, request, progress), speech) if speech else ()
        remote = request["endpoint"]
        return {
            "ms": loudness.milliseconds(len(sound)),
            "peaks": loudness.peaks(sound),
            "speech": speech,
            "words": [word.told() for word in words],
            "text": text(words),
            "provider": "endpoint" if remote else "embedded",
            "model": remote["model"] if isinstance(remote, Mapping) else model.called(self._chosen),
            "seconds": round(time.monotonic() - began, 3),
            "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE, 1),
        }

    def _words(
        self, sound: "Samples", speech: "Stretches", request: Mapping[str, object], progress: Progress
    ) -> Iterable[Word]:
        from app.worker.speech import endpoint  # noqa: PLC0415
        from app.worker.speech.embedded import Embedded  # noqa: PLC0415

        prompt, language, remote = str(request["prompt"]), str(request["language"]), request["endpoint"]
        if isinstance(remote, Mapping):
            progress(0.0, f"Waiting for the endpoint {remote['name']}.")
            return endpoint.hear(endpoint.Remote(**remote), sound, prompt, language)
        if self._embedded is None:
            progress(0.0, f"Loading the model {model.called(self._chosen)}.")
            self._embedded = Embedded(self._chosen, self._models)
        return self._embedded.hear(sound, speech, prompt, language, progress)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

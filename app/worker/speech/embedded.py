"""Speech to text by Whisper on this machine's CPU, through faster-whisper. Nothing leaves the machine.

The settings are those that measured best on short explanations. An initial prompt keeps fillers in and spells the
field's words; "hotwords" are left alone, since they made many more errors than they mended.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from faster_whisper import WhisperModel

from app.worker.speech import model
from app.worker.speech.decode import RATE, Samples
from app.worker.speech.words import Word

BEAMS = 5
MOST_THREADS = 4  # small models gain nothing from more

Progress = Callable[[float, str], None]


class Embedded:
    """A model that is loaded once and kept."""

    def __init__(self, chosen: str, models: Path) -> None:
        """Load the model that the setting `chosen` names; one that is to be fetched is kept below `models`.

        Raises NoModel.
        """
        self.name = model.called(chosen)
        found = model.find(chosen)
        fetched = isinstance(found, str)
        os.environ["HF_HUB_OFFLINE"] = "0" if fetched else "1"
        try:
            self._model = WhisperModel(
                str(found),
                device="cpu",
                compute_type="int8",
                cpu_threads=threads(),
                download_root=str(models),
                local_files_only=not fetched,
            )
        except Exception as error:
            why = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
            raise model.NoModel(f"The model {self.name} cannot be loaded ({why}).") from error

    def hear(self, sound: Samples, prompt: str, language: str, progress: Progress) -> Iterator[Word]:
        """The words as they are found, with progress after each of the model's segments."""
        length = len(sound) / RATE
        segments, _ = self._model.transcribe(
            sound,
            language=language,
            initial_prompt=prompt or None,
            beam_size=BEAMS,
            condition_on_previous_text=False,
            vad_filter=False,
            word_timestamps=True,
        )
        for segment in segments:
            for word in segment.words or ():
                yield Word(round(word.start * 1000), round(word.end * 1000), word.word.strip())
            progress(min(segment.end / length, 1.0), f"Heard {segment.end:.0f} of {length:.0f} s.")


def threads() -> int:
    return max(1, min(MOST_THREADS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2))

"""Speech to text by Whisper on this machine's CPU, through faster-whisper. Nothing leaves the machine.

The settings are those that measured best on short explanations. A prompt keeps fillers in and spells the field's
words. By itself the model sees it with the first half minute alone, so the sound is cut, and each part is heard with
the prompt: of 82 fillers it then wrote 80 down instead of 57. "Hotwords" are left alone, since they made many more
errors than they mended.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from faster_whisper import WhisperModel
from faster_whisper.transcribe import Word as Heard

from app.worker.speech import model
from app.worker.speech.decode import RATE, Samples
from app.worker.speech.loudness import Stretches, milliseconds, windows
from app.worker.speech.words import Word, made_up, whole, within

BEAMS = 5
FEWEST = 0.7  # words for each second of speech, below which something was passed over
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

    def hear(
        self, sound: Samples, speech: Stretches, prompt: str, language: str, progress: Progress
    ) -> Iterator[Word]:
        """The words as they are found, with progress after each half minute. Where nobody speaks nothing is asked."""
        length = len(sound) / RATE
        for first, last in windows(sound):
            spoken_s = within(speech, milliseconds(first), milliseconds(last)) / 1000
            if spoken_s:
                part, begin = sound[first:last], first / RATE
                words = self._words(part, begin, speech, prompt, language)
                if (
                    prompt and len(words) < FEWEST * spoken_s
                ):  # a prompt sometimes makes a small model fall silent
                    words = max(words, self._words(part, begin, speech, "", language), key=len)
                yield from words
            progress(last / RATE / length, f"Heard {last / RATE:.0f} of {length:.0f} s.")

    def _words(
        self, part: Samples, begin: float, speech: Stretches, prompt: str, language: str
    ) -> list[Word]:
        segments, _ = self._model.transcribe(
            part,
            language=language,
            initial_prompt=prompt or None,
            beam_size=BEAMS,
            condition_on_previous_text=False,
            vad_filter=False,
            word_timestamps=True,
        )
        words: list[Word] = []
        for segment in segments:
            pieces = [_piece(word, begin) for word in segment.words or ()]
            if not made_up(whole(pieces), segment.no_speech_prob, speech):
                words += pieces
        return whole(words)


def _piece(word: Heard, begin: float) -> Word:
    return Word(round(1000 * (begin + word.start)), round(1000 * (begin + word.end)), word.word)


def threads() -> int:
    return max(1, min(MOST_THREADS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2))

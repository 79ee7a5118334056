"""What was heard: words with their times. Of what a model makes up in silence, nothing is kept. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

# The model's own chance that nobody spoke, above which it may have made a sentence up: in quiet, what was said had at
# most 0.1, but for a few last words, and what was made up 0.19 to 0.95. Noise raises it, so it alone drops nothing.
NO_SPEECH = 0.15
SHORTEST_MS = 150  # of speech for a word, on average, however fast somebody speaks
SLACK_MS = 400  # by which the times of a word may miss the stretch in which it was spoken


@dataclass(frozen=True)
class Word:
    """A word and when it was spoken, in milliseconds; without times, the whole text."""

    start: int | None
    end: int | None
    text: str

    def told(self) -> list[object]:
        return [self.start, self.end, self.text]


def spoken(words: Iterable[Word], speech: Sequence[tuple[int, int]]) -> tuple[Word, ...]:
    """The words that fall into stretches of speech; models say "thank you" to a silence."""
    if not speech:
        return ()
    return tuple(word for word in words if word.text and _within(word, speech))


def _within(word: Word, speech: Sequence[tuple[int, int]]) -> bool:
    if word.start is None or word.end is None:
        return True
    start, end = word.start - SLACK_MS, word.end + SLACK_MS
    return any(begin <= end and start <= finish for begin, finish in speech)


def made_up(pieces: Sequence[Word], no_speech: float, speech: Sequence[tuple[int, int]]) -> bool:
    """Whether a sentence is one of those that models put into gaps and ends: "Thank you", "See you in the next video".

    `no_speech` is the model's own chance that nobody spoke; and while its words last there is less speech than anybody
    needs for them. How long they last tells nothing: a word may be given the whole of a gap.
    """
    words = [piece for piece in pieces if any(letter.isalnum() for letter in piece.text)]
    if no_speech <= NO_SPEECH or not words:
        return not words
    return within(speech, words[0].start or 0, words[-1].end or 0) < SHORTEST_MS * len(words)


def within(speech: Sequence[tuple[int, int]], start: int, end: int) -> int:
    """Milliseconds of speech between two moments."""
    return sum(max(0, min(last, end) - max(first, start)) for first, last in speech)


def whole(pieces: Iterable[Word]) -> list[Word]:
    """Whisper's pieces as words: one without a space before it goes on with the last, as "-head" does with "multi"."""
    made: list[Word] = []
    for piece in pieces:
        if made and piece.text[:1].strip():
            made[-1] = Word(made[-1].start, piece.end, made[-1].text + piece.text)
        else:
            made.append(piece)
    return [replace(word, text=word.text.strip()) for word in made]


def text(words: Iterable[Word]) -> str:
    return " ".join(word.text for word in words)

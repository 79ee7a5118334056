"""Spot the wrong sentence: the sentences of a card in the order of a showing, and the list as HTML. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from string import ascii_uppercase

from markupsafe import Markup

from app.library.render import plain, render


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it is listed: its letter, its Markdown, and whether it is the wrong one."""

    letter: str
    text: str
    wrong: bool

    @property
    def words(self) -> str:
        """The sentence as plain text."""
        return plain(self.text)


def shuffled(right: Sequence[str], wrong: str, key: str) -> tuple[Sentence, ...]:
    """The sentences in the order that belongs to `key`: the same key, the same order."""
    told = [(text, False) for text in right] + [(wrong, True)]

    def place(at: int) -> bytes:
        return blake2b(f"{key}/{at}".encode(), digest_size=8).digest()

    order = sorted(range(len(told)), key=place)
    return tuple(
        Sentence(letter, *told[at]) for letter, at in zip(ascii_uppercase[: len(order)], order, strict=True)
    )


def listed(sentences: Sequence[Sentence], *, marked: bool = False) -> Markup:
    """The lettered list. With `marked` the wrong sentence says so, in a word and with a cross."""
    rows = Markup().join(_row(sentence, marked=marked and sentence.wrong) for sentence in sentences)
    return Markup('<ol class="sentences" type="A">{}</ol>').format(rows)


def wrong_letter(sentences: Sequence[Sentence]) -> str:
    return next(sentence.letter for sentence in sentences if sentence.wrong)


def verdict(sentences: Sequence[Sentence]) -> Markup:
    """The answer in a line: which one is wrong."""
    return Markup("<p><strong>{} is wrong.</strong></p>").format(wrong_letter(sentences))


def _row(sentence: Sentence, *, marked: bool) -> Markup:
    text = render(sentence.text, inline=True)
    if not marked:
        return Markup("<li>{}</li>").format(text)
    return Markup('<li class="found"><mark>{}</mark> <strong>✗ wrong</strong></li>').format(text)

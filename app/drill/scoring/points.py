"""Which key points were mentioned in what was said, and which are better checked. Pure.

It finds words, not truth. A point is "mentioned" where one of the deck's wordings of it was heard; it is to be
checked where a doubtful wording was, or where its words stand turned round. What is right, the learner says.

>>> hear([Point("mask", "Masked before the softmax.", "", ("mask",), ())], text="We mask, then softmax.")[0].mark
'mentioned'
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Literal

from app.drill.pitch import Point
from app.drill.scoring import guards
from app.drill.scoring.guards import FILLERS, NEGATIONS, REACH, Sense, content
from app.drill.scoring.spoken import Token, forms, tokens
from app.drill.scoring.transcript import Transcript

Mark = Literal["mentioned", "check", "missed"]
ARTICLES = frozenset(["a", "an", "the", "um", "uh", "erm", "er", "ah", "hmm"])
AROUND = 5  # words of a snippet on either side of what was heard


@dataclass(frozen=True, slots=True)
class Heard:
    """What became of one key point: where it was said, in its own words, and when, if that is known."""

    point: str
    mark: Mark
    snippet: str = ""
    at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class _Hit:
    """The first and last token of something found."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Said:
    """Everything said: `spoken` without articles and hesitations, `clauses` as the tokens of each."""

    transcript: Transcript
    spoken: tuple[Token, ...]
    clauses: tuple[tuple[Token, ...], ...]

    @classmethod
    def of(cls, transcript: Transcript) -> "_Said":
        found = tuple(token for token in tokens(transcript.text) if token.form not in ARTICLES)
        return cls(
            transcript, found, tuple(tuple(group) for _, group in groupby(found, lambda token: token.clause))
        )

    def find(self, phrase: tuple[str, ...]) -> Iterator[_Hit]:
        """Each place of the phrase, word by word."""
        words = [token.form for token in self.spoken]
        for at in range(len(words) - len(phrase) + 1):
            if tuple(words[at : at + len(phrase)]) == phrase:
                yield _Hit(self.spoken[at].start, self.spoken[at + len(phrase) - 1].end)


def hear(points: Sequence[Point], transcript: Transcript) -> tuple[Heard, ...]:
    """What became of each of the points, in their order."""
    said = _Said.of(transcript)
    return tuple(_judge(point, said) for point in points)


def _judge(point: Point, said: _Said) -> Heard:
    sense = _sense(point.text, point.hear, point.doubt)
    doubted = _doubted(point, sense, said)
    if doubted:
        return _heard(point, "check", doubted, said)
    found = sorted(
        (hit for phrase in point.hear for hit in said.find(_phrase(phrase))),
        key=lambda hit: (hit.first, -hit.last),
    )
    clean = next((hit for hit in found if not guards.turned(sense, _around(hit, said))), None)
    if clean:
        return _heard(point, "mentioned", clean, said)
    return _heard(point, "check", found[0], said) if found else Heard(point.id, "missed")


@lru_cache(maxsize=1024)
def _sense(text: str, hear: tuple[str, ...], doubt: tuple[str, ...]) -> Sense:
    return Sense.of(text, hear, doubt)


@lru_cache(maxsize=8192)
def _phrase(phrase: str) -> tuple[str, ...]:
    return tuple(form for form in forms(phrase) if form not in ARTICLES)


def _doubted(point: Point, sense: Sense, said: _Said) -> _Hit | None:
    """The first doubtful thing: a wording of the deck, as it stands or with other small words, or misplaced words."""
    for phrase in point.doubt:
        hit = next(said.find(_phrase(phrase)), None)
        if hit:
            return hit
    reduced = [content(_phrase(phrase)) for phrase in point.doubt]
    for clause in said.clauses:
        words = [token for token in clause if token.form not in FILLERS]
        stems = content(token.form for token in words)
        for wording in reduced:
            at = _place(wording, stems)
            if at is not None:
                return _Hit(words[at].start, words[at + len(wording) - 1].end)
        misplaced = guards.misplaced(sense, stems)
        if misplaced:
            return _Hit(words[misplaced[0]].start, words[misplaced[1]].end)
    return None


def _place(phrase: tuple[str, ...], stems: tuple[str, ...]) -> int | None:
    """Where a doubtful wording of two stems or more stands, with no negation before it that the wording lacks."""
    if len(phrase) < 2:
        return None
    for at in range(len(stems) - len(phrase) + 1):
        if stems[at : at + len(phrase)] == phrase and not NEGATIONS & set(stems[max(0, at - 2) : at]):
            return at
    return None


def _around(hit: _Hit, said: _Said) -> tuple[str, ...]:
    """The stems of a hit and of its clauses around it, as far as a guard reaches."""
    clauses = [token for clause in said.clauses if _meets(hit, clause) for token in clause]
    before = content(token.form for token in clauses if token.end <= hit.first)
    itself = content(token.form for token in clauses if token.end > hit.first and token.start < hit.last)
    after = content(token.form for token in clauses if token.start >= hit.last)
    return (*before[-REACH:], *itself, *after[:REACH])


def _meets(hit: _Hit, clause: Sequence[Token]) -> bool:
    return clause[0].start < hit.last and hit.first < clause[-1].end


def _heard(point: Point, mark: Mark, hit: _Hit, said: _Said) -> Heard:
    text = said.transcript.text
    at = [token for token in said.spoken if token.start < hit.last and hit.first < token.end]
    first, last = said.spoken.index(at[0]), said.spoken.index(at[-1])
    start = said.spoken[max(0, first - AROUND)].start
    end = said.spoken[min(len(said.spoken) - 1, last + AROUND)].end
    # With no-break spaces: no line of a narrow column is an ellipsis alone.
    more = "…\N{NO-BREAK SPACE}" if start > said.spoken[0].start else ""
    less = "\N{NO-BREAK SPACE}…" if end < said.spoken[-1].end else ""
    return Heard(point.id, mark, f"{more}{text[start:end]}{less}", said.transcript.at(hit.first))

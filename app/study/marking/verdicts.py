"""What a mark tells: data only, and its JSON form for the log."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["right", "close", "wrong", "unread", "unmarked"]
Shape = Literal["same", "extra", "missing"]

# The best that can be said of several: one that is wrong or cannot be read decides.
_WORST_FIRST: tuple[Verdict, ...] = ("unread", "wrong", "close", "right", "unmarked")
_SUGGESTED: dict[Verdict, int] = {"right": 3, "close": 2, "wrong": 1}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text: the same in both, extra in what was said, or missing from it."""

    text: str
    shape: Shape = "same"


@dataclass(frozen=True, slots=True)
class LinePair:
    """A line of code as it was written beside one of the answer; "" where one side has none."""

    said: str
    right: str
    shape: Literal["same", "changed", "extra", "missing"]


@dataclass(frozen=True, slots=True)
class Square:
    """A cell of a mask: what was ticked and what the run shows; None where nothing is known of it."""

    said: bool
    right: bool | None


@dataclass(frozen=True, slots=True)
class FieldMark:
    """What was said in one field, and what it is worth in a sentence.

    `said` and `right` are pieces where the difference can be shown within a text; `lines` stand for code, `squares`
    for a mask.
    """

    name: str
    label: str
    text: str
    verdict: Verdict
    words: str
    said: tuple[Piece, ...] = ()
    right: tuple[Piece, ...] = ()
    lines: tuple[LinePair, ...] = ()
    squares: tuple[tuple[Square, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """The marks of all fields in which something was said. `against` tells what a prediction was held against."""

    fields: tuple[FieldMark, ...]
    against: str = ""

    @property
    def verdict(self) -> Verdict:
        return min((field.verdict for field in self.fields), key=_WORST_FIRST.index)

    @property
    def suggests(self) -> int | None:
        """The grade to which this mark points; None where it points to none. The learner decides."""
        return _SUGGESTED.get(self.verdict)

    def to_json(self) -> dict[str, object]:
        """What the log keeps beside what was said."""
        kept: dict[str, object] = {
            "verdict": self.verdict,
            "fields": {field.name: {"verdict": field.verdict, "words": field.words} for field in self.fields},
        }
        return kept | ({"against": self.against} if self.against else {})

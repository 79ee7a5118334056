"""What is known of a showing that can be filled in and marked: data only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.library.values import Quantity, Tolerance

Said = Mapping[str, str]  # what was written, by the name of its field
FieldKind = Literal["text", "quantity", "letter", "code", "shape", "mask", "choice"]

ANSWER = "answer"  # the name of the one field of every kind but a prediction


@dataclass(frozen=True, slots=True)
class Run:
    """The result that a prediction is marked against: its blocks as JSON data, and where it comes from in words."""

    blocks: Sequence[Mapping[str, object]]
    words: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A showing as it can be marked. `letter` is the wrong sentence's, `claims` are the card's `expect:` lines."""

    kind: str
    accepted: tuple[str, ...] = ()
    quantity: Quantity | None = None
    tolerance: Tolerance | None = None
    code: str = ""
    letter: str = ""
    letters: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    run: Run | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """Something that may be filled in. A mask has the labels of its rows and columns, a choice its choices.

    `folded`: its label would narrow the question down, so it is shown to those who ask for it.
    """

    name: str
    kind: FieldKind
    label: str
    help: str = ""
    choices: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    cols: tuple[str, ...] = ()
    folded: bool = False

"""What a deck holds: notes, and the cards that a learner meets. Data only."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NewType, get_args

from app.library.expression import Expression, read
from app.library.params import Param
from app.library.values import Level, NoteId, Quantity, Tolerance

CardId = NewType("CardId", str)
Kind = Literal[
    "question", "cloze", "spoken", "number", "code", "reverse", "typed", "estimate", "predict", "spot"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
CHOSEN: tuple[Kind, ...] = KINDS[3:]  # those that a card names with `kind:`


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that a spoken answer should say, the wordings that show it, and those that cast doubt.

    `stage` names the part of a case that it belongs to; "" in a card without stages.
    """

    id: str
    text: str
    hear: tuple[str, ...] = ()
    doubt: tuple[str, ...] = ()
    stage: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a case, such as its estimate, and the time it has."""

    name: str
    seconds: int


@dataclass(frozen=True, slots=True)
class Template:
    """The texts of an estimate before its numbers are drawn, and how its answer is worked out. `params` as written."""

    question: str
    answer: str
    say: str
    wrong: tuple[str, ...]
    demo: str
    expects: tuple[str, ...]
    params: str
    value: Expression
    unit: str

    def to_json(self) -> dict[str, object]:
        body = {field.name: getattr(self, field.name) for field in fields(self)}
        return body | {"wrong": list(self.wrong), "expects": list(self.expects), "value": self.value.text}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Template":
        return cls(
            **{
                **body,
                "wrong": tuple(body["wrong"]),
                "expects": tuple(body["expects"]),
                "value": read(body["value"]),
            }
        )

    def texts(self) -> Iterator[tuple[str, int, str, bool]]:
        """Each text with its field, which of several it is, and whether its numbers stand raw."""
        yield from (("Q", 0, self.question, False), ("A", 0, self.answer, False), ("say", 0, self.say, False))
        yield from (("wrong", at, text, False) for at, text in enumerate(self.wrong))
        yield "demo", 0, self.demo, True
        yield from (("expect", at, text, True) for at, text in enumerate(self.expects))


@dataclass(frozen=True, slots=True)
class Note:
    """One entry of a deck. Texts are Markdown as written; what a note does not have is "", () or None.

    An estimate has the numbers of its canonical draw; its `template` has the placeholders. A spot has one `wrong`
    sentence among those that are `right`.

    `demo` is the note's own, or its deck's. `content_hash` covers what a learner is asked and told, and
    nothing else: a new tag or level leaves it alone. `lines` gives the file's lines of each field,
    in order, so that a later check can point at them, and `text` the card's own lines; both take no part in comparison.

    `copied` is the fingerprint of the shipped text that an edited copy was made from (see app.library.blocks).
    """

    id: NoteId
    kind: Kind
    question: str
    answer: str
    level: Level | None
    core: bool
    tags: tuple[str, ...]
    demo: str | None
    expects: tuple[str, ...]
    source: str
    answer_value: Quantity | None
    tolerance: Tolerance | None
    time_s: int | None
    points: tuple[Point, ...]
    params: tuple[Param, ...]
    wrong: tuple[str, ...]
    right: tuple[str, ...]
    next: tuple[NoteId, ...]
    model: str
    say: str
    was: tuple[NoteId, ...]
    line: int
    content_hash: str
    template: Template | None = None
    copied: str = ""
    stages: tuple[Stage, ...] = ()
    retired: bool = False
    text: str = field(default="", compare=False, repr=False)
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict, compare=False, repr=False)

    def line_of(self, name: str, index: int = 0) -> int:
        """The line of the index-th field of this name, or the note's first line."""
        at = self.lines.get(name, ())
        return at[index] if index < len(at) else self.line


@dataclass(frozen=True, slots=True)
class Deck:
    """One file of notes, in the file's order."""

    name: str
    title: str
    path: str
    demo: str | None
    notes: tuple[Note, ...]
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    def line_of(self, name: str) -> int:
        """The line of a field of the front matter, or the first line."""
        return self.lines.get(name, 1)


@dataclass(frozen=True, slots=True)
class CardFace:
    """One card: its two sides as Markdown. `ord` is a cloze's number, or 0 and 1 for a reverse pair."""

    id: CardId
    ord: int
    front_md: str
    back_md: str

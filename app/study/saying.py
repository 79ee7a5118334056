"""What the study page shows of an answer that can be marked: the fields before the reveal, the mark after it. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.study.marking import Field, Mark
from app.study.marking.verdicts import FieldMark
from app.study.memory import Grade

USUAL = int(Grade.GOOD)  # the grade that Space gives where nothing was said
TITLES = {
    "right": "Right",
    "close": "Close",
    "wrong": "Not right",
    "unread": "Not marked",
    "unmarked": "What you said",
}
SIGNS = {"right": "check", "close": "ring", "wrong": "cross", "unread": "dash", "unmarked": "dot"}


@dataclass(frozen=True)
class Say:
    """The fields of a question, and those that are folded away."""

    open: tuple[Field, ...] = ()
    folded: tuple[Field, ...] = ()

    @classmethod
    def of(cls, fields: Sequence[Field]) -> "Say":
        return cls(
            tuple(field for field in fields if not field.folded),
            tuple(field for field in fields if field.folded),
        )

    @property
    def method(self) -> str:
        """How the reveal is asked for: what may be said with it goes in no address."""
        return "post" if self.open else "get"


NOTHING = Say()


@dataclass(frozen=True)
class Line:
    """One field's mark with its icon."""

    mark: FieldMark
    sign: str


@dataclass(frozen=True)
class Marked:
    """What was said, marked. `grade` is the one that Space gives; `spoken` is what a screen reader hears of it all."""

    title: str
    lines: tuple[Line, ...]
    against: str
    suggests: str
    grade: int
    spoken: str

    @classmethod
    def of(cls, mark: Mark, grades: Collection[int]) -> "Marked":
        """`grades`: those that there are buttons for."""
        title = TITLES[mark.verdict]
        grade = mark.suggests if mark.suggests in grades else None
        suggests = f"Suggested: {Grade(grade).word}. The grade is yours." if grade else ""
        words = " ".join(field.words for field in mark.fields[:3])
        return cls(
            title=title,
            lines=tuple(Line(field, SIGNS[field.verdict]) for field in mark.fields),
            against=f"Marked against {mark.against}." if mark.against else "",
            suggests=suggests,
            grade=grade or USUAL,
            spoken=" ".join(part for part in (f"{title}.", words, suggests) if part),
        )

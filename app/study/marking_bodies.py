"""What may be said to a card, and its mark, as the API tells them."""

from typing import Annotated

from pydantic import Field

from app.study import marking
from app.study.marking import form
from app.study.marking.verdicts import FieldMark, Verdict
from app.web.api import Body

Said = dict[Annotated[str, Field(max_length=300)], Annotated[str, Field(max_length=form.LONGEST)]]


class FieldOut(Body):
    """Something that may be said before the reveal. A mask is written as rows of 0 and 1: 100/110/111."""

    name: str
    kind: str = Field(description="text, quantity, letter, code, shape, mask or choice.")
    label: str
    help: str
    choices: tuple[str, ...]
    rows: tuple[str, ...]
    cols: tuple[str, ...]

    @classmethod
    def of(cls, field: marking.Field) -> "FieldOut":
        return cls(
            name=field.name,
            kind=field.kind,
            label=field.label,
            help=field.help,
            choices=field.choices,
            rows=field.rows,
            cols=field.cols,
        )


class FieldMarkOut(Body):
    name: str
    label: str
    said: str
    verdict: Verdict
    words: str = Field(description="One or two sentences on what was said.")

    @classmethod
    def of(cls, mark: FieldMark) -> "FieldMarkOut":
        return cls(name=mark.name, label=mark.label, said=mark.text, verdict=mark.verdict, words=mark.words)


class MarkOut(Body):
    """What was said is worth this; the grade is the learner's."""

    verdict: Verdict = Field(
        description="right, close, wrong, unread (no sense in it) or unmarked (only kept)."
    )
    suggests: int | None = Field(description="The grade that the mark points to.")
    against: str = Field(description="What a prediction was marked against.")
    fields: tuple[FieldMarkOut, ...]

    @classmethod
    def of(cls, mark: marking.Mark) -> "MarkOut":
        return cls(
            verdict=mark.verdict,
            suggests=mark.suggests,
            against=mark.against,
            fields=tuple(map(FieldMarkOut.of, mark.fields)),
        )

"""A card's marks for programs: read them, change them. docs/study.md has an example."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from app.accounts.service import Current
from app.study import changes
from app.study.marks import LONGEST_REMARK
from app.study.results import Marked
from app.web.api import WRITE, Body, Its, errors

router = APIRouter()
CardName = Annotated[str, Path(max_length=200)]


class MarksIn(Body):
    """What is left out stays as it is. Each mark that changes is an event of its own, which /study/undo takes back."""

    buried: bool | None = Field(None, strict=True, description="Hidden until the next study day.")
    suspended: bool | None = Field(None, strict=True, description="Out of every queue until it is taken in.")
    flagged: bool | None = Field(None, strict=True)
    note: str | None = Field(None, description=f"A note to self, up to {LONGEST_REMARK:,} characters.")


class MarksOut(Body):
    card: str
    buried: bool
    suspended: bool
    flagged: bool
    note: str
    leech: bool = Field(
        description="Forgotten 8 times or more: another wording helps more than another look."
    )
    lapses: int

    @classmethod
    def of(cls, found: Marked) -> "MarksOut":
        return cls(
            card=found.card_id,
            buried=found.buried,
            suspended=found.suspended,
            flagged=found.flagged,
            note=found.remark,
            leech=found.leech,
            lapses=found.lapses,
        )


@router.get("/cards/{card_id}/marks", responses=errors(404, 422))
def marks(card_id: CardName, its: Its, learner: Current) -> MarksOut:
    """What the learner has put on a card."""
    with its.db.read() as conn:
        return MarksOut.of(changes.marked(conn, learner, its.clock(), card_id))


@router.patch("/cards/{card_id}/marks", responses=errors(404, 422, *WRITE))
def mark(card_id: CardName, body: MarksIn, its: Its, learner: Current) -> MarksOut:
    """Bury, suspend or flag a card, keep a note to self, or take any of them back."""
    with its.db.write() as conn:
        changed = changes.mark(
            conn,
            learner,
            its.clock(),
            card_id,
            suspended=body.suspended,
            buried=body.buried,
            flagged=body.flagged,
            remark=body.note,
        )
    return MarksOut.of(changed)

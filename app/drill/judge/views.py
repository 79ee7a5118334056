"""What the judge's part of a page is drawn from: nothing, an offer, a question that is open, or an opinion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from app.drill import shown
from app.drill.judge.asking import Asked
from app.drill.judge.chat import LIMIT_S, Judge
from app.drill.judge.judging import Remark, Seems
from app.drill.judge.service import Kept, mark
from app.drill.pitch import Point

State = Literal["off", "silent", "ready", "asking"]

WORDS: dict[Seems, str] = {
    "covered": "seems covered",
    "partly": "seems partly said",
    "wrong": "seems wrong",
    "absent": "seems absent",
}


@dataclass(frozen=True, slots=True)
class RemarkShown:
    """A key point and what the judge says of it; `stage`: the part of a case that begins with it, or ""."""

    point: Markup
    seems: str
    comment: str
    stage: str


@dataclass(frozen=True, slots=True)
class Part:
    """`state` says what can be done: nothing (off), nothing yet (silent), ask, or wait.

    `by` names who gave the opinion that is shown, empty where there is none; `stale`: the text has changed since.
    `coming`: a text is on its way.
    """

    card_id: str
    take: str
    state: State
    judge: str
    where: str
    limit: str
    problem: str
    by: str
    stale: bool
    remarks: tuple[RemarkShown, ...]
    overall: str
    coming: bool = False

    @property
    def news(self) -> str:
        """What a screen reader hears once an answer is there."""
        return self.problem or ("The machine's opinion is here." if self.by else "")

    @property
    def shows(self) -> bool:
        return self.state != "off" or bool(self.by)


def part(
    judge: Judge | None,
    kept: Kept | None,
    asked: Asked | None,
    *,
    card_id: str,
    take: str,
    points: Sequence[Point],
    said: str,
    coming: bool = False,
) -> Part:
    """The part of the take that is signed in `take`, of whose key points the judge knows `points` and `said`."""
    waits = _on_its_way(kept, asked)
    return Part(
        card_id=card_id,
        take=take,
        state="asking" if waits else _state(judge, said),
        judge=judge.name if judge else "",
        where=asked.whom if asked and waits else judge.where if judge else "",
        limit=f"{LIMIT_S:g} seconds",
        problem=asked.problem if judge and asked and asked.whom == judge.where else "",
        by=f"{kept.model}, at {kept.host}" if kept else "",
        stale=kept is not None and kept.said != mark(said),
        remarks=_remarks(points, kept.opinion.remarks if kept else ()),
        overall=kept.opinion.overall if kept else "",
        coming=coming,
    )


def _remarks(points: Sequence[Point], given: Sequence[Remark]) -> tuple[RemarkShown, ...]:
    """What is said of those points that the card still has, in the card's order and below its stages."""
    of = {remark.point: remark for remark in given}
    told = [point for point in points if point.id in of]
    return tuple(
        RemarkShown(shown.html(point.html), WORDS[of[point.id].seems], of[point.id].comment, stage)
        for point, stage in zip(told, shown.headings(told), strict=True)
    )


def _on_its_way(kept: Kept | None, asked: Asked | None) -> bool:
    """Whether a question is open, or was answered after the database was looked at: then the next look shows it."""
    if asked is None or asked.problem:
        return False
    return asked.open or kept is None or kept.at.isoformat() < asked.said


def _state(judge: Judge | None, said: str) -> State:
    if judge is None:
        return "off"
    return "ready" if said.strip() else "silent"

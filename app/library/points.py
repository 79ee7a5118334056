"""What a spoken card is to say: its key points with their wordings, and the stages of a case. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.library.fields import Field
from app.library.notes import Point, Stage
from app.library.text import nfc
from app.library.values import BadValue, minutes, phrases


@dataclass(frozen=True, slots=True)
class Mistake:
    line: int
    problem: str
    fix: str


@dataclass(slots=True)
class _Group:
    """A point's line, the stage it stands in, and the wordings below it."""

    line: Field
    stage: str | None  # None: above the first
    wordings: dict[str, tuple[str, ...]] = field(default_factory=lambda: {"hear": (), "doubt": ()})


@dataclass(slots=True)
class Parts:
    """Trust the points and the stages only while there are no mistakes."""

    points: tuple[Point, ...] = ()
    stages: tuple[Stage, ...] = ()
    mistakes: list[Mistake] = field(default_factory=list)

    def wrong(self, line: int, problem: str, fix: str) -> None:
        self.mistakes.append(Mistake(line, problem, fix))


def read(fields: Sequence[Field], time_s: int | None) -> Parts:
    """The points and the stages among a card's `fields`, in their order; `time_s` is the time of the whole card."""
    made = Parts()
    groups, stages = _in_order(fields, made)
    _names(groups, made)
    made.points = tuple(
        Point(nfc(group.line.arg), group.line.text, **group.wordings, stage=group.stage or "")
        for group in groups
    )
    made.stages = tuple(stage for _, stage in stages)
    if stages:
        _stages(stages, groups, time_s, made)
    return made


def _in_order(fields: Sequence[Field], made: Parts) -> tuple[list[_Group], list[tuple[Field, Stage]]]:
    groups: list[_Group] = []
    stages: list[tuple[Field, Stage]] = []
    for found in fields:
        if found.name == "stage":
            stages.append((found, Stage(" ".join(nfc(found.arg).split()), _seconds(found, made))))
        elif found.name == "point":
            groups.append(_Group(found, stages[-1][1].name if stages else None))
        elif found.name in ("hear", "doubt"):
            _wording(found, groups, made)
    return groups, stages


def _wording(found: Field, groups: list[_Group], made: Parts) -> None:
    if not groups:
        made.wrong(found.line, f"{found.name}: stands above the first point", "move it below its point.")
    elif found.text:
        try:
            groups[-1].wordings[found.name] += phrases(found.text)
        except BadValue as bad:
            made.wrong(found.line, bad.problem, bad.fix)


def _names(groups: list[_Group], made: Parts) -> None:
    seen: dict[str, int] = {}
    for group in groups:
        name = nfc(group.line.arg)
        if not name:
            made.wrong(group.line.line, "the point has no name", "write point p1: and its text.")
        elif name in seen:
            problem = f'the point "{name}" stands twice, first in line {seen[name]}'
            made.wrong(group.line.line, problem, "give each point a name of its own.")
        seen.setdefault(name, group.line.line)


def _seconds(found: Field, made: Parts) -> int:
    try:
        return minutes(found.text) if found.text else 0
    except BadValue as bad:
        made.wrong(found.line, bad.problem, bad.fix)
        return 0


def _stages(stages: list[tuple[Field, Stage]], groups: list[_Group], time_s: int | None, made: Parts) -> None:
    seen: dict[str, int] = {}
    for found, stage in stages:
        if not stage.name:
            made.wrong(found.line, "the stage has no name", "write stage design: and its minutes.")
        elif stage.name in seen:
            problem = f'the stage "{stage.name}" stands twice, first in line {seen[stage.name]}'
            made.wrong(found.line, problem, "give each stage a name of its own.")
        elif groups and not any(group.stage == stage.name for group in groups):
            problem = f'the stage "{stage.name}" has no point'
            made.wrong(found.line, problem, "put what is to be said in it below it, as point lines.")
        seen.setdefault(stage.name, found.line)
    for group in groups:
        if group.stage is None:
            made.wrong(group.line.line, "the point stands above the first stage", "move it below its stage.")
    whole = sum(stage.seconds for _, stage in stages)
    if time_s and all(stage.seconds for _, stage in stages) and whole != time_s:
        problem = f"the stages take {whole} seconds together, and time: says {time_s}"
        made.wrong(stages[0][0].line, problem, f"make them agree, such as time: {whole}.")
